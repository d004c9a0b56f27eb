package passes

import (
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Steps along an axis of their own: ops on lines and scans, which are between buffers.

// line returns the step of an op on lines.
func (l *looper) line(v *ir.Value) plan.Step { return l.along(v, plan.Line, v.Op) }

// along returns the step of a value that is computed along its axis, of a role: the axes
// outside that one, it, and the axes inside, as few as they can be. The body is a copy of the
// first operand.
func (l *looper) along(v *ir.Value, role plan.Role, by ir.Op) plan.Step {
	axis := v.Attr.Axis
	buffer, to := l.stored(new(layout.Space), v)
	layouts := []layout.Layout{to}
	access := []plan.Access{{Buffer: buffer, Offset: to.Offset}}
	var operands []kernel.Operand
	for _, a := range v.Args {
		from := layoutOf(a)
		in := plan.Access{Buffer: l.of(base(a)), Offset: from.Offset}
		if from.Shape[axis] != to.Shape[axis] {
			in.Line = from.Shape[axis]
		}
		layouts, access = append(layouts, from), append(access, in)
		operands = append(operands, kernel.Operand{DType: a.Type.DType})
	}
	outer := refined(layouts, 0, axis)
	var extents []int
	for _, part := range [][]layout.Layout{outer, subLayouts(layouts, axis, axis+1), refined(layouts, axis+1, len(to.Shape))} {
		extents = append(extents, part[0].Shape...)
		for i := range access {
			access[i].Strides = append(access[i].Strides, part[i].Strides...)
		}
	}
	rank := max(2, len(extents))
	for i := range access {
		access[i].Strides = leading(access[i].Strides, rank, 0)
		if i > 0 {
			operands[i-1].Splat = allZero(access[i].Strides)
		}
	}
	s := plan.Step{Axes: parallel(leading(extents, rank, 1)), In: access[1:], Pos: v.Pos}
	s.Axes[rank-len(extents)+len(outer[0].Shape)].Role = role
	s.Out = []plan.Output{{Access: access[0], Combine: by}}
	b := kernel.NewBuilder(operands...)
	b.Store(0)
	s.Body = b.Kernel()
	return s
}

// subLayouts returns some axes of layouts.
func subLayouts(ls []layout.Layout, from, to int) []layout.Layout {
	out := make([]layout.Layout, len(ls))
	for i, l := range ls {
		out[i] = subLayout(l, from, to)
	}
	return out
}

// refined returns some axes of layouts, which have the same extents, made as few as they
// can be.
func refined(ls []layout.Layout, from, to int) []layout.Layout {
	out, ok := layout.Refine(subLayouts(ls, from, to)...)
	if !ok {
		panic("layouts of one shape have no common axes")
	}
	return out
}
