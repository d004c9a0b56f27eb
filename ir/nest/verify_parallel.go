package nest

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// The check that parallel iterations of one part are independent. All accesses to a memory that is stored to must move alike from
// one iteration to the next. Everything that they touch in one iteration is enclosed in one box, a region. Each byte must
// then belong to the box of one iteration: the stride of a parallel loop must exceed what the axes of smaller strides reach
// together, as in layout.Injective.

// parallelAxis is a parallel loop of more than one iteration.
type parallelAxis struct {
	loop, n, stride int
}

// iterationsApart checks the accesses to one memory by one part.
func (v *verifier) iterationsApart(list []*access) {
	stores := slices.IndexFunc(list, func(a *access) bool { return a.stores })
	if stores < 0 {
		return
	}
	first := list[0]
	var parallel []parallelAxis
	for k, l := range first.loops[:first.outer] {
		if l.count() > 1 {
			parallel = append(parallel, parallelAxis{k, l.count(), first.strides[k]})
		}
	}
	for _, a := range list {
		for _, p := range parallel {
			if a.strides[p.loop] != p.stride {
				v.fail(a.place, "along loop %d it does not move as another argument of the same memory, which is stored", p.loop)
				return
			}
		}
	}
	if len(parallel) == 0 {
		return
	}
	if independent(list, parallel) {
		return
	}
	if len(list) > maxRegions {
		v.fail(list[stores].place, "parallel iterations touch what others store, or more than %d accesses in one part are too many to tell", maxRegions)
		return
	}
	for _, some := range together(list) {
		if i := slices.IndexFunc(some, func(a *access) bool { return a.stores }); i >= 0 && !independent(some, parallel) {
			v.fail(some[i].place, "parallel iterations touch what others store")
			return
		}
	}
}

// independent reports whether each iteration touches other bytes than the others.
func independent(list []*access, parallel []parallelAxis) bool {
	var c checked
	return (boxesApart(&c, list, parallel) || spansApart(&c, list, parallel)) && !c.bad
}

// together divides accesses into groups, so that different groups touch no common byte in any iterations. The segments of a
// concatenation are such groups: one box around all of them would overlap that of the next iteration.
func together(list []*access) (groups [][]*access) {
	for _, a := range list {
		one := []*access{a}
		groups = slices.DeleteFunc(groups, func(g []*access) bool {
			if !slices.ContainsFunc(g, func(b *access) bool { return !a.all.apart(&b.all) }) {
				return false
			}
			one = append(one, g...)
			return true
		})
		groups = append(groups, one)
	}
	return groups
}

// spansApart reports whether the spans of all iterations are disjoint; a span is the bytes from the first to the last that an iteration
// touches. A box can be larger than the span, for example one around lines with a gap.
func spansApart(c *checked, list []*access, parallel []parallelAxis) bool {
	lo, hi := math.MaxInt, math.MinInt
	for _, r := range regionsOf(c, list, never, 0) {
		lo, hi = min(lo, r.lo), max(hi, r.hi)
	}
	reach := c.add(hi, -lo) - 1
	for _, p := range parallel { // in the order of their strides
		stride := max(p.stride, c.mul(p.stride, -1))
		if stride <= reach {
			return false
		}
		reach = c.add(reach, c.mul(p.n-1, stride))
	}
	return true
}

// boxesApart reports whether the boxes of all iterations are disjoint. It sorts the loops by their strides.
func boxesApart(c *checked, list []*access, parallel []parallelAxis) bool {
	abs := func(p parallelAxis) int { return max(p.stride, c.mul(p.stride, -1)) }
	slices.SortStableFunc(parallel, func(p, q parallelAxis) int { return cmp.Compare(abs(p), abs(q)) })
	box := boxOf(c, list, never, 0)
	reach, below, k := 0, 0, len(box.axes)-1 // what is in reach has strides below
	for _, p := range parallel {
		stride, inner := abs(p), reach
		for ; k >= 0 && box.axes[k].stride < stride; k-- {
			if box.axes[k].stride <= inner {
				return false
			}
			inner = c.add(inner, c.mul(box.axes[k].n-1, box.axes[k].stride))
		}
		if stride <= inner {
			return false
		}
		last := inner
		if rest, ok := lastBox(c, list, p, box, below); ok {
			last = c.add(reach, rest)
		}
		below = stride
		reach = max(c.add(c.mul(p.n-2, stride), inner), c.add(c.mul(p.n-1, stride), last))
	}
	for ; k >= 0; k-- {
		if box.axes[k].stride <= reach {
			return false
		}
		reach = c.add(reach, c.mul(box.axes[k].n-1, box.axes[k].stride))
	}
	return true
}

