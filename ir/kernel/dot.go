package kernel

import "github.com/stridefuse/stridefuse/ir"

// DotColumns returns the number of columns of the product in 64 bytes of a row, a cache line. A call of Dot computes at most twice
// as many, a call on windows as many. Packed panels of its second argument have as many, or twice as many: see
// tuning.MatmulBlocks.
func DotColumns(d ir.DType) int { return 64 / d.Size() }

// DotRows is the number of rows of a tile of the product that stays in 16 vector registers, with DotColumns columns. Other tiles have
// half or twice as many. A call on a multiple of DotRows leaves no smaller rest.
const DotRows = 6

// DotTransposedRows is the number of contiguous rows of float32 that AVX-512 transposes in registers, in blocks of as many pairs. It
// multiplies them by at most half of DotColumns columns. The number of pairs is a multiple of it.
const DotTransposedRows = 16

// DotPackedStep returns the distance, in elements, of packed rows of the first argument: a chunk and a cache line. That is an odd number
// of cache lines, so rows are in different sets of the first-level cache. Tiles of 512 bits have a loop for such rows.
func DotPackedStep(d ir.DType) int { return ir.DotChunk + DotColumns(d) }

// DotOf returns the micro-kernel of products whose pairs the given op multiplies.
func DotOf(by ir.Op) MicroKind {
	if by == ir.OpMulHalves {
		return DotHalves
	}
	return Dot
}

// The fields of Dot: see Micro.FieldAt.
const (
	DotAcross = iota // bytes from one element of a row of the first argument to the next
	DotPairs         // columns of the first argument, rows of the second; 1 to ir.DotChunk
	DotAdds          // if not 0, the product is added to what the output holds
	DotNext          // bytes from the second argument to its part for the next call: a prefetch hint
)
