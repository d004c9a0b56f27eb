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

// Apart reports whether two layouts have no location in common: the one ends before the
// other begins, or so it is at each index of the axes of the greatest stride, where both
// together are no longer than that. If it can't tell, they have.
func Apart(a, b Layout) bool {
	a, b = ascending(a), ascending(b)
	for {
		aLo, aHi := a.Bounds()
		bLo, bHi := b.Bounds()
		if aHi < bLo || bHi < aLo || aHi < aLo || bHi < bLo {
			return true
		}
		step := max(a.leading(), b.leading())
		if step == 0 || aLo == math.MinInt || bLo == math.MinInt || aHi == math.MaxInt || bHi == math.MaxInt {
			return false
		}
		a, b = a.within(step, a.Offset), b.within(step, a.Offset)
		aLo, aHi = a.Bounds()
		_, bHi = b.Bounds()
		if max(aHi, bHi)-aLo >= step {
			return false
		}
	}
}

// ascending returns a layout of the same locations with positive strides, the greatest
// first, on as few axes as can be.
func ascending(l Layout) Layout {
	lo, _ := l.Bounds()
	order := make([]int, len(l.Shape))
	for k := range order {
		order[k] = k
	}
	size := func(k int) int { return max(l.Strides[k], -l.Strides[k]) }
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(size(j), size(i)) })
	out := Layout{Offset: lo}
	for _, k := range order {
		out.Shape, out.Strides = append(out.Shape, l.Shape[k]), append(out.Strides, size(k))
	}
	return out.Collapse()
}

// leading returns the stride of the first axis, 0 if there is none.
func (l Layout) leading() int {
	if len(l.Strides) == 0 {
		return 0
	}
	return l.Strides[0]
}

// within returns a layout of the same locations but for multiples of step: at one index of
// the first axis, if that is its stride, or at as many as step has of it. It begins less
// than step behind a location.
func (l Layout) within(step, behind int) Layout {
	switch n := l.leading(); {
	case n == step:
		l.Shape, l.Strides = l.Shape[1:], l.Strides[1:]
	case n > 0 && step%n == 0 && l.Shape[0] > step/n:
		l.Shape = append([]int{step / n}, l.Shape[1:]...)
	}
	if l.Offset -= (l.Offset - behind) / step * step; l.Offset < behind {
		l.Offset += step
	}
	return l
}
