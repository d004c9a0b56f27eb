package kernel

import "github.com/stridefuse/stridefuse/ir"

// Places: the position of the least or greatest element of each column of a block of rows. It is written by hand. A vector holds
// elements of several columns, as narrow as they are in memory.

// placeOps are the ops that find the position of one element of a line.
var placeOps = []ir.Op{ir.OpArgMin, ir.OpArgMax}

// placesArgs returns the arguments: the rows, the positions found, and the elements at them. The columns are contiguous.
func placesArgs(m *Micro) []Arg {
	return []Arg{{DType: m.Type, Outer: Field0, Inner: Cols}, {DType: ir.Int32, Out: true, Outer: Rows, Inner: Cols}, {DType: m.Type, Out: true, Outer: Rows, Inner: Cols}}
}

func placesLimits(*Micro) []Limit {
	return []Limit{{Field0, 1, ir.ReduceChunk, true}}
}

func placesMeaning(m *Micro, _ *Kernel) Reference {
	d, wide := m.Type, m.Type.Compute()
	return func(f ir.Arithmetic, b Block) {
		line := make([]uint64, b.Field(0))
		for c := range b.Cols() {
			for i := range line {
				line[i] = f.Cast(d, wide, b.Get(0, i, c))
			}
			place, best := f.ReduceRow(m.Op, wide, line), f.Cast(wide, d, f.ReduceRow(m.Op.Info().By, wide, line))
			for r := range b.Rows() {
				b.Set(1, r, c, place)
				b.Set(2, r, c, best)
			}
		}
	}
}
