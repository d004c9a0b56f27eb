package form

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// Reading a padded value inside its padding, for the pass placement. The value is then stored once. This file decides
// whether all readers can, and redirects them.

// readInside redirects the readers of x, except v, which pads x, to the elements of x inside the padding, and reports
// whether it did. It changes nothing if some reader could be computed in the loop of x, or would then read shorter
// lines.
func (p *placer) readInside(x, v *ir.Value, inside location) bool {
	if !p.padding[v] || p.results[x] || !x.Op.IsElementwise() || !slices.Contains(v.Args, x) {
		return false
	}
	var layouts []layout.Layout
	for _, r := range p.readers[x] {
		l, ok := p.inside(r, x, inside.at)
		if !ok && r != v {
			return false
		}
		layouts = append(layouts, l)
	}
	again := p.s.readAs(inside.in, inside.at, x)
	for i, r := range p.readers[x] {
		switch {
		case r.Op == ir.OpAccess:
			attr := *r.Attr
			attr.At = &layouts[i]
			r.Args[0], r.Attr = inside.in, &attr
		case r != v:
			for k, a := range r.Args {
				if a == x {
					r.Args[k] = again
				}
			}
		}
	}
	return true
}

// inside returns the layout with which the reader r of x reads the elements of x inside the padding. It fails if r
// cannot, or would lose speed: see readInside.
func (p *placer) inside(r, x *ir.Value, at layout.Layout) (l layout.Layout, ok bool) {
	rank := len(at.Shape)
	switch {
	case r.Op == ir.OpAccess:
		l, ok = within(*r.Attr.At, rewrite.Extents(x), at)
		return l, ok && line(l) >= line(*r.Attr.At)
	case r.Op.IsElementwise() && p.level[r.ID] > p.level[x.ID] && rank > 0 && at.Shape[rank-1] >= rewrite.LeastColumns:
		ls := []layout.Layout{at}
		for _, a := range r.Args {
			if !rewrite.IsConst(a) && a != x {
				ls = append(ls, rewrite.LayoutOf(a))
			}
		}
		_, ok = layout.Refine(ls...)
		return at, ok
	}
	return l, false
}

// line returns the number of elements in the longest run with one stride that ends with the last axis of a layout.
func line(l layout.Layout) int {
	shape := l.Collapse().Shape
	if len(shape) == 0 {
		return 1
	}
	return shape[len(shape)-1]
}

// within translates a view of a row-major array to an array of the same shape that has the layout at. It fails if the
// view steps past the end of one axis to the next index of another.
func within(view layout.Layout, shape []int, at layout.Layout) (l layout.Layout, ok bool) {
	first, err := layout.Unravel(shape, view.Offset)
	if err != nil {
		return l, false
	}
	l = layout.Layout{Shape: view.Shape, Strides: make([]int, len(view.Strides)), Offset: at.At(first...)}
	least, most := slices.Clone(first), slices.Clone(first)
	for k, n := range view.Shape {
		stride, sign := view.Strides[k], 1
		if stride < 0 {
			stride, sign = -stride, -1
		}
		step, err := layout.Unravel(shape, stride)
		if n > 1 && err != nil {
			return l, false
		}
		for axis := range step {
			l.Strides[k] += sign * step[axis] * at.Strides[axis]
			least[axis] += min(0, sign*step[axis]*(n-1))
			most[axis] += max(0, sign*step[axis]*(n-1))
		}
	}
	for axis, n := range shape {
		if least[axis] < 0 || most[axis] >= n {
			return l, false
		}
	}
	return l, true
}
