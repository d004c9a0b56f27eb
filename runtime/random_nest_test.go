package runtime_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// randomNest draws programs of nests of any depth: each call reads blocks that lie anyhow
// in the params, and stores a block of its own of the result, through scratch memory or
// directly.
type randomNest struct {
	t    *rapid.T
	m    maker
	part []nest.Nest

	slots   []nest.Slot
	loops   []nest.Loop // that enclose what is drawn
	counts  []int       // of their iterations at most
	most    []int       // indices of an iteration at most
	written int         // elements of the result that have an owner
}

const (
	randomParam = 4000 // elements
	randomSlot  = 300  // elements of scratch memory
)

func drawNests(t *rapid.T) *nest.Program {
	r := &randomNest{t: t}
	x, y, out := r.m.param(randomParam), r.m.param(randomParam), r.m.result(0)
	r.slots = []nest.Slot{x, y, out, scratchSlot(randomSlot), scratchSlot(randomSlot),
		{Kind: nest.Table, DType: f32, Elems: 3, Bits: 7}}
	for range rapid.IntRange(1, 3).Draw(t, "parts") {
		r.part = append(r.part, *r.nest(2))
	}
	r.m.p.Buffers[out.Buffer].Shape = []int{r.written}
	r.m.task(r.written, r.slots, r.part...)
	return &r.m.p
}

// nest draws a nest with others inside, so many levels at most.
func (r *randomNest) nest(levels int) *nest.Nest {
	depth := len(r.loops)
	n := &nest.Nest{}
	for range rapid.IntRange(0, 2).Draw(r.t, "loops") {
		l := nest.Loop{Extent: nest.Fixed(rapid.IntRange(0, 12).Draw(r.t, "extent")), Tile: rapid.IntRange(1, 5).Draw(r.t, "tile")}
		extent := l.Extent.N
		if outer := len(r.loops); outer > 0 && rapid.Bool().Draw(r.t, "tiles") {
			k := rapid.IntRange(0, outer-1).Draw(r.t, "of")
			l.Extent = nest.Size{Loop: k, N: rapid.IntRange(1, 2).Draw(r.t, "times")}
			extent = l.Extent.N * r.most[k]
		}
		n.Loops = append(n.Loops, l)
		r.loops, r.counts, r.most = append(r.loops, l), append(r.counts, (extent+l.Tile-1)/l.Tile), append(r.most, min(l.Tile, extent))
	}
	for range rapid.IntRange(1, 2).Draw(r.t, "items") {
		if levels > 0 && rapid.Bool().Draw(r.t, "nest") {
			n.Items = append(n.Items, nest.Item{Nest: r.nest(levels - 1)})
		} else {
			n.Items = append(n.Items, r.calls()...)
		}
	}
	r.loops, r.counts, r.most = r.loops[:depth], r.counts[:depth], r.most[:depth]
	return n
}

// size draws a size, and returns the largest that it is.
func (r *randomNest) size(limit int) (nest.Size, int) {
	if len(r.loops) > 0 && rapid.Bool().Draw(r.t, "sized") {
		k := rapid.IntRange(0, len(r.loops)-1).Draw(r.t, "size of")
		return nest.Of(k), r.most[k]
	}
	n := rapid.IntRange(1, limit).Draw(r.t, "size")
	return nest.Fixed(n), n
}

// calls draws a call that stores a block of the result, or two that do so through scratch
// memory.
func (r *randomNest) calls() []nest.Item {
	rows, mostRows := r.size(4)
	cols, mostCols := r.size(9)
	block := mostRows * mostCols
	step := mostCols + rapid.IntRange(0, 3).Draw(r.t, "gap")
	out := at(2, r.written, step, make([]int, len(r.loops))...)
	size := (max(mostRows, 1)-1)*step + mostCols
	for k := len(r.loops) - 1; k >= 0; k-- {
		out.Strides[k] = size
		size *= r.counts[k]
	}
	if r.written += size; block == 0 || size == 0 {
		return nil
	}
	x := r.input(mostRows, mostCols, 1)
	sub := single(ir.OpSub, unit, unit)
	if rapid.Bool().Draw(r.t, "direct") {
		return []nest.Item{callOf(sub, rows, cols, x, r.input(mostRows, mostCols, 1), out)}
	}
	register := at(3+rapid.IntRange(0, 1).Draw(r.t, "register"), 0, mostCols, make([]int, len(r.loops))...)
	register.Offset = rapid.IntRange(0, randomSlot-block).Draw(r.t, "place")
	if len(r.loops) > 0 { // where it moves in scratch memory it must not leave it
		k := rapid.IntRange(0, len(r.loops)-1).Draw(r.t, "moved by")
		if room := randomSlot - block - register.Offset; r.counts[k] > 1 {
			register.Strides[k] = rapid.IntRange(0, room/(r.counts[k]-1)).Draw(r.t, "moves")
		}
	}
	splatted := single(ir.OpSub, unit, splat)
	y := r.input(mostRows, 1, 0)
	if rapid.Bool().Draw(r.t, "table") {
		y = at(5, rapid.IntRange(0, 2).Draw(r.t, "of the table"), 0, make([]int, len(r.loops))...)
	}
	return []nest.Item{callOf(sub, rows, cols, x, r.input(mostRows, mostCols, 1), register), callOf(splatted, rows, cols, register, y, out)}
}

// input draws an argument that reads a param somewhere.
func (r *randomNest) input(rows, cols, across int) nest.Arg {
	a := at(rapid.IntRange(0, 1).Draw(r.t, "param"), 0, rapid.IntRange(-10, 10).Draw(r.t, "step"))
	if rapid.Bool().Draw(r.t, "dense") {
		a.Step = cols * across
	}
	lo, hi := min(0, a.Step*(rows-1)), max(0, a.Step*(rows-1))+(cols-1)*across
	for _, n := range r.counts {
		room := (randomParam - 1 - (hi - lo)) / max(n, 1)
		by := rapid.IntRange(-min(room, 40), min(room, 40)).Draw(r.t, "stride")
		a.Strides = append(a.Strides, by)
		lo, hi = lo+min(0, by*(n-1)), hi+max(0, by*(n-1))
	}
	a.Offset = rapid.IntRange(-lo, randomParam-1-hi).Draw(r.t, "offset")
	return a
}

func TestRandomNests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkNests(t, drawNests(t)) })
}
