package form

import "github.com/stridefuse/stridefuse/passes/rewrite"

import (
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Loops makes a step of each group: the body, the axes with their roles, and each
// operand's strides.
//
// The axes keep the order of the outputs, which are row-major; a reduced axis comes
// last. Axes of extent 1 go, and adjacent axes become one where every operand allows
// it.
//
// Requires: fuse.
// Ensures: the plan's buffers and steps, but for the places of temporaries; no two
// adjacent axes of a step can be collapsed; bodies are canonical.
func Loops(s *State) error {
	s.Buffer, s.Step = rewrite.MapIn(&s.Whole.Numbers, s.Func), rewrite.MapIn(&s.Whole.Numbers, s.Func)
	placeProducts(s)
	l := &looper{s: s, ref: rewrite.MapIn(&s.Pass.Numbers, s.Func)}
	buffers := len(s.Func.Params)
	for _, g := range s.groups {
		buffers += len(g.outputs)
	}
	for _, v := range s.Func.Body {
		if rewrite.IsConst(v) {
			buffers++
		}
	}
	s.Plan = &plan.Plan{Name: s.Func.Name, Steps: make([]plan.Step, 0, len(s.groups)), Buffers: make([]plan.Buffer, 0, buffers)}
	l.interfaceBuffers()
	for _, g := range s.groups {
		if l.group(g) {
			for _, v := range g.values {
				*s.Step.At(v) = int32(len(s.Plan.Steps))
			}
		}
	}
	s.Plan.Ledger = s.Decisions()
	return nil
}

type looper struct {
	s        *State
	ref      rewrite.ValueMap[int32] // the kernel.Ref in the kernel of the present group
	multiply *kernel.Kernel          // the body of the last product
	ints     rewrite.Ints            // for what stays
}

// interfaceBuffers declares the params and results.
func (l *looper) interfaceBuffers() {
	for i, p := range l.s.Func.Params {
		b := l.add(p, plan.ParamBuffer)
		b.Name, b.Index, b.At = p.Name(), i, p.Attr.At
	}
	for i, r := range l.s.Func.Results {
		l.add(r, plan.ResultBuffer).Index = i
		*l.s.Buffer.At(computed(r)) = int32(len(l.s.Plan.Buffers))
	}
}

// add declares the buffer of a value, and returns it for what it has besides.
func (l *looper) add(v *ir.Value, kind plan.BufferKind) *plan.Buffer {
	p := l.s.Plan
	p.Buffers = append(p.Buffers, plan.Buffer{})
	b := &p.Buffers[len(p.Buffers)-1]
	b.Kind, b.DType, b.Shape = kind, v.Type.DType, rewrite.AppendExtents(l.ints.Take(len(v.Type.Shape))[:0], v)
	*l.s.Buffer.At(v) = int32(len(p.Buffers))
	return b
}

// of returns the buffer of a value, declaring constants and temporaries.
func (l *looper) of(v *ir.Value) int {
	if b := *l.s.Buffer.At(v); b > 0 {
		return int(b) - 1
	}
	switch {
	case rewrite.IsConst(v):
		l.add(v, plan.ConstBuffer).Bits = v.Attr.Bits
	case v.Op == ir.OpIota:
		l.add(v, plan.IotaBuffer)
	default:
		l.add(v, plan.TempBuffer)
	}
	return len(l.s.Plan.Buffers) - 1
}

// group appends the step of a group, and reports whether it needs one: without
// elements it doesn't.
func (l *looper) group(g *group) bool {
	if g.values[0].Op.IsJoin() {
		l.declare(g.values[0])
		return false // the steps of its operands store it
	}
	if a := g.values[0].Args[0]; a.Op == ir.OpAccess && l.s.placed[a.Args[0]].in == g.values[0] {
		return false // the step of the product stores it
	}
	for _, v := range g.outputs {
		l.declare(v)
	}
	if rewrite.Size(domain(g.values[0])) == 0 {
		return false
	}
	if g.values[0].Op.IsProduct() {
		l.dot(g.values[0])
		return true
	}
	if g.values[0].Op.IsLine() {
		l.s.Plan.Steps = append(l.s.Plan.Steps, l.line(g.values[0]))
		return true
	}
	if rewrite.IsScan(g.values[0]) {
		l.s.Plan.Steps = append(l.s.Plan.Steps, l.scan(g.values[0]))
		return true
	}
	l.s.Plan.Steps = append(l.s.Plan.Steps, l.stepOf(l.nest(g)))
	return true
}

// base returns the value whose buffer v reads.
func base(v *ir.Value) *ir.Value {
	if v.Op == ir.OpAccess {
		return v.Args[0]
	}
	return v
}

// Decisions returns the ledger, each entry with the step that computes its value.
func (s *State) Decisions() []plan.Decision {
	for i, v := range s.Ledger.About {
		e := &s.Ledger.List[i]
		e.Step = -1
		if v.ID >= len(s.Func.Body) || s.Func.Body[v.ID] != v {
			continue // nothing needs it
		}
		e.Step = int(*s.Step.At(v)) - 1
		held := v
		if p := s.placed[v]; p.in != nil {
			held = p.in
		}
		if b := *s.Buffer.At(held) - 1; b >= 0 && (e.Kind == plan.Materialized || e.Kind == plan.Copied && e.Op == ir.OpCopy) && s.Plan.Buffers[b].Kind == plan.ScratchBuffer {
			e.Kind = plan.Staged
		}
	}
	return s.Ledger.List
}
