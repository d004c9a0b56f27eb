package tuning

import "github.com/stridefuse/stridefuse/ir"

// MatmulBlocks has the sizes of the blocks of a matrix product, and the limits of its strategies. A product multiplies rows of
// a left operand by columns of a right one; a pair is one multiplication and addition.
type MatmulBlocks struct {
	// PanelBytes is the size of a row of a panel of a right operand: two vectors of the kernels, or four of NEON's, whose tiles
	// have 6 rows of four vectors.
	PanelBytes int
	// LeftBytes is the size of the part of the left operand that a block takes at a time, in rows of
	// ir.DotChunk elements: a quarter of the 512 KiB second-level cache of a Zen 3.
	LeftBytes int
	// Cols is the number of columns of a block. It is halved, down to LeastCols, until there are BlocksPerWorker
	// blocks for each worker, and then further until there is one for each.
	Cols, LeastCols int
	BlocksPerWorker int
	// PackCols is the least number of columns for which left rows are packed if their pairs have no common
	// stride: each element is read once for every panel of columns.
	PackCols int
	// PackRows is the least number of left rows for which a right operand is packed whose rows are contiguous but
	// SetBytes or more apart, and for which left rows are packed that multiply chunks of such an operand.
	PackRows int
	// InPlaceRows and InPlacePairs are the greatest numbers of left rows and of pairs of a right operand that is read in place: see
	// InPlace. Zen 3, 34 and 68 rows and pairs, 784 and 196 columns: packing takes 1.4 and 1.2 times as long.
	InPlaceRows, InPlacePairs int
	// PassingRows is the number of left rows of a block if chunks of the right operand stay in the second-level cache while all
	// rows pass. Skylake-SP, whose second-level cache has 1 MiB: products of 512x512 and 1024x1024 take 1.07 times as long with
	// 128, and the same with 24 to 60.
	PassingRows int
	// PackedWork is the cost of packing an element block by block, in additions: 0.3 ns on a Sapphire Rapids.
	PackedWork float64
	// WindowWork is the time of a multiplication with windows that are not packed, where 1 is that with packed ones. Sapphire
	// Rapids, 3x3 convolutions without packing: twice the speed for 8 output channels, 0.8 to 1.1 times for 64.
	WindowWork float64
	// Windows is the greatest number of windows that a call, or a block of lines, has as its left operand. LeastWindows
	// is the least number in a line: with fewer, multiplications wait for each other. Zen 3, 3x3 windows with steps of
	// two and 64 channels: 400 windows, whose elements fill the second-level cache, take 1.1 times as long.
	Windows, LeastWindows int
	// ChunkedBytes is the size above which a right operand whose rows are SetBytes or more apart is packed chunk by
	// chunk, even for two left rows. Products of 2 to 128 rows and 4096x4096 then take half to three quarters of the time.
	ChunkedBytes int
	// FewRows is the greatest number of left rows of a product that reads such a right operand in the order of memory, a
	// few rows at a time. FewRowsBytes is the greatest size of the sums of a call, and FewRowsLeast the least size of
	// the sums of one row. FewRowsTime is the time of a multiplication, where 1 is that with packed chunks. Zen 3, 2 rows times
	// 2048x512 float32: tiles of 64 columns take 1.8 times as long as packed chunks.
	FewRows, FewRowsBytes, FewRowsLeast int
	FewRowsTime                         float64
	// StreamRows is the number of left rows of a block if there are few columns: two tiles of the kernel. With 12
	// rows a product of 4096x4096 with two columns takes half as long as with 128.
	StreamRows int
	// Transposes says that kernels transpose rows of few columns: see kernel.DotTransposedRows.
	Transposes bool
	// CallWork is the cost of a call for one product of a batch, in additions, not counting its multiplications.
	CallWork float64
	// BatchLeast is the least number of products in a batch that becomes the columns of calls. BatchBytes is the
	// size of all matrices of a tile of them.
	BatchLeast, BatchBytes int
	// BatchProduct is the greatest size in bytes of the matrices of one such product, results included. EPYC with AVX-512,
	// 8,192 products of int64: with matrices of 3x3 a call for each takes 1.7 times as long, with 2x2 3 to 4 times; with
	// 4x4 as long, with 6x6 0.4 times.
	BatchProduct int
	// SmallPairs is the greatest number of pairs of products that one call multiplies one after another, and SmallRows
	// the greatest number of rows. Taller products are batches of RowsOfMany rows each, if the right matrix
	// fills at most SmallVectors vectors. Zen 3, 10,000 rows and eight columns: float32 with 12 pairs takes half the time,
	// float64 1.1 times.
	SmallPairs, SmallRows, SmallVectors, RowsOfMany int
	// SmallWork is the cost of such a product, in additions, not counting its multiplications, and SmallTime the
	// factor on the time of these.
	SmallWork, SmallTime float64
	// DirectRows and DirectCols are the least numbers of rows and columns with one stride of an operand that is
	// not packed even if packing would allow larger blocks of the output.
	DirectRows, DirectCols int
	// PackElems is the least number of elements of a call that packs, if axes allow it.
	PackElems int
	// ChunkBytes is the size of the part of a right operand that stays in the second-level cache while left rows pass, and
	// PackLines the number of its rows that are read side by side into panels. Emerald Rapids with a second-level cache of
	// 2 MiB: products of 2048x2048 take 1.03 to 1.1 times as long with 1 MiB; Skylake-SP with 1 MiB: 1.05 with 256 KiB.
	ChunkBytes, PackLines int
	// SetBytes is the distance between rows at which they share sets of the first-level cache, so that a few of
	// them evict each other: half its 4 KiB way.
	SetBytes int
}

