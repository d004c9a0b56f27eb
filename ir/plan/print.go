package plan

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// bufferKinds and decisionKinds are the kinds' names in text.
var (
	bufferKinds   = [...]string{ParamBuffer: "param", ResultBuffer: "result", ConstBuffer: "const", TempBuffer: "temp", ScratchBuffer: "scratch", IotaBuffer: "iota"}
	decisionKinds = [...]string{Fused: "fused", Materialized: "materialized", Copied: "copied", Staged: "staged", Recomputed: "recomputed", Rewritten: "rewritten"}
)

func (k BufferKind) String() string {
	if int(k) >= len(bufferKinds) {
		return "invalid"
	}
	return bufferKinds[k]
}

// String returns the plan as text that ParsePlan reads back: the buffers; then each step with its axes and their roles, its body,
// the accesses of its inputs, and the accesses of its outputs, each behind the op that combines it; then the ledger. A step that runs
// once for all runs of the program is marked: step 0 once [4,3].
//
//	plan normalize arena=0 {
//	  %0 = param x 0  : f32[4,3] {4,3}:{1,4}+0
//	  %1 = const 1.5  : f32[]
//	  %2 = result y 0 : f32[4,3]
//	  step 0 [4,3] // main.go:12
//	    kernel (u0:f32, s1:f32) { t0 = sub u0 s1; store t0 }
//	    %0{1,4}+0 %1{0,0}+0 -> %2{3,1}+0
//	  # fused sub step=0 bytes=96 "its operand has one use" // main.go:12
//	}
func (p *Plan) String() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "plan %s arena=%d {\n", ir.NameText(p.Name), p.Arena)
	WriteBuffers(&b, p.Buffers)
	for i := range p.Steps {
		s := &p.Steps[i]
		b.WriteString("  " + p.stepLine(i) + s.Pos.Trailing() + "\n    ")
		if s.Body != nil {
			b.WriteString(s.Body.String())
		}
		b.WriteString("\n   " + s.accesses() + "\n")
	}
	for _, g := range p.Rows {
		b.WriteString("  " + g.String() + "\n")
	}
	WriteLedger(&b, p.Ledger)
	b.WriteString("}\n")
	return b.String()
}

// WriteBuffers writes buffers as lines of a plan's text, and ScanBuffers reads them.
func WriteBuffers(b *bytes.Buffer, buffers []Buffer) {
	p, w := &Plan{Buffers: buffers}, ir.Columns(b)
	for i := range buffers {
		fmt.Fprintf(w, "  %s\t: %s\n", p.bufferHead(i), buffers[i].typeText())
	}
	w.Flush()
}

// WriteLedger writes decisions as lines of a plan's text, and ScanLedger reads them.
func WriteLedger(b *bytes.Buffer, ledger []Decision) {
	for _, d := range ledger {
		b.WriteString("  " + d.String() + d.Pos.Trailing() + "\n")
	}
}

// bufferHead returns the text of a buffer without its type: %2 = temp 128.
func (p *Plan) bufferHead(i int) string {
	b := &p.Buffers[i]
	head := fmt.Sprintf("%%%d = %s ", i, b.Kind)
	switch b.Kind {
	case ConstBuffer:
		return head + ir.ConstText(b.DType, b.Bits)
	case TempBuffer, ScratchBuffer:
		return head + strconv.Itoa(b.Offset)
	case IotaBuffer:
		return strings.TrimSpace(head)
	}
	return head + ir.NameText(b.Name) + " " + strconv.Itoa(b.Index)
}

func (b *Buffer) typeText() string {
	text := ir.Type{DType: b.DType, Shape: ir.ShapeOf(b.Shape...)}.String()
	if b.At != nil {
		text += " " + b.At.String()
	}
	return text
}

// bufferLine and stepLine return the texts by which messages name a buffer and a step.
func (p *Plan) bufferLine(i int) string {
	return p.bufferHead(i) + " : " + p.Buffers[i].typeText()
}

func (p *Plan) stepLine(i int) string {
	axes := make([]string, len(p.Steps[i].Axes))
	for k, a := range p.Steps[i].Axes {
		axes[k] = strconv.Itoa(a.Extent)
		if a.Role != Parallel {
			axes[k] += " " + a.Role.String()
		}
	}
	once := ""
	if p.Steps[i].Once {
		once = "once "
	}
	return fmt.Sprintf("step %d %s[%s]", i, once, strings.Join(axes, ","))
}

// accesses returns the accesses of the step's inputs and outputs, each behind a space, with -> before the outputs.
func (s *Step) accesses() string {
	var b bytes.Buffer
	for _, a := range s.In {
		b.WriteString(" " + a.String())
	}
	b.WriteString(" ->")
	for _, o := range s.Out {
		if !o.Stored() {
			b.WriteString(" " + o.Combine.String())
		}
		b.WriteString(" " + o.Access.String())
	}
	return b.String()
}

// String returns the group as a line of a plan's text.
func (g RowGroup) String() string {
	return fmt.Sprintf("rows first=%d last=%d outer=%s along=%s block=%d scratch=%d", g.First, g.Last, ir.Bracketed(g.Outer), ir.Bracketed(g.Along), g.Block, g.Scratch)
}

// String returns the access as %buffer{strides}+offset, then its panel and the length of its lines.
func (a Access) String() string {
	text := fmt.Sprintf("%%%d%s%+d", a.Buffer, layout.Braced(a.Strides), a.Offset)
	if p := a.Panel; p != nil {
		text += fmt.Sprintf(" panel [%d,%d,%d]", p.Axis, p.Size, p.Stride)
	}
	if a.Line != 0 {
		text += fmt.Sprintf(" line [%d]", a.Line)
	}
	return text
}

// String returns the decision as a line of a plan's text, without its position.
func (d Decision) String() string {
	out := ""
	if d.Out > 0 {
		out = fmt.Sprintf(" out=%d", d.Out)
	}
	return fmt.Sprintf("# %s %s step=%d%s bytes=%d %s", d.Kind, d.Op, d.Step, out, d.Bytes, strconv.Quote(d.Reason))
}
