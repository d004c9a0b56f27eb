package nest

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// slotKinds are the kinds' names in text.
var slotKinds = [...]string{Operand: "buffer", Scratch: "scratch", Table: "table", Bytes: "bytes"}

func (k SlotKind) String() string {
	if int(k) >= len(slotKinds) {
		return "invalid"
	}
	return slotKinds[k]
}

// String returns the program as text that Parse reads back. A loop is written as its extent and tile, behind the name of its axis if it
// has one; of(0) is the number of
// indices of the present iteration of loop 0. An argument is its slot, the strides of the enclosing loops, its offset, and the
// step between its lines. In a part of a task with several steps, a line such as "step 3" names the step of the items behind it.
//
//	nest double arena=0 {
//	  %0 = param x 0  : f32[96,100] {96,100}:{1,96}+0
//	  %1 = result y 0 : f32[96,100]
//	  task 0 steps=0..0 scratch=12864 work=9600 elems=9600 {
//	    # step 0: whole kernel="kernel (u0:f32) { t0 = add u0 u0; store t0 }" engine=avx2 kernels=1 cost=9600 packed=[0] nontemporal=[]
//	    # not tiling cost=19200 why=""
//	    $0 = buffer %0 : f32
//	    $1 = buffer %1 : f32
//	    $2 = scratch 0 : f32[3200]
//	    part [96/32] {
//	      call pack u32
//	        rows=of(0) cols=100 across=384
//	        $0{32}+0/1 -> $2{0}+0/100
//	      call kernel (u0:f32) { t0 = add u0 u0; store t0 }
//	        rows=of(0) cols=100
//	        $2{0}+0/100 -> $1{3200}+0/100
//	    }
//	  }
//	}
func (p *Program) String() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "nest %s arena=%d {\n", ir.NameText(p.Name), p.Arena)
	plan.WriteBuffers(&b, p.Buffers)
	for i := range p.Tasks {
		p.Tasks[i].write(&b, i)
	}
	plan.WriteLedger(&b, p.Ledger)
	b.WriteString("}\n")
	return b.String()
}

func (t *Task) write(b *bytes.Buffer, i int) {
	fmt.Fprintf(b, "  task %d steps=%d..%d scratch=%d work=%s elems=%d", i, t.First, t.Last, t.Scratch, floatText(t.Work), t.Elems)
	if t.Block != 0 {
		fmt.Fprintf(b, " block=%d", t.Block)
	}
	fmt.Fprintf(b, " {%s\n", t.Pos.Trailing())
	for k := range t.Choices {
		t.Choices[k].write(b, t.First+k)
	}
	for k, s := range t.Slots {
		fmt.Fprintf(b, "    $%d = %s\n", k, s)
	}
	for k := range t.Parts {
		t.Parts[k].write(b, "part", "    ", t)
	}
	b.WriteString("  }\n")
}

func (c *Choice) write(b *bytes.Buffer, step int) {
	fmt.Fprintf(b, "    # step %d: %s kernel=%s engine=%s kernels=%d cost=%s packed=%s nontemporal=%s", step, ir.NameText(c.Strategy),
		strconv.Quote(c.Kernel), strconv.Quote(c.Engine), c.Kernels, floatText(c.Cost), ir.Bracketed(c.Packed), ir.Bracketed(c.NonTemporal))
	if c.Entries != 0 {
		fmt.Fprintf(b, " entries=%d", c.Entries)
	}
	b.WriteByte('\n')
	for _, r := range c.Rejected {
		fmt.Fprintf(b, "    # not %s cost=%s why=%s\n", ir.NameText(r.Strategy), floatText(r.Cost), strconv.Quote(r.Why))
	}
}

// floatText returns an estimate in the text of constants.
func floatText(x float64) string { return ir.ConstText(ir.Float64, math.Float64bits(x)) }

// String returns the text of the slot without its number.
func (s Slot) String() string {
	elems := fmt.Sprintf("%s[%d]", s.DType.Text(), s.Elems)
	switch s.Kind {
	case Operand:
		return fmt.Sprintf("%s %%%d : %s", s.Kind, s.Buffer, s.DType.Text())
	case Scratch:
		return fmt.Sprintf("%s %d : %s", s.Kind, s.Offset, elems)
	case Table:
		return fmt.Sprintf("%s %s : %s", s.Kind, ir.ConstText(s.DType, s.Bits), elems)
	case Bytes:
		return fmt.Sprintf("%s : %s", s.Kind, elems)
	}
	return s.Kind.String()
}

// write writes a nest and its items, each line behind an indent. A part of the task t has the number of each step before its items, if
// they are of several steps.
func (n *Nest) write(b *bytes.Buffer, word, indent string, t *Task) {
	loops := make([]string, len(n.Loops))
	for i, l := range n.Loops {
		loops[i] = l.String()
	}
	fmt.Fprintf(b, "%s%s [%s] {\n", indent, word, strings.Join(loops, ", "))
	for i, item := range n.Items {
		if t != nil && t.Last > t.First && (i == 0 || item.Step != n.Items[i-1].Step) {
			fmt.Fprintf(b, "%s  step %d\n", indent, t.First+item.Step)
		}
		if item.Call != nil {
			item.Call.write(b, indent+"  ")
		}
		if item.Nest != nil {
			item.Nest.write(b, "for", indent+"  ", nil)
		}
	}
	b.WriteString(indent + "}\n")
}

// String returns the loop as extent/tile, or name=extent/tile.
func (l Loop) String() string {
	name := l.Name
	if name != "" {
		name += "="
	}
	return fmt.Sprintf("%s%s/%d", name, l.Extent, l.Tile)
}

// String returns the size: 64, of(0) or 64*of(0).
func (s Size) String() string {
	switch {
	case s.Loop == -1:
		return strconv.Itoa(s.N)
	case s.N == 1:
		return fmt.Sprintf("of(%d)", s.Loop)
	}
	return fmt.Sprintf("%d*of(%d)", s.N, s.Loop)
}

// nonTemporalText marks a call that stores past the caches.
const nonTemporalText = "nontemporal"

func (c *Call) write(b *bytes.Buffer, indent string) {
	b.WriteString(indent + "call ")
	if c.NonTemporal {
		b.WriteString(nonTemporalText + " ")
	}
	var names []string
	ins := len(c.Args)
	if c.Kernel != nil {
		b.WriteString(c.Kernel.Signature())
		names, ins = c.Kernel.Fields(), min(ins, inputs(c.Kernel))
	}
	fmt.Fprintf(b, "\n%s  rows=%s cols=%s", indent, c.Rows, c.Cols)
	for i, f := range c.Fields {
		name := "field"
		if i < len(names) {
			name = names[i]
		}
		fmt.Fprintf(b, " %s=%s", name, f)
	}
	b.WriteString("\n" + indent + " ")
	for i, a := range c.Args {
		if i == ins {
			b.WriteString(" ->")
		}
		b.WriteString(" " + a.String())
	}
	if ins == len(c.Args) {
		b.WriteString(" ->")
	}
	b.WriteByte('\n')
}

// String returns the argument as $slot{strides}+offset/step.
func (a Arg) String() string {
	return fmt.Sprintf("$%d%s%+d/%d", a.Slot, layout.Braced(a.Strides), a.Offset, a.Step)
}
