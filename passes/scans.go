package passes

import (
	"github.com/stridefuse/stridefuse/ir"

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

// scan returns the step of a scan.
func (l *looper) scan(v *ir.Value) plan.Step {
	role := plan.Scan
	if v.Attr.Exclusive {
		role = plan.ScanExclusive
	}
	s := l.along(v, role, v.Op.Info().By)
	s.Body, _ = s.Body.Canonical()
	return s
}

// subLayout returns some axes of a layout.
func subLayout(l layout.Layout, from, to int) layout.Layout {
	return layout.Layout{Shape: l.Shape[from:to], Strides: l.Strides[from:to]}
}
