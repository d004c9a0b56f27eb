package tuning

import "github.com/stridefuse/stridefuse/ir"

// MatmulBlocks are the sizes of a product's blocks.
type MatmulBlocks struct {
	// PanelBytes is how many bytes a row of a panel of a right operand has: two vectors of the kernels.
	PanelBytes int
	// LeftBytes is how much of the left operand a block takes at a time, in rows of
	// ir.DotChunk elements: a quarter of the 512 KiB second-level cache of a Zen 3.
	LeftBytes int
	// Cols is how many columns a block has. It is halved, to LeastCols at least, until
	// each worker has BlocksPerWorker blocks, and then on until it has one.
	Cols, LeastCols int
	BlocksPerWorker int
	// PackCols is the least number of columns for which left rows whose pairs have no
	// common stride are packed: each element is read once for every panel of columns.
	PackCols int
	// PackRows is from how many rows of the left operand on a right one is packed whose rows
	// are contiguous, but SetBytes apart or more.
	PackRows int
	// RightBytes is how much of a right operand is packed at a time, if it is packed block by
	// block: all pairs of the block's columns.
	RightBytes int
	// PackedWork is what an element costs that is packed block by block, in additions, and
	// WindowWork how many times as long a multiplication takes with windows that are not. A
	// Sapphire Rapids, 3x3 convolutions: 0.3 ns for each element that is packed, and twice the
	// speed without for 8 channels of results, 0.8 to 1.1 times for 64.
	PackedWork, WindowWork float64
	// Windows is how many windows a call, or a block of lines, has at most that are the left operand, and LeastWindows
	// how many a line has at least for its multiplications not to wait for each other. A Zen 3, 3x3 windows with steps of
	// two and 64 channels: 400 windows, whose elements fill the second-level cache, take 1.1 times as long.
	Windows, LeastWindows int
	// ChannelBytes is how far apart the elements of a channel are at most whose windows are read with channels as
	// the last axis in memory. A Zen 4, 3x3 windows: of 512 bytes a product takes 1.02 times as long as with
	// channels apart, of 1 KiB 1.35 and of 2 KiB 1.85 times, as the elements share few sets of the first-level cache.
	ChannelBytes int
	// ChunkedBytes: a right operand larger than this, whose rows are SetBytes apart or more, is packed chunk by
	// chunk, even for two rows. Products of 2 to 128 rows and 4096x4096 then take half to three quarters of the time.
	ChunkedBytes int
	// FewRows is how many left rows such a product has at most whose right operand is read in the order of memory, a few rows
	// at a time, FewRowsBytes how many bytes the sums of a call have at most, FewRowsLeast how many of one row it has at
	// least, and FewRowsTime the time that it takes, a multiplication by packed chunks 1. A Zen 3, 2 rows times 2048x512
	// float32: tiles of 64 columns take 1.8 times as long as packed chunks.
	FewRows, FewRowsBytes, FewRowsLeast int
	FewRowsTime                         float64
	// StreamRows is how many left rows a block has if there are few columns: two tiles of the
	// kernel. With 12 rows a product of 4096x4096 with two columns takes half as long as with 128.
	StreamRows int
	// Transposes says that kernels transpose rows of few columns: see kernel.DotTransposedRows.
	Transposes bool
	// CallWork is what a call for one product of a batch takes besides its multiplications, in
	// additions. BatchLeast is how many products there are at least whose batch is the columns of
	// calls, and BatchBytes the size of all matrices of a tile of them.
	CallWork               float64
	BatchLeast, BatchBytes int
	// SmallPairs is how many pairs products have at most that one call multiplies one after another, and SmallRows how
	// many rows: those of more are a batch of RowsOfMany each, if the right matrix has SmallVectors at most. A Zen 3, 10,000 rows and
	// eight columns: of float32 with 12 pairs it takes half the time, of float64 1.1 times. SmallWork is what a product takes
	// besides its multiplications, and SmallTime the time of these.
	SmallPairs, SmallRows, SmallVectors, RowsOfMany int
	SmallWork, SmallTime                            float64
	// DirectRows and DirectCols are how many rows and columns of one stride an operand has at
	// least that is not packed though the blocks of the output could be larger.
	DirectRows, DirectCols int
	// PackElems is how many elements a call that packs has at least, where axes allow it.
	PackElems int
	// ChunkBytes is how much of a right operand is packed at a time, if it is packed in chunks, and PackLines how many of its rows
	// are read side by side into panels. An Emerald Rapids with a second-level cache of 2 MiB, products of 2048x2048: with
	// 1 MiB they take 1.03 to 1.1 times as long.
	ChunkBytes, PackLines int
	// SetBytes is the distance at which rows share a set of the first-level cache, so
	// that a few of them drive each other out: half its 4 KiB way.
	SetBytes int
}

// panelBytes is the size of kernel.DotColumns columns.
const panelBytes = 64

// setVector sets PanelBytes and Transposes for kernels whose vectors have the given bytes. An Emerald Rapids with AVX-512: panels of one vector
// take 1.05 times as long, for 64x64 matrices 1.1.
func (b *MatmulBlocks) setVector(bytes int) {
	b.PanelBytes, b.Transposes = 2*bytes, bytes == 64
}

// Panel returns how many columns a panel has. Only floats have kernels for all widths.
func (b *MatmulBlocks) Panel(d ir.DType) int {
	if ir.Floats.Has(d) {
		return b.PanelBytes / d.Size()
	}
	return panelBytes / d.Size()
}

// matmulBlocks was tuned on a Zen 3 with BenchmarkDot, WindowWork on a Zen 4 with AVX-512.
var matmulBlocks = MatmulBlocks{
	PanelBytes: panelBytes, LeftBytes: 128 << 10, Cols: 1024, LeastCols: 128, BlocksPerWorker: 4, PackCols: 64, PackRows: 32,
	RightBytes: 1 << 20, PackedWork: 120, WindowWork: 1.05, Windows: 224, LeastWindows: 4, ChannelBytes: 512,
	ChunkedBytes: 2 << 20, FewRows: 8, FewRowsBytes: 32 << 10, FewRowsLeast: 1 << 10, FewRowsTime: 0.5, StreamRows: 12, CallWork: 600, BatchLeast: 16, BatchBytes: 16 << 10,
	SmallPairs: 32, SmallRows: 64, SmallVectors: 16, RowsOfMany: 4, SmallWork: 60, SmallTime: 0.5,
	DirectRows: 24, DirectCols: 48, PackElems: 256, ChunkBytes: 512 << 10, PackLines: 16, SetBytes: 2048,
}
