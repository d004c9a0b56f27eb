package rewrite

// This file has the constants by which passes decide. They count operations, in the unit of Cost in ir's table of ops
// (one addition of float32), bytes moved, and operands; such counts hold on any machine. Decisions about vectors,
// caches or goroutines belong to the schedule and to the passes panels and tiles, which know the machine.

// Kernels. A loop that exceeds a limit is divided.
const (
	// MostWork is the greatest cost of one element in one loop, about twenty powers. Beyond it, loads and stores no
	// longer matter.
	MostWork = 4096
	// MostBuffers is the greatest number of arrays that one loop reads and writes. Two loops over half as many also
	// read each array once.
	MostBuffers = 12
	// LoopBytes is the cost of an additional loop, in bytes moved.
	LoopBytes = 8 << 10
	// shortRowBytes is the cost of an additional short row where a loop is divided, in bytes moved.
	shortRowBytes = 512
	// CutRun is the number of adjacent positions of which only the cheapest is tried as a cut between loops. It
	// bounds compile time.
	CutRun = 8
)

// Recomputed values and unrolled axes.
const (
	// AgainWork is the greatest cost per element of ops that are computed again. To store and load the element costs
	// twice as much.
	AgainWork = 4
	// AgainOps is the greatest number of ops that are recomputed, that a view is pushed through, or that are unrolled
	// together. It keeps compile time linear.
	AgainOps = 64
	// AgainStreams is the greatest number of buffers that a recomputed value reads. To store and load the value moves
	// as much.
	AgainStreams = 2
	// AgainReaders is the greatest number of readers that each compute their part of a value. With more readers the
	// parts are short, for example in the steps of a recurrence.
	AgainReaders = 8
	// pieceOps is the greatest number of ops in all pieces of a value together. A step of a simulation in three
	// dimensions has 27 pieces.
	pieceOps = 1024
	// shortAxisLines is the least number of lines along a short axis that is unrolled. Fewer lines do not fill a
	// vector.
	shortAxisLines = 16
	// ApartLine is the greatest length, in elements, of a line without a common stride that elementwise ops reduce.
	// A few kernels together take that many operands. The elements of a longer line are copied.
	ApartLine = 32
)

// Reductions.
const (
	// shortLine is the greatest length, in elements, of a line in which two passes find the index of the least or
	// greatest element.
	shortLine = 8
	// LeastColumns is the least number of adjacent columns that are reduced row by row. It is also the least number
	// of columns of a value that is read inside its padding.
	LeastColumns = 16
	// leastOverlap is the least size of windows, in steps between them, for which minima and maxima are computed from
	// windows of half the size. That takes fewer comparisons.
	leastOverlap = 9
)

// Lookup tables, and scatters in pieces.
const (
	// LookupWork is the cost of one lookup: reading the index, reading the entry and storing it.
	LookupWork = 33
	// TableWork is the fixed cost of a loop of lookups.
	TableWork = 1 << 14
	// TableBytes is the greatest size of a value of fewer than TableRows rows that is computed by lookups. A value of
	// more rows may be larger, because tiles divide the loops that store and read it.
	TableBytes, TableRows = 64 << 20, 64
	// tableUpdates is the least number of updates per table element in one piece of a scatter: the tables of all
	// pieces must be combined. pieceUpdates is the least number of updates in a piece.
	tableUpdates, pieceUpdates = 64, 1 << 15
)

// Products, whose cost is counted in pairs: a pair is one multiplication and addition.
const (
	// swappedRows is the greatest number of left rows for which a product with a transposed right matrix of more than
	// swappedBytes changes sides: x yT = (y xT)T. The few rows are then packed, not the matrix.
	swappedRows, swappedBytes = 64, 32 << 10
	// swappedPairs is the least window size, in elements, for which windows become the left operand. The result is
	// then transposed; each of its elements must cost enough to pay for that.
	swappedPairs = 144
	// swappedChannels is the least number of channels of such a product, and swappedIdle the least number of channels
	// per idle lane. With at most swappedWindows windows, any number of lanes may be idle, because lines of windows
	// would not fill vectors either.
	swappedChannels, swappedIdle, swappedWindows = 32, 10, 196
	// pooledBytes is the size of the largest pooled result for which windows of any size become the left operand.
	// Only the quarter of the elements that pooling leaves is transposed.
	pooledBytes = 1 << 20
	// channelBytes is the greatest distance, in bytes, between elements of one channel that a product reads as
	// windows. Elements farther apart are first copied side by side.
	channelBytes = 512
)
