package form

import (
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Scans run along whole lines, so each scan is a loop of its own, which reads and writes buffers. In a row group these
// buffers are blocks of rows that stay in the cache.

// scan returns the step of the scan v.
func (l *looper) scan(v *ir.Value) plan.Step {
	role := plan.Scan
	if v.Attr.Exclusive {
		role = plan.ScanExclusive
	}
	s := l.along(v, role, v.Op.Info().By)
	s.Body, _ = s.Body.Canonical()
	return s
}

// subLayout returns the axes from, ..., to-1 of a layout, without its offset.
func subLayout(l layout.Layout, from, to int) layout.Layout {
	return layout.Layout{Shape: l.Shape[from:to], Strides: l.Strides[from:to]}
}
