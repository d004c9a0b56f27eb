package form

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// The steps of ops on lines and of scans. Each op runs along one axis, and its operands and result are always buffers.

// line returns the step of v, an op on lines.
func (l *looper) line(v *ir.Value) plan.Step { return l.along(v, plan.Line, v.Op) }

// along returns the step of a value that is computed along its axis, which gets the given role. The axes before that
// axis are collapsed as far as possible, and so are the axes after it. The body copies the first operand.
func (l *looper) along(v *ir.Value, role plan.Role, by ir.Op) plan.Step {
	axis := v.Attr.Axis
	sp := &l.s.space
	sp.Reset()
	buffer, to := l.stored(&sp.Space, v)
	layouts := append(sp.own[:0], to)
	access := make([]plan.Access, 1+len(v.Args))
	access[0] = plan.Access{Buffer: buffer, Offset: to.Offset}
	var room [kernel.MaxOperands]kernel.Operand
	operands := room[:0]
	for i, a := range v.Args {
		from := rewrite.LayoutIn(&sp.Space, a)
		in := &access[1+i]
		in.Buffer, in.Offset = l.of(base(a)), from.Offset
		if from.Shape[axis] != to.Shape[axis] {
			in.Line = from.Shape[axis]
		}
		layouts = append(layouts, from)
		operands = append(operands, kernel.Operand{DType: a.Type.DType})
	}
	sp.own = layouts
	parts := [...][]layout.Layout{refined(&sp.Space, layouts, 0, axis), sp.Sub(layouts, axis, axis+1), refined(&sp.Space, layouts, axis+1, len(to.Shape))}
	extents := sp.axes[:0]
	for _, part := range parts {
		extents = append(extents, part[0].Shape...)
	}
	sp.axes = extents
	rank := max(2, len(extents))
	for i := range access {
		strides := l.ints.Take(rank)
		access[i].Strides = strides
		at := rank - len(extents)
		for _, part := range parts {
			at += copy(strides[at:], part[i].Strides)
		}
		if i > 0 {
			operands[i-1].Splat = AllZero(strides)
		}
	}
	s := plan.Step{Axes: make([]plan.Axis, rank), In: access[1:], Pos: v.Pos}
	first := rank - len(extents)
	for k := range s.Axes {
		if s.Axes[k].Extent = 1; k >= first {
			s.Axes[k].Extent = extents[k-first]
		}
	}
	s.Axes[first+len(parts[0][0].Shape)].Role = role
	s.Out = []plan.Output{{Access: access[0], Combine: by}}
	b := kernel.NewBuilder(operands...)
	b.Store(0)
	s.Body = b.Kernel()
	return s
}

// refined returns the axes from, ..., to-1 of the layouts, collapsed as far as possible. The layouts have the same
// extents.
func refined(sp *layout.Space, ls []layout.Layout, from, to int) []layout.Layout {
	out, ok := sp.Refine(sp.Sub(ls, from, to)...)
	if !ok {
		panic("layouts of one shape have no common axes")
	}
	return out
}
