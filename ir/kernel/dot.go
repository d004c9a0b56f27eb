package kernel

import "github.com/stridefuse/stridefuse/ir"

// DotColumns returns how many columns of the product are 64 bytes of a row, a cache line. A call of Dot computes
// twice as many at most, one on windows as many. Packed panels of its second argument have as many, or twice as many: see
// tuning.MatmulBlocks.
func DotColumns(d ir.DType) int { return 64 / d.Size() }

// DotRows is how many rows of the product a tile has that stays in 16 vector registers, with
// DotColumns columns; other tiles have a half or twice as many. A call on a multiple has no
// remainder of fewer rows.
const DotRows = 6

// DotTransposedRows is how many contiguous rows of float32 AVX-512 transposes in registers, in blocks of as many pairs. It
// multiplies them by half of DotColumns columns at most; the number of pairs is a multiple of it.
const DotTransposedRows = 16

// DotPackedStep returns how many elements apart packed rows of the first argument are: a chunk and a cache line, an odd number of
// lines, so that rows are in different sets of the first-level cache. Tiles of 512 bits have a loop for such rows.
func DotPackedStep(d ir.DType) int { return ir.DotChunk + DotColumns(d) }

// DotOf returns the micro-kernel of products whose pairs an op multiplies.
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
	DotNext          // bytes from the second argument to the part of it that the next call reads: a prefetch hint
)
