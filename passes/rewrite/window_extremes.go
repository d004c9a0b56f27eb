package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// This file computes minima and maxima of overlapping windows by doubling: the minimum of a window is the lesser of
// the minima of its halves, which neighbouring windows share. Example: windows of 50 elements take 2, 4, 8, 16, 32,
// and then two overlapping windows of 32, so 6 comparisons per window instead of 49. The result is the same, because
// the order of operands does not matter for min and max.

// overlapping reports whether v is the minima or maxima of windows for which doubling takes fewer comparisons.
// Doubling computes a window at every position, even if v steps over some.
func overlapping(v *ir.Value) bool {
	w, by := v.Args[0], v.Op.Info().By
	return w.Op == ir.OpWindow && (by == ir.OpMin || by == ir.OpMax) && Size(w.Type.Shape) > 0 &&
		slices.Equal(v.Attr.Axes, []int{len(w.Type.Shape) - 1}) && w.Attr.Size >= leastOverlap*w.Attr.Step
}

// doubled returns v computed by doubling. overlapping(v) must hold.
func (r *reducer) doubled(v *ir.Value) *ir.Value {
	w, by, x := v.Args[0].Attr, v.Op.Info().By, v.Args[0].Args[0]
	from := func(begin, count, step int) *ir.Value {
		return r.add(ir.OpSlice, ir.Attr{Axis: w.Axis, Begin: ir.Fixed(begin), Len: ir.Fixed(count), Step: step}, x)
	}
	n := Extents(x)[w.Axis]
	for have := 1; have < w.Size; {
		add := min(have, w.Size-have)
		n -= add * w.Dilation
		x = r.add(by, ir.Attr{}, from(0, n, 1), from(add*w.Dilation, n, 1))
		if have += add; have < w.Size {
			x = r.add(ir.OpCopy, ir.Attr{}, x) // the next level reads it twice
		}
	}
	return from(0, (n-1)/w.Step+1, w.Step)
}
