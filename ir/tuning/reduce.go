package tuning

// Reduction has the constants of the strategies that reduce, measured on Zen 3 unless a comment says otherwise.
type Reduction struct {
	// LaneBytes is the size of the accumulators of one lane, which is as wide as a tile of columns: they stay in
	// the first-level cache while long stretches of rows stream past them.
	LaneBytes int
	// LaneColumns is the least number of columns of a tile, if there are as many.
	LaneColumns int
	// FlatBytes is the greatest size of the accumulators of all lanes that stay in the first-level cache together.
	FlatBytes int
	// FewRows is the greatest number of rows for which one call per 32 rows is faster than one per lane.
	FewRows int
	// RowsAtOnce is the number of rows of a lane that a kernel combines at once, if such a kernel exists. The
	// accumulators are then loaded and stored a quarter as often.
	RowsAtOnce int

	// TreeLeast and TreeMost bound the number of rows of a sum of columns with all partial results in registers, and
	// TreeBytes the size of its inputs. TreeTime is its time, where 1 is that with partial results in the first-level
	// cache. Emerald Rapids, float32: 0.58 for 32 rows of 256, 0.5 for 64 of 1024, 0.9 for 128 of 512, 1.05 for 256 of
	// 256, 1.7 for 1024 of 64, 1.14 for 8 of 1000.
	TreeLeast, TreeMost int
	TreeBytes           int
	TreeTime            float64
	// TreeStrip is the number of bytes of each row that a kernel takes at once to sum columns of any number of rows
	// in registers; 0 means that there is no such kernel. Rows must be at least that wide and begin at cache lines, and the
	// inputs have at most TreeStripBytes. Emerald Rapids with AVX-512, float32: 0.64 of the time for 256 rows of 256, 0.8 for
	// 512 of 256, 0.9 for 1024 of 64, 1024 of 1024 and 2048 of 2048; 1.2 for 256 of 257, up to 1.8 for 64 MiB.
	TreeStrip, TreeStripBytes int

	// FewLanes is the least number of lanes that rows belong to in turn, if elements combine in any order. LaneRowBytes is
	// the size, in bytes, of one row of all lanes that more lanes are taken for. Zen 3, maxima of 256 rows: 8 lanes of
	// 256 float32 take 1.1 times as long as 4, and 32 take 1.2; 4 lanes of 100 bytes take 1.8 times as long as 8.
	FewLanes, LaneRowBytes int

	// MinColumns is the least number of columns for a column reduction. Fewer do if there are JoinedRows rows that
	// can be joined into long ones, or if they are at least WholeVectors vectors and no part of one. Zen 3 with AVX2, sums
	// of 100,000 masked rows of float64: 0.4 of the time of a row reduction for 8 and 12 columns, 0.9 for 10, 1.7 for 4; of
	// 8 float32 between 0.65 and 1.9.
	MinColumns, WholeVectors, JoinedRows int
	// ShortLine is the greatest number of elements of a line that counts as too short for a row reduction, because it would not
	// fill a vector.
	ShortLine int
	// ShortBytes is the longest line, in bytes, that counts as short even if it exceeds ShortLine elements. Zen 3, the
	// greatest of 9 to 16 bytes: a column reduction takes 0.3 to 0.4 of the time; of 12 to 16 float32 more than 1.
	ShortBytes int
	// ShortSums says that a kernel sums several short rows of 1-byte or 2-byte integers at once.
	ShortSums bool

	// StridedByte is the cost, in additions of float32, of a byte that a row reduction reads across the lines or a
	// column reduction along them. EmptyVector is the cost per element if lines do not fill a vector. They rank the
	// strategies, as TestReduceChoice checks: an unfilled vector outweighs all operands. BenchmarkWeights
	// measures 12 (a transposition in the cache) and 104 (lines of three elements) on a Xeon with AVX2. Of 900 steps of the
	// benchmark program these choose differently in one, which takes the same time.
	StridedByte, EmptyVector float64

	// TransposedRows is the least number of rows of a block whose lines are read across: the rows are
	// contiguous in memory there.
	TransposedRows int
	// MultiChunkCols is the greatest number of columns of a row of several chunks, so that a block has two.
	MultiChunkCols int
	// FarBytes is the size of the smallest buffer whose lines of several chunks are reduced one after the other, not
	// one chunk of many lines per call. Zen 4: 1024, 4096 and 8192 lines of 2,000 float32 take 0.97, 0.4 and 0.35
	// of the time. FarCols is the least length of such lines, in elements: shorter ones end in a short rest that comes
	// with the chunk before it. Lines of 1,100 would take 1.35, 1.2 and 1.2 of the time.
	FarBytes, FarCols int

	// StreamTime is the time of a reduction that reads two to four stretches of memory in turns, where 1 is that of
	// one after the other. Zen 3, sums and maxima of 16M float32: 0.75 to 0.8 for two stretches, 16 KiB to 1 MiB
	// apart. Four take 0.8 to 0.9 of the time of two for maxima; three take 0.85 to 0.95 of it for products with a vector; for
	// sums three or four take as long as two. Zen 4: 1.
	StreamTime float64

	// PairRows and PairIndices are the least numbers of rows and indices for a pairwise reduction:
	// transposing an element takes about as long as combining eight.
	PairRows, PairIndices int
	// PairBytes is the size of the transposed elements that stay in the first-level cache while several indices
	// are combined with them. If fewer than kernel.ColumnBlock lines fit, lines are as fast in their own place.
	PairBytes int
	// PairWidth is the greatest number of rows of a block of a pairwise reduction: its results are written in
	// runs of that length.
	PairWidth int
	// PairBlock is the greatest number of indices of a block, and PairStep the number of them that are combined with the
	// same rows before the next rows.
	PairBlock, PairStep int
}

// defaultReduction returns the measured values.
func defaultReduction() Reduction {
	return Reduction{
		LaneBytes: 16 << 10, LaneColumns: 128, FlatBytes: 16 << 10, FewRows: 64, RowsAtOnce: 4, FewLanes: 4, LaneRowBytes: 1 << 10, TreeLeast: 16, TreeMost: 192, TreeBytes: 512 << 10, TreeTime: 0.6, TreeStripBytes: 16 << 20,
		MinColumns: 16, WholeVectors: 2, JoinedRows: 128, ShortLine: 8, ShortBytes: 16, ShortSums: true, StridedByte: 1, EmptyVector: 64,
		TransposedRows: 16, MultiChunkCols: 32 << 10, FarBytes: 4 << 20, FarCols: 1280, StreamTime: 0.8,
		PairRows: 16, PairIndices: 16, PairBytes: 16 << 10, PairWidth: 512, PairBlock: 1024, PairStep: 64,
	}
}

// setVector sets TreeStrip for kernels with vectors of the given number of bytes.
func (r *Reduction) setVector(bytes int) {
	if r.TreeStrip = 0; bytes == 64 {
		r.TreeStrip = 4 * bytes
	}
}
