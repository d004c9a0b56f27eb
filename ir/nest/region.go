package nest

import (
	"cmp"
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Sets of bytes, as the verifier compares them. Uncertain questions are answered so that the program is refused.

// region is a set of bytes: lo plus any combination of the axes. The strides are positive and descending, and no two axes could be
// merged.
type region struct {
	lo, hi  int // hi is behind the last byte
	axes    []axis
	repeats bool // several combinations are the same byte, because strides were 0
}

// newRegion brings axes into the normal form of a region.
func newRegion(c *checked, lo int, axes []axis) region {
	r := region{lo: lo}
	for _, a := range axes {
		if a.n == 1 {
			continue
		}
		if a.stride < 0 {
			r.lo = c.add(r.lo, c.mul(a.n-1, a.stride))
			a.stride = c.mul(a.stride, -1)
		}
		if r.repeats = r.repeats || a.stride == 0; a.stride > 0 {
			r.axes = append(r.axes, a)
		}
	}
	slices.SortStableFunc(r.axes, func(a, b axis) int { return cmp.Compare(b.stride, a.stride) })
	for k := len(r.axes) - 1; k > 0; k-- {
		outer, inner := &r.axes[k-1], r.axes[k]
		if outer.stride == inner.stride {
			outer.n, r.repeats = c.add(outer.n, inner.n-1), true
			r.axes = slices.Delete(r.axes, k, k+1)
		} else if outer.stride == c.mul(inner.n, inner.stride) {
			*outer = axis{c.mul(outer.n, inner.n), inner.stride}
			r.axes = slices.Delete(r.axes, k, k+1)
		}
	}
	r.hi = c.add(r.lo, 1)
	for _, a := range r.axes {
		r.hi = c.add(r.hi, c.mul(a.n-1, a.stride))
	}
	return r
}

// layout returns the region as a layout.
func (r *region) layout() layout.Layout {
	l := layout.Layout{Offset: r.lo}
	for _, a := range r.axes {
		l.Shape, l.Strides = append(l.Shape, a.n), append(l.Strides, a.stride)
	}
	return l
}

// apart reports whether two regions are certain to have no byte in common.
func (r *region) apart(s *region) bool { return layout.Apart(r.layout(), s.layout()) }

// injective reports whether each byte belongs to one combination of the axes.
func (r *region) injective() bool { return !r.repeats && layout.Injective(r.layout()) }

// contains reports whether all bytes of s are certain to be in r: each axis of r must contain those of s whose strides are
// multiples of its own.
func (r *region) contains(s *region) bool {
	if s.lo < r.lo || s.hi > r.hi {
		return false
	}
	rest, k := s.lo-r.lo, 0
	for _, a := range r.axes {
		last := rest / a.stride
		rest %= a.stride
		for ; k < len(s.axes) && s.axes[k].stride >= a.stride; k++ {
			if s.axes[k].stride%a.stride != 0 {
				return false
			}
			last += (s.axes[k].n - 1) * (s.axes[k].stride / a.stride) // below r.hi
		}
		if last >= a.n {
			return false
		}
	}
	return rest == 0 && k == len(s.axes)
}

// join returns the union of two disjoint regions if it is a region: one must continue the other along an axis.
func (r *region) join(c *checked, s *region) (region, bool) {
	if r.lo > s.lo {
		r, s = s, r
	}
	step := s.lo - r.lo
	for k, a := range r.axes { // s continues r along axis k
		rest := slices.Delete(slices.Clone(r.axes), k, k+1)
		n := 0
		switch {
		case step != c.mul(a.n, a.stride):
		case slices.Equal(rest, s.axes):
			n = 1
		case len(s.axes) == len(r.axes) && s.axes[k].stride == a.stride && slices.Equal(rest, slices.Delete(slices.Clone(s.axes), k, k+1)):
			n = s.axes[k].n
		}
		if n > 0 {
			return newRegion(c, r.lo, append(rest, axis{c.add(a.n, n), a.stride})), true
		}
	}
	for k, a := range s.axes { // r is one index before s
		if rest := slices.Delete(slices.Clone(s.axes), k, k+1); step == a.stride && slices.Equal(rest, r.axes) {
			return newRegion(c, r.lo, append(rest, axis{c.add(a.n, 1), a.stride})), true
		}
	}
	return region{}, false
}
