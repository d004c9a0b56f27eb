package kernel

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// The fields of DotBatch. Its rows are small matrices: a row of the output has the elements of a product, row after row.
const (
	DotBatchPairs    = iota // columns of a left matrix, rows of a right one
	DotBatchCols            // columns of a product, and of a right matrix, where they are contiguous
	DotBatchLeft            // elements that a left matrix spans
	DotBatchRight           // elements that a right matrix spans
	DotBatchLeftRow         // elements from one row of a left matrix to the next
	DotBatchLeftPair        // elements from one column of it to the next
	DotBatchRightRow        // elements from one row of a right matrix to the next
)

var dotBatchFields = []string{"pairs", "columns", "left", "right", "left_row", "left_pair", "right_row"}

// DotBatchColumns is the greatest number of columns of a product.
const DotBatchColumns = 8

func dotBatchArgs(m *Micro) []Arg {
	return []Arg{{DType: m.Type, Outer: Rows, Inner: Field0 + DotBatchLeft}, {DType: m.Type, Outer: Rows, Inner: Field0 + DotBatchRight},
		{DType: m.Type, Out: true, Outer: Rows, Inner: Cols}}
}

func dotBatchLimits(*Micro) []Limit {
	limits := []Limit{{Extent: Field0 + DotBatchPairs, Least: 1, Most: ir.DotChunk}, {Extent: Field0 + DotBatchCols, Least: 1, Most: DotBatchColumns}}
	for f := Extent(DotBatchLeft); f <= DotBatchRightRow; f++ {
		limits = append(limits, Limit{Extent: Field0 + f, Most: math.MaxInt32})
	}
	return limits
}

// dotBatchFit reports whether a block has whole rows of the products, and whether the matrices are within their spans.
func dotBatchFit(_, cols int, fields []int) bool {
	f := func(i int) int64 { return int64(fields[i]) }
	last := max(int64(cols)/f(DotBatchCols), 1) - 1
	return int64(cols)%f(DotBatchCols) == 0 && last*f(DotBatchLeftRow)+(f(DotBatchPairs)-1)*f(DotBatchLeftPair) < f(DotBatchLeft) &&
		(f(DotBatchPairs)-1)*f(DotBatchRightRow)+f(DotBatchCols) <= f(DotBatchRight)
}

func dotBatchMeaning(m *Micro, _ *Kernel) Reference {
	by := ir.OpDot.Info().By
	return func(f ir.Arithmetic, b Block) {
		x, y := make([]uint64, b.Field(DotBatchPairs)), make([]uint64, b.Field(DotBatchPairs))
		for r := range b.Rows() {
			for c := range b.Cols() {
				row, col := c/b.Field(DotBatchCols), c%b.Field(DotBatchCols)
				for k := range x {
					x[k] = b.Get(0, r, row*b.Field(DotBatchLeftRow)+k*b.Field(DotBatchLeftPair))
					y[k] = b.Get(1, r, k*b.Field(DotBatchRightRow)+col)
				}
				b.Set(2, r, c, f.DotLine(by, m.Type, x, y, false))
			}
		}
	}
}
