package passes

import (
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Scans run along whole lines, so each is a loop of its own: between buffers, and
// fused with nothing. A row group hands its rows on to others through the cache.

func isScan(v *ir.Value) bool { return v.Op.Info().Kind == ir.Scan }

// scan returns a scan with lines of two elements or more, of which there are
// some, as it is, and what any other is.
func (r *reducer) scan(v *ir.Value) (*ir.Value, error) {
	n, _ := v.Type.Shape[v.Attr.Axis].Int()
	switch {
	case n > 1 && size(v.Type.Shape) > 0:
		return v, nil
	case n == 1 && v.Attr.Exclusive:
		return r.constant(v, ir.EmptyReduction(v.Op.Info().By, v.Type.DType))
	}
	return v.Args[0], nil
}

// scan returns the step of a scan: the axes outside the scanned one, that one, and the
// axes inside it.
func (l *looper) scan(v *ir.Value) plan.Step {
	in := layoutOf(v.Args[0])
	buffer, out := l.stored(v)
	outer, line, inner := cutAxes(v.Attr.Axis, in, out)
	role := plan.Scan
	if v.Attr.Exclusive {
		role = plan.ScanExclusive
	}
	var extents []int
	access := []plan.Access{{Buffer: l.of(base(v.Args[0])), Offset: in.Offset}, {Buffer: buffer, Offset: out.Offset}}
	axis := max(len(outer[0].Shape), 1-len(inner[0].Shape))
	for _, part := range [][]layout.Layout{outer, line, inner} {
		extents = append(extents, part[0].Shape...)
		for i := range access {
			access[i].Strides = append(access[i].Strides, part[i].Strides...)
		}
	}
	rank := max(2, len(extents))
	for i := range access {
		access[i].Strides = leading(access[i].Strides, rank, 0)
	}
	s := plan.Step{Axes: parallel(leading(extents, rank, 1)), In: access[:1:1], Pos: v.Pos}
	s.Axes[axis].Role = role
	s.Out = []plan.Output{{Access: access[1], Combine: v.Op.Info().By}}
	b := kernel.NewBuilder(kernel.Operand{DType: v.Type.DType, Splat: allZero(access[0].Strides)})
	b.Store(0)
	s.Body, _ = b.Kernel().Canonical()
	return s
}

// cutAxes cuts two layouts of one shape at an axis. The axes before it are made
// as few as they can be, and those behind it.
func cutAxes(axis int, a, b layout.Layout) (outer, line, inner []layout.Layout) {
	ls := []layout.Layout{a, b}
	return refined(ls, 0, axis), along(ls, axis, axis+1), refined(ls, axis+1, len(a.Shape))
}

// subLayout returns some axes of a layout.
func subLayout(l layout.Layout, from, to int) layout.Layout {
	return layout.Layout{Shape: l.Shape[from:to], Strides: l.Strides[from:to]}
}
