package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Windows that overlap share their least and greatest elements. Those of twice as many elements
// are the lesser or greater of two of the half: for windows of 50 elements, 2, 4, 8, 16, 32, and
// then two of 32 that overlap. An element is compared 6 times rather than 49. The result is the
// same, as min and max give the same of equal operands, in any order.

// overlapping reports whether v is the least or the greatest elements of windows of an axis that
// take fewer comparisons so. They begin at every place, whatever the step is.
func overlapping(v *ir.Value) bool {
	w, by := v.Args[0], v.Op.Info().By
	return w.Op == ir.OpWindow && (by == ir.OpMin || by == ir.OpMax) && Size(w.Type.Shape) > 0 &&
		slices.Equal(v.Attr.Axes, []int{len(w.Type.Shape) - 1}) && w.Attr.Size >= leastOverlap*w.Attr.Step
}

// doubled returns what v reduces, for which overlapping holds.
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
			x = r.add(ir.OpCopy, ir.Attr{}, x) // it is read in two places
		}
	}
	return from(0, (n-1)/w.Step+1, w.Step)
}