// lastBox returns the reach, in the last iteration of a parallel loop, of the axes whose strides are between below and that loop's. It
// applies if that iteration is smaller than the others and its box begins as theirs does.
func lastBox(c *checked, list []*access, p parallelAxis, box region, below int) (reach int, ok bool) {
	l := list[0].loops[p.loop]
	if l.parent >= 0 || l.most%l.tile == 0 || p.stride < 0 {
		return 0, false
	}
	last := boxOf(c, list, p.loop, l.most%l.tile)
	var small, lastSmall []axis
	for _, a := range box.axes {
		if a.stride < below {
			small = append(small, a)
		}
	}
	for _, a := range last.axes {
		if a.stride < below {
			lastSmall = append(lastSmall, a)
		} else if a.stride < p.stride {
			reach = c.add(reach, c.mul(a.n-1, a.stride))
		}
	}
	return reach, last.lo == box.lo && slices.Equal(small, lastSmall)
}

// boxOf returns a region around everything that accesses touch in one parallel iteration. Loop k has the given extent, unless k
// is never.
func boxOf(c *checked, list []*access, k, extent int) region {
	return boxAround(c, regionsOf(c, list, k, extent))
}

// regionsOf returns the region of each access in one parallel iteration, as boxOf does.
func regionsOf(c *checked, list []*access, k, extent int) (regions []region) {
	for _, a := range list {
		f := a.footprint
		if k != never {
			f.loops = clipped(f.loops, k, extent)
		}
		regions = append(regions, newRegion(c, a.begin, f.axes(c, a.outer)))
	}
	return regions
}

// boxAround returns a region around the given regions. Regions that reach farthest come first, among them those with more axes.
// The others are then parts of them, or beside them along one of these axes.
func boxAround(c *checked, regions []region) region {
	sort.SliceStable(regions, func(i, j int) bool {
		r, s := &regions[i], &regions[j]
		return cmp.Or(cmp.Compare(s.hi-s.lo, r.hi-r.lo), len(s.axes)-len(r.axes)) < 0
	})
	box := regions[0]
	for _, r := range regions[1:] {
		if !box.contains(&r) {
			box = box.widen(c, &r)
		}
	}
	return box
}

// clipped returns the loops, with the given extent for one of them.
func clipped(loops []loop, k, extent int) []loop {
	loops = slices.Clone(loops)
	loops[k].most = extent
	for i := k + 1; i < len(loops); i++ {
		if l := &loops[i]; l.parent >= 0 {
			l.most = l.n * min(loops[l.parent].tile, loops[l.parent].most) // not more than before
		}
	}
	return loops
}

// widen returns a region with the bytes of two.
func (r *region) widen(c *checked, s *region) region {
	if r.lo > s.lo {
		r, s = s, r
	}
	axes := slices.Clone(r.axes)
	for _, a := range s.axes {
		if !slices.ContainsFunc(axes, func(b axis) bool { return a.stride == b.stride }) {
			axes = append(axes, axis{1, a.stride})
		}
	}
	slices.SortStableFunc(axes, func(a, b axis) int { return cmp.Compare(b.stride, a.stride) })
	rest := s.lo - r.lo
	for k := range axes {
		n := 1
		for _, a := range s.axes {
			if a.stride == axes[k].stride {
				n = a.n
			}
		}
		axes[k].n = max(axes[k].n, n)
		if k == len(axes)-1 && rest > c.mul(axes[k].n, axes[k].stride) {
			break // beside each other, not one behind the other
		}
		axes[k].n = max(axes[k].n, c.add(n, rest/axes[k].stride))
		rest %= axes[k].stride
	}
	if rest > 0 {
		axes = append(axes, axis{2, rest})
	}
	return newRegion(c, r.lo, axes)
}