// panelBytes is the size of kernel.DotColumns columns.
const panelBytes = 64

// setVector sets PanelBytes and Transposes for kernels with vectors of the given number of bytes. Emerald Rapids with
// AVX-512: panels of one vector take 1.05 times as long, and 1.1 times for 64x64 matrices.
func (b *MatmulBlocks) setVector(bytes int) {
	b.PanelBytes, b.Transposes = max(panelBytes, 2*bytes), bytes == 64
}

// Panel returns the number of columns of a panel of a type. Only floats have kernels for all vector sizes.
func (b *MatmulBlocks) Panel(d ir.DType) int {
	if ir.Floats.Has(d) {
		return b.PanelBytes / d.Size()
	}
	return panelBytes / d.Size()
}

// InPlace reports whether packing a right operand of contiguous rows costs more than it gains: a cache line of each row stays in
// the first-level cache while all left rows pass, and the pages of the rows stay in the TLB. apart is the number of bytes from
// one row to the next.
func (b *MatmulBlocks) InPlace(rows, pairs, apart int) bool {
	const (
		tlb   = 64 * 4096 // bytes of the pages in the first-level TLB
		inSet = 2         // rows of which one set of the cache holds a line each
	)
	apart = max(apart, -apart)
	way := 2 * b.SetBytes
	stride := min(apart&-apart, way) // rows are in way/stride different sets
	return rows <= b.InPlaceRows && pairs <= b.InPlacePairs && apart*pairs <= tlb && pairs*stride <= inSet*way
}

// Shares reports whether a number of columns gives each worker a block.
func (b *MatmulBlocks) Shares(columns, workers int) bool { return columns >= workers*b.LeastCols }

// matmulBlocks was tuned with BenchmarkDot on a Zen 3, but WindowWork on a Zen 4 with AVX-512.
var matmulBlocks = MatmulBlocks{
	PanelBytes: panelBytes, LeftBytes: 128 << 10, Cols: 1024, LeastCols: 128, BlocksPerWorker: 4, PackCols: 64, PassingRows: 48, PackRows: 32, InPlaceRows: 256, InPlacePairs: 128,
	PackedWork: 120, WindowWork: 1.05, Windows: 224, LeastWindows: 4,
	ChunkedBytes: 2 << 20, FewRows: 8, FewRowsBytes: 32 << 10, FewRowsLeast: 1 << 10, FewRowsTime: 0.5, StreamRows: 12, CallWork: 600, BatchLeast: 16, BatchBytes: 16 << 10, BatchProduct: 320,
	SmallPairs: 32, SmallRows: 64, SmallVectors: 16, RowsOfMany: 4, SmallWork: 60, SmallTime: 0.5,
	DirectRows: 24, DirectCols: 48, PackElems: 256, ChunkBytes: 512 << 10, PackLines: 16, SetBytes: 2048,
}
