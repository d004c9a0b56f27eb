package tuning

// Reduction has the constants of the strategies that reduce, all measured on Zen 3.
type Reduction struct {
	// LaneBytes is how much the accumulators of a lane have, which is a tile of columns
	// wide: they stay in the first-level cache while rows stream past them in long
	// stretches.
	LaneBytes int
	// LaneColumns is how many columns a tile has at least, if there are as many.
	LaneColumns int
	// FlatBytes is how much the accumulators of all lanes have at most to stay in the
	// first-level cache together.
	FlatBytes int
	// FewRows is up to how many rows a call for 32 rows each is better than one for each
	// lane.
	FewRows int
	// RowsAtOnce is how many rows of a lane a kernel combines at once, if there is one
	// that does: the accumulators are then loaded and stored a quarter as often.
	RowsAtOnce int

	// TreeLeast and TreeMost are how many rows a sum of columns has whose partial results are all in registers, TreeBytes how many
	// bytes its inputs have at most, and TreeTime is its time, of one that has them in the first-level cache. An Emerald Rapids, float32: 0.58 of
	// the time for 32 rows of 256, 0.5 for 64 of 1024, 0.9 for 128 of 512, 1.05 for 256 of 256 and 1.7 for 1024 of 64; 1.14 for 8 of 1000.
	TreeLeast, TreeMost int
	TreeBytes           int
	TreeTime            float64
	// TreeStrip is how many bytes of each row a kernel takes at once that sums columns in registers for any number of rows, whose inputs have
	// TreeStripBytes at most; 0 is for none. The rows must be so wide, and begin where lines of the caches do. An Emerald Rapids with AVX-512, float32: 0.64 of
	// the time for 256 rows of 256, 0.8 for 512 of 256, 0.9 for 1024 of 64, 1024 of 1024 and 2048 of 2048; 1.2 for 256 of 257, up to 1.8 for 64 MiB.
	TreeStrip, TreeStripBytes int

	// MinColumns is how many columns a column reduction should have, unless it has
	// JoinedRows and they can be made long rows.
	MinColumns, JoinedRows int
	// ShortLine is up to how many elements a line is too short for a row reduction: it
	// would not fill a vector.
	ShortLine int
	// ShortBytes is up to how many bytes a line is too short, if it has more elements. Zen 3, the greatest of 9 to
	// 16 bytes: a column reduction takes 0.3 to 0.4 of the time, of 12 to 16 float32 more than once.
	ShortBytes int
	// ShortSums says that a kernel sums several short rows of integers of one or two bytes at once.
	ShortSums bool
	// ApartLine is up to how many elements without a common stride a line has that elementwise ops combine, as those
	// of windows along two axes: more are copied. A Zen 3, sums of 3x3 windows: 0.014 of the time of a copy, of 5x5 0.04.
	ApartLine int
	// Overlaps is from how many elements on, for each step from one window to the next, the least
	// and greatest elements of windows are computed from those of smaller windows.
	Overlaps int

	// StridedByte is what a byte costs that a row reduction reads across the lines, or a
	// column reduction along them, and EmptyVector what an element costs where lines do not
	// fill a vector, in additions of float32. They rank the ways as TestReduceChoice says: a
	// vector that is not filled outweighs all operands. BenchmarkWeights, Xeon with AVX2: 12 by
	// a transposition in the cache, and 104 for lines of three elements. Of 900 steps of the
	// benchmark program these differ in one, which takes the same time.
	StridedByte, EmptyVector float64

	// TransposedRows is how many rows a block has at least whose lines are read across:
	// they are contiguous in memory there.
	TransposedRows int
	// MultiChunkCols is how many columns a row of several chunks has at most, so that a block
	// has two.
	MultiChunkCols int
	// FarBytes is from how many bytes on lines of several chunks are reduced one after the other, rather than
	// a chunk of many lines in a call: Zen 4, 1024, 4096 and 8192 lines of 2,000 float32 in 0.97, 0.4 and
	// 0.35 of the time. Lines of fewer than FarCols elements have a short rest, which comes with the chunk before it:
	// those of 1,100 would take 1.35, 1.2 and 1.2.
	FarBytes, FarCols int

	// StreamTime is the time of a reduction that reads two to four stretches of memory in turns, of one that reads one after the
	// other. Zen 3, sums and greatest elements of 16M float32: 0.75 to 0.8 for two, at distances from 16 KiB to 1 MiB. Four take 0.8 to
	// 0.9 of the time of two for greatest elements, three 0.85 to 0.95 for products with a vector, three or four as long for sums. Zen 4: 1.
	StreamTime float64

	// PairRows and PairIndices are the least of both for a pairwise reduction: to
	// transpose an element takes about as long as to combine eight.
	PairRows, PairIndices int
	// PairBytes is how much of the transposed elements stays in the first-level cache
	// while several indices are combined with them. Lines of which it does not hold
	// kernel.ColumnBlock are as fast where they are.
	PairBytes int
	// PairWidth is up to how many rows a block of a pairwise reduction has: its results
	// are written in pieces as long.
	PairWidth int
	// PairBlock is how many indices a block has at most, and PairStep how many are
	// combined with the same rows before the next rows come.
	PairBlock, PairStep int
}

// defaultReduction returns the measured values.
func defaultReduction() Reduction {
	return Reduction{
		LaneBytes: 16 << 10, LaneColumns: 128, FlatBytes: 16 << 10, FewRows: 64, RowsAtOnce: 4, TreeLeast: 16, TreeMost: 192, TreeBytes: 512 << 10, TreeTime: 0.6, TreeStripBytes: 16 << 20,
		MinColumns: 16, JoinedRows: 128, ShortLine: 8, ShortBytes: 16, ShortSums: true, ApartLine: 32, Overlaps: 9, StridedByte: 1, EmptyVector: 64,
		TransposedRows: 16, MultiChunkCols: 32 << 10, FarBytes: 4 << 20, FarCols: 1280, StreamTime: 0.8,
		PairRows: 16, PairIndices: 16, PairBytes: 16 << 10, PairWidth: 512, PairBlock: 1024, PairStep: 64,
	}
}

// setVector sets TreeStrip for kernels whose vectors have the given bytes.
func (r *Reduction) setVector(bytes int) {
	if r.TreeStrip = 0; bytes == 64 {
		r.TreeStrip = 4 * bytes
	}
}
