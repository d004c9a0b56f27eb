package kernel

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// Search: binary searches in sorted rows. It is written by hand.

// SearchElems is the greatest number of elements that a call of assembly searches for: 0.1 ms in a large table.
const SearchElems = 1024

var searchOps = lineOps((*ir.OpInfo).Searches)

// searchArgs are the lines, the elements to search for, and their positions.
func searchArgs(m *Micro) []Arg {
	return []Arg{{DType: m.Type, Outer: Rows, Inner: Field0, Across: Field0 + 1}, {DType: m.Type, Outer: Rows, Inner: Cols, Across: Field0 + 2},
		{DType: ir.LineType(m.Op, m.Type), Out: true, Outer: Rows, Inner: Cols, Across: Field0 + 3}}
}

// searchLimits bounds the length of a line: positions of the assembly have 32 bits.
func searchLimits(*Micro) []Limit { return []Limit{{Extent: Field0, Most: math.MaxInt32}} }

func searchMeaning(m *Micro, _ *Kernel) Reference {
	return func(f ir.Arithmetic, b Block) {
		line, y := make([]uint64, b.Field(0)), make([]uint64, b.Cols())
		for r := range b.Rows() {
			for c := range line {
				line[c] = b.Get(0, r, c)
			}
			for c := range y {
				y[c] = b.Get(1, r, c)
			}
			for c, place := range m.Op.Info().Line(f, m.Op, m.Type, [][]uint64{line, y}) {
				b.Set(2, r, c, place)
			}
		}
	}
}
