package kernel

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// Nth: selection. It is written by hand.

// The fields of Nth: the number of elements of a line, the bytes between its elements, places and results, and the words
// of scratch memory.
const (
	nthLine = Field0 + iota
	nthAcross
	nthAcrossPlaces
	nthAcrossOut
	nthWork
)

// nthLeast and nthMost are the least and the greatest number of words of each scratch memory. Several short lines fit into
// the least one. A line that does not fit into the greatest one is read once or twice to find few enough elements.
const nthLeast, nthMost = 1 << 10, 1 << 17

// NthWork returns the words of scratch memory for lines of n elements.
func NthWork(n int) int { return min(max(n, nthLeast), nthMost) }

// nthArgs are the lines, the places, the elements and two scratch memories.
func nthArgs(m *Micro) []Arg {
	work := Arg{DType: ir.Int64, Out: true, Work: true, Outer: One, Inner: nthWork}
	return []Arg{{DType: m.Type, Outer: Rows, Inner: nthLine, Across: nthAcross}, {DType: ir.Int64, Outer: Rows, Inner: Cols, Across: nthAcrossPlaces},
		{DType: m.Type, Out: true, Outer: Rows, Inner: Cols, Across: nthAcrossOut}, work, work}
}

// nthLimits requires an element: without one there is no place.
func nthLimits(*Micro) []Limit { return []Limit{{Extent: nthLine, Least: 1, Most: math.MaxInt32}} }

// nthFit reports whether the scratch memories are large enough.
func nthFit(_, _ int, fields []int) bool {
	return NthWork(fields[nthLine-Field0]) <= fields[nthWork-Field0]
}

func nthMeaning(m *Micro, _ *Kernel) Reference {
	return func(f ir.Arithmetic, b Block) {
		line, places := make([]uint64, b.Field(0)), make([]uint64, b.Cols())
		for r := range b.Rows() {
			for c := range line {
				line[c] = b.Get(0, r, c)
			}
			for c := range places {
				places[c] = b.Get(1, r, c)
			}
			for c, e := range ir.OpNth.Info().Line(f, ir.OpNth, m.Type, [][]uint64{line, places}) {
				b.Set(2, r, c, e)
			}
		}
	}
}
