package layout

import (
	"cmp"
	"slices"
)

// Injective reports whether no two indices share a location. It uses a rule that is exact for every permuted and strided
// array: the stride of an axis exceeds what the axes of smaller strides reach together.
func Injective(l Layout) bool {
	axes := []int{}
	for k, n := range l.Shape {
		if n == 0 {
			return true
		}
		if n > 1 {
			axes = append(axes, k)
		}
	}
	size := func(k int) int { return max(l.Strides[k], -l.Strides[k]) }
	slices.SortStableFunc(axes, func(a, b int) int { return cmp.Compare(size(a), size(b)) })
	reach := 0
	for _, k := range axes {
		if size(k) <= reach {
			return false
		}
		reach = Advance(reach, l.Shape[k]-1, size(k))
	}
	return true
}

// Apart reports whether two layouts are certain to have no location in common. An empty layout has no location.
func Apart(a, b Layout) bool {
	if a.Size() == 0 || b.Size() == 0 {
		return true
	}
	x, y := newSpan(a), newSpan(b)
	return x.apart(y) || y.apart(x)
}

// span is a set of locations: lo plus any combination of the axes. The strides are positive and descending. hi is behind the last
// location.
type span struct {
	lo, hi int
	axes   []spanAxis
}

type spanAxis struct{ n, stride int }

func newSpan(l Layout) span {
	lo, hi := l.Bounds()
	s := span{lo: lo, hi: hi + 1}
	for k, n := range l.Shape {
		if stride := max(l.Strides[k], -l.Strides[k]); n > 1 && stride != 0 {
			s.axes = append(s.axes, spanAxis{n, stride})
		}
	}
	slices.SortStableFunc(s.axes, func(a, b spanAxis) int { return cmp.Compare(b.stride, a.stride) })
	axes := s.axes[:0]
	for _, a := range s.axes { // merge contiguous rows
		if k := len(axes) - 1; k >= 0 && axes[k].stride == a.n*a.stride {
			a.n *= axes[k].n
			axes = axes[:k]
		}
		axes = append(axes, a)
	}
	s.axes = axes
	return s
}

// apart reports whether one of two spans ends before the other begins, or does so at each index of the axes of the greatest
// stride, if both together are no longer than that stride.
func (a span) apart(b span) bool {
	for {
		stride := max(a.leading(), b.leading())
		if a.hi <= b.lo || b.hi <= a.lo {
			return true
		}
		if stride == 0 {
			return false
		}
		a.split(stride)
		b.split(stride)
		a.dropLeading(stride)
		b.dropLeading(stride)
		move := (b.lo - a.lo) / stride * stride
		if b.lo-a.lo < move {
			move -= stride
		}
		b.lo, b.hi = b.lo-move, b.hi-move // b begins at most a stride behind a
		if b.hi-a.lo > stride {
			b.lo, b.hi = b.lo-stride, b.hi-stride // or before it
		}
		if max(a.hi, b.hi)-min(a.lo, b.lo) > stride {
			return false
		}
	}
}

// leading returns the greatest stride, or 0 if there is no axis.
func (a *span) leading() int {
	if len(a.axes) == 0 {
		return 0
	}
	return a.axes[0].stride
}

// split divides the first axis into two if it steps over several multiples of a stride, as contiguous rows do.
func (a *span) split(stride int) {
	if a.leading() == 0 || stride%a.leading() != 0 {
		return
	}
	first, inner := a.axes[0], stride/a.leading()
	if inner > 1 && first.n > inner && first.n%inner == 0 {
		a.axes = append([]spanAxis{{first.n / inner, stride}, {inner, first.stride}}, a.axes[1:]...)
	}
}

// dropLeading removes the leading axes of the given stride.
func (a *span) dropLeading(stride int) {
	for a.leading() == stride {
		a.hi -= (a.axes[0].n - 1) * stride
		a.axes = a.axes[1:]
	}
}
