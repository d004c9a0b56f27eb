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
		return r.constant(v, ir.EmptyFold(v.Op.Info().By, v.Type.DType))
	}
	return v.Args[0], nil
}

// scan returns the step of a scan. Its output is row-major, so the scanned axis
// is the columns if no other is inside it, and else the rows, with the innermost
// axis as the columns.
func (l *looper) scan(v *ir.Value) plan.FlatStep {
	in, out := layoutOf(v.Args[0]), layoutOf(v)
	outer, line, inner := cutAxes(v.Attr.Axis, in, out)
	axes := [][]layout.Layout{outer, inner, line}
	if len(inner[0].Shape) > 0 { // the line before the last
		k := len(inner[0].Shape) - 1
		last := []layout.Layout{subLayout(inner[0], k, k+1), subLayout(inner[1], k, k+1)}
		axes = [][]layout.Layout{outer, {subLayout(inner[0], 0, k), subLayout(inner[1], 0, k)}, line, last}
	}
	s := plan.FlatStep{Scan: plan.Inclusive, Down: len(inner[0].Shape) > 0, Pos: v.Pos}
	if v.Attr.Exclusive {
		s.Scan = plan.Exclusive
	}
	operands := make([]plan.Access, 2)
	for _, part := range axes {
		s.Extents = append(s.Extents, part[0].Shape...)
		for i := range operands {
			operands[i].Strides = append(operands[i].Strides, part[i].Strides...)
		}
	}
	operands[0].Buffer, operands[0].Offset = l.of(base(v.Args[0])), in.Offset
	operands[1].Buffer = l.of(v)
	s.Extents = atLeastTwo(s.Extents, 1)
	for i := range operands {
		operands[i].Strides = atLeastTwo(operands[i].Strides, 0)
	}
	s.Operands = operands
	s.Rows, s.Cols = s.Extents[len(s.Extents)-2], s.Extents[len(s.Extents)-1]
	b := kernel.NewBuilder(kernel.Operand{DType: v.Type.DType})
	b.Fold(v.Op.Info().By, 0)
	s.Kernel, _ = b.Kernel().Canonical()
	return s
}

// cutAxes cuts two layouts of one shape at an axis. The axes before it are made
// as few as they can be, and those behind it.
func cutAxes(axis int, a, b layout.Layout) (outer, line, inner []layout.Layout) {
	part := func(from, to int) []layout.Layout {
		return []layout.Layout{subLayout(a, from, to), subLayout(b, from, to)}
	}
	fold := func(ls []layout.Layout) []layout.Layout {
		ls, ok := layout.Refine(ls...)
		if !ok {
			panic("two layouts of one shape have no common axes")
		}
		return ls
	}
	return fold(part(0, axis)), part(axis, axis+1), fold(part(axis+1, len(a.Shape)))
}

// subLayout returns some axes of a layout.
func subLayout(l layout.Layout, from, to int) layout.Layout {
	return layout.Layout{Shape: l.Shape[from:to], Strides: l.Strides[from:to]}
}
