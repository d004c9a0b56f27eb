package layout

import (
	"cmp"
	"math"
	"slices"
)

// Injective reports whether no two indices share a location, by a rule that
// holds for every permuted and strided array: an axis steps over all that the
// axes of smaller strides reach together.
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
	slices.SortFunc(axes, func(a, b int) int { return cmp.Compare(size(a), size(b)) })
	reach := 0
	for _, k := range axes {
		if size(k) <= reach {
			return false
		}
		reach = Advance(reach, l.Shape[k]-1, size(k))
	}
	return true
}

// Apart reports whether two layouts have no location in common, by a rule for runs
// that follow each other: the one ends before the other begins, in all or within
// one index of the leading axes that are the same for both, if the next index lies
// behind.
func Apart(a, b Layout) bool {
	step := math.MaxInt
	a, b = a.Collapse(), b.Collapse()
	for {
		aLo, aHi := a.Bounds()
		bLo, bHi := b.Bounds()
		switch {
		case max(aHi, bHi)-min(aLo, bLo) >= step:
			return false
		case aHi < bLo || bHi < aLo:
			return true
		case len(a.Shape) == 0 || len(b.Shape) == 0 || a.Shape[0] != b.Shape[0] || a.Strides[0] != b.Strides[0]:
			return false
		}
		if a.Shape[0] > 1 {
			step = max(a.Strides[0], -a.Strides[0])
		}
		a, b = a.inner(), b.inner()
	}
}

// inner returns the layout of the first index of the first axis.
func (l Layout) inner() Layout {
	return Layout{Shape: l.Shape[1:], Strides: l.Strides[1:], Offset: l.Offset}
}
