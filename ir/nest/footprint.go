package nest

import (
	"math"
	"slices"
	"sort"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// The footprint of an argument: the bytes that it touches over all iterations of the enclosing loops. The input is the loops, and
// the dimensions of one call's block, each with a stride. The output is the least and greatest byte, the number of elements, and
// the bytes as a layout.
//
// The extent of a loop or a dimension may be N times the indices covered by the present iteration of another loop, its parent. So
// loops and dimensions form a forest, which is computed from the roots. Every product and sum is checked: see checked.

// checked computes with ints. bad is set once a result exceeds int.
type checked struct{ bad bool }

func (c *checked) mul(a, b int) int {
	p, ok := layout.MulInt(a, b)
	c.bad = c.bad || !ok
	return p
}

func (c *checked) add(a, b int) int {
	s, ok := layout.AddInt(a, b)
	c.bad = c.bad || !ok
	return s
}

// maxChain is the greatest number of loops of which each takes its extent from the one before.
const maxChain = 6

// loop is a loop that encloses a call.
type loop struct {
	parent int // the loop that the extent depends on, or -1
	n      int // the extent, in units of the indices that the parent covers
	tile   int
	most   int   // the greatest extent
	covers []int // the numbers of indices that its iterations may cover
	chain  int   // the number of loops it depends on, itself included
}

// count returns the greatest number of iterations of the loop.
func (l *loop) count() int { return (l.most-1)/l.tile + 1 }

// newLoop returns a loop inside other loops. The extent must be positive.
func newLoop(c *checked, outer []loop, l Loop) loop {
	out := loop{parent: l.Extent.Loop, n: l.Extent.N, tile: l.Tile, chain: 1}
	if out.parent >= 0 {
		out.chain += outer[out.parent].chain
	}
	for _, extent := range sizes(c, outer, l.Extent) {
		out.most = max(out.most, extent)
		if extent >= l.Tile {
			out.covers = append(out.covers, l.Tile)
		}
		if extent%l.Tile > 0 {
			out.covers = append(out.covers, extent%l.Tile)
		}
	}
	sort.Ints(out.covers)
	out.covers = slices.Compact(out.covers)
	return out
}

// sizes returns the possible values of a size.
func sizes(c *checked, loops []loop, s Size) []int {
	if s.Loop < 0 {
		return []int{s.N}
	}
	var out []int
	for _, n := range loops[s.Loop].covers {
		out = append(out, c.mul(s.N, n))
	}
	return out
}

// dim is a dimension of a block: N times the indices that the parent covers, stride bytes apart.
type dim struct {
	parent, n, stride int
}

// footprint is an argument with its enclosing loops.
type footprint struct {
	loops   []loop
	strides []int // of the loops, in bytes
	dims    []dim
	begin   int // bytes
	size    int // bytes of an element
}

// bounds returns the least and the greatest distance in bytes from begin to an element, over the loops and dimensions whose
// parent covers n indices.
func (f *footprint) bounds(c *checked, parent, n int) (lo, hi int) {
	for _, d := range f.dims {
		if d.parent == parent {
			end := c.mul(c.mul(d.n, n)-1, d.stride)
			lo, hi = c.add(lo, min(0, end)), c.add(hi, max(0, end))
		}
	}
	for k, l := range f.loops {
		if l.parent != parent {
			continue
		}
		least, greatest := math.MaxInt, math.MinInt
		extent := c.mul(l.n, n)
		for _, at := range []int{0, extent/l.tile - 1, extent / l.tile} {
			if covers := min(l.tile, extent-at*l.tile); at >= 0 && covers > 0 && !c.bad {
				from := c.mul(at, f.strides[k])
				a, b := f.bounds(c, k, covers)
				least, greatest = min(least, c.add(from, a)), max(greatest, c.add(from, b))
			}
		}
		if least <= greatest {
			lo, hi = c.add(lo, least), c.add(hi, greatest)
		}
	}
	return lo, hi
}

// elems returns the number of elements that all iterations touch together, over the loops and dimensions whose parent covers n
// indices. An element counts as often as it is touched.
func (f *footprint) elems(c *checked, parent, n int) int {
	all := 1
	for _, d := range f.dims {
		if d.parent == parent {
			all = c.mul(all, c.mul(d.n, n))
		}
	}
	for k, l := range f.loops {
		if l.parent != parent {
			continue
		}
		extent, sum := c.mul(l.n, n), 0
		if whole := extent / l.tile; whole > 0 {
			sum = c.mul(whole, f.elems(c, k, l.tile))
		}
		if rest := extent % l.tile; rest > 0 {
			sum = c.add(sum, f.elems(c, k, rest))
		}
		all = c.mul(all, sum)
	}
	return all
}

// axis is a dimension of a layout in bytes.
type axis struct{ n, stride int }

// axes returns as axes the loops from the given one on, the dimensions, and the bytes of an element. A loop is merged into one axis with
// a child if its step is exactly what the child covers. For other loops the last iteration counts as a whole one, so the
// axes may touch more than the argument does.
func (f *footprint) axes(c *checked, from int) []axis {
	parts := slices.Clone(f.dims)
	var out []axis
	for k := len(f.loops) - 1; k >= from; k-- {
		l := &f.loops[k]
		count, merged := l.count(), false
		for i := range parts {
			d := &parts[i]
			switch {
			case d.parent != k:
			case count == 1 || !merged && f.strides[k] == c.mul(c.mul(l.tile, d.n), d.stride):
				merged = true
				d.parent, d.n = l.parent, c.mul(d.n, l.n)
			default:
				d.parent, d.n = -1, c.mul(d.n, min(l.tile, l.most))
			}
		}
		if !merged && count > 1 {
			parts = append(parts, dim{-1, count, f.strides[k]})
		}
	}
	for _, d := range parts {
		if d.parent >= 0 {
			l := &f.loops[d.parent]
			d.n = c.mul(d.n, min(l.tile, l.most))
		}
		out = append(out, axis{d.n, d.stride})
	}
	return append(out, axis{f.size, 1})
}
