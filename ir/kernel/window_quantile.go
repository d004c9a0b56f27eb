package kernel

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// WindowQuantile: quantiles of sliding windows. It is written by hand.

// The fields of WindowQuantile: the number of elements of a line, the bytes between its elements, places and results,
// and the words of scratch memory.
const (
	windowLine = Field0 + iota
	windowAcross
	windowAcrossPlaces
	windowAcrossOut
	windowWork
)

// WindowQuantileWork returns the words of scratch memory for windows of size elements.
func WindowQuantileWork(size int) int { return 10 * (size + 1) }

// windowQuantileArgs are the lines, the places, the quantiles and scratch memory.
func windowQuantileArgs(m *Micro) []Arg {
	return []Arg{{DType: m.Type, Outer: Rows, Inner: windowLine, Across: windowAcross}, {DType: m.Type, Outer: Rows, Inner: Cols, Across: windowAcrossPlaces},
		{DType: m.Type, Out: true, Outer: Rows, Inner: Cols, Across: windowAcrossOut}, {DType: ir.Int64, Out: true, Work: true, Outer: One, Inner: windowWork}}
}

// windowQuantileLimits bounds the length of a line: indices have 32 bits.
func windowQuantileLimits(*Micro) []Limit { return []Limit{{Extent: windowLine, Most: math.MaxInt32}} }

// windowQuantileFit reports whether a line has cols windows, and whether the scratch memory is large enough for windows of n-cols+1 elements.
func windowQuantileFit(_, cols int, fields []int) bool {
	n := fields[windowLine-Field0]
	return cols <= n && WindowQuantileWork(n-cols+1) <= fields[windowWork-Field0]
}

func windowQuantileMeaning(m *Micro, _ *Kernel) Reference {
	return func(f ir.Arithmetic, b Block) {
		line, places := make([]uint64, b.Field(0)), make([]uint64, b.Cols())
		for r := range b.Rows() {
			for c := range line {
				line[c] = b.Get(0, r, c)
			}
			for c := range places {
				places[c] = b.Get(1, r, c)
			}
			for c, q := range ir.OpWindowQuantile.Info().Line(f, ir.OpWindowQuantile, m.Type, [][]uint64{line, places}) {
				b.Set(2, r, c, q)
			}
		}
	}
}
