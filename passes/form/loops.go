package form

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// Loops makes a step of each group: its body, its axes with their roles, and the strides of each operand.
//
// The axes keep the order of the outputs, which are row-major. A reduced axis comes last. Axes of extent 1 are dropped,
// and adjacent axes are collapsed where the strides of every operand allow it.
//
// Requires: fuse.
// Ensures: the plan has all its buffers and steps, but temporaries have no memory yet; no two adjacent axes of a step
// can be collapsed; bodies are canonical.
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

// looper makes the buffers and steps of a plan from the groups.
type looper struct {
	s        *State
	ref      rewrite.ValueMap[int32] // kernel.Ref of a value in the present group's kernel
	multiply *kernel.Kernel          // the body of the last product
	ints     rewrite.Slab[int]       // memory that the plan keeps
}

// interfaceBuffers declares the buffers of the params and results.
func (l *looper) interfaceBuffers() {
	for i, p := range l.s.Func.Params {
		b := l.add(p, plan.ParamBuffer)
		b.Name, b.Index, b.At = p.Name(), i, p.Attr.At
	}
	for i, r := range l.s.Func.Results {
		b := l.add(r, plan.ResultBuffer)
		b.Name, b.Index = l.s.Func.Output(i), i
		*l.s.Buffer.At(computed(r)) = int32(len(l.s.Plan.Buffers))
	}
}

// add declares the buffer of a value and returns it, so that the caller can set the other fields.
func (l *looper) add(v *ir.Value, kind plan.BufferKind) *plan.Buffer {
	p := l.s.Plan
	p.Buffers = append(p.Buffers, plan.Buffer{})
	b := &p.Buffers[len(p.Buffers)-1]
	b.Kind, b.DType, b.Shape = kind, v.Type.DType, rewrite.AppendExtents(l.ints.Take(len(v.Type.Shape))[:0], v)
	*l.s.Buffer.At(v) = int32(len(p.Buffers))
	return b
}

// of returns the index of the buffer of a value. Constants, iotas and temporaries are declared at the first call.
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

// group appends the step of a group and reports whether there is one. A group without elements needs no step, and
// neither does a group that other steps store.
func (l *looper) group(g *group) bool {
	if g.values[0].Op.IsJoin() {
		l.declare(g.values[0])
		return false // each operand's step stores its slice
	}
	if l.s.byProduct[g.values[0]] {
		return false // the step of the product stores the copy
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

// Decisions returns the ledger. Each entry gets the number of the step that computes its value, or -1 if no step does, and the
// output that is the value.
// Stored values that ended up in scratch buffers count as staged.
func (s *State) Decisions() []plan.Decision {
	for i, v := range s.Ledger.About {
		e := &s.Ledger.List[i]
		e.Step = -1
		if v.ID >= len(s.Func.Body) || s.Func.Body[v.ID] != v {
			continue // the value was removed as unused
		}
		e.Step = int(*s.Step.At(v)) - 1
		held := v
		if p := s.placed[v]; p.in != nil {
			held = p.in
		}
		b := int(*s.Buffer.At(held)) - 1
		if b < 0 {
			continue
		}
		if (e.Kind == plan.Materialized || e.Kind == plan.Copied && e.Op == ir.OpCopy) && s.Plan.Buffers[b].Kind == plan.ScratchBuffer {
			e.Kind = plan.Staged
		}
		if e.Step >= 0 {
			e.Out = max(0, slices.IndexFunc(s.Plan.Steps[e.Step].Out, func(o plan.Output) bool { return o.Buffer == b }))
		}
	}
	return s.Ledger.List
}
