package form

import (
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Scans run along whole lines, so each is a loop of its own: between buffers, and
// fused with nothing. A row group hands its rows on to others through the cache.

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
