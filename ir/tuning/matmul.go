package tuning

// MatmulBlocks are the sizes of a product's blocks.
type MatmulBlocks struct {
	// LeftBytes is how much of the left operand a block takes at a time, in rows of
	// ir.DotChunk elements: a quarter of the 512 KiB second-level cache of a Zen 3.
	LeftBytes int
	// Cols is how many columns a block has. It is halved, to LeastCols at least, until
	// each worker has BlocksPerWorker blocks.
	Cols, LeastCols int
	BlocksPerWorker int
	// PackCols is from how many columns on left rows that lie badly are packed: each
	// element is read once for every panel of columns.
	PackCols int
	// SetBytes is the distance at which rows share a set of the first-level cache, so
	// that a few of them drive each other out: half its 4 KiB way.
	SetBytes int
}

// matmulBlocks was tuned on a Zen 3 with BenchmarkDot.
var matmulBlocks = MatmulBlocks{LeftBytes: 128 << 10, Cols: 1024, LeastCols: 128, BlocksPerWorker: 4, PackCols: 64, SetBytes: 2048}
