package rewrite

// The weights by which passes decide. They know no machine: they count operations, in the unit of Cost in ir's table of ops (an
// addition of float32), bytes that are moved, and operands. Any machine agrees on such counts. What depends on vectors, caches or
// goroutines is decided by the schedule and by the passes on plans that are given a machine, panels and tiles.

// Kernels. A loop that exceeds a limit is divided.
const (
	// MostWork is the greatest cost of the ops of one loop, some twenty powers: beside it loads and stores no longer count.
	MostWork = 4096
	// MostBuffers is the greatest number of arrays that one loop reads and writes. Two loops over half as many read each array
	// once too.
	MostBuffers = 12
	// LoopBytes is the cost of one more loop, in bytes that are moved.
	LoopBytes = 8 << 10
	// shortRowBytes is the cost of one more row of a few elements where a loop is divided, in bytes that are moved.
	shortRowBytes = 512
	// CutRun is the number of neighbouring positions of which only the cheapest is tried as a cut between loops. It bounds
	// the time to compile.
	CutRun = 8
)

// Values that are computed again, and axes that are unrolled.
const (
	// AgainWork is the greatest cost of the ops of an element that is computed again: to store it and to read it back costs twice as
	// much.
	AgainWork = 4
	// AgainOps is the greatest number of ops that are computed again, that a view is pushed through, or that are unrolled
	// together. It keeps the time to compile linear.
	AgainOps = 64
	// AgainStreams is the greatest number of buffers that a value reads which is computed again: to store it and to read
	// it back moves as much.
	AgainStreams = 2
	// AgainReaders is the greatest number of readers that each compute their part of a value. The parts of more readers are
	// short, as in the steps of a recurrence.
	AgainReaders = 8
	// pieceOps is the greatest number of ops of all pieces of a value together. A step of a simulation in three dimensions
	// has 27 pieces.
	pieceOps = 1024
	// shortAxisLines is the least number of lines along a short axis that is unrolled. Fewer don't fill a vector.
	shortAxisLines = 16
	// ApartLine is the greatest number of elements of a line without a common stride that elementwise ops combine: as many
	// operands as a few kernels take. The elements of a longer line are copied.
	ApartLine = 32
)

// Reductions.
const (
	// shortLine is the greatest number of elements of a line whose least or greatest element has its index found in two passes.
	shortLine = 8
	// LeastColumns is the least number of adjacent columns that are combined row by row, and of columns of a value that is read inside
	// its padding.
	LeastColumns = 16
	// leastOverlap is the least size of windows, in steps between them, whose least and greatest elements are computed from those
	// of windows of half the size, with fewer comparisons.
	leastOverlap = 9
)

// Lookup tables, and scatters in pieces.
const (
	// LookupWork is the cost of looking up an element, reading its index and storing the result.
	LookupWork = 33
	// TableWork is the cost of a loop of its own for lookups.
	TableWork = 1 << 14
	// TableBytes is the size of the largest value of fewer than tableRows rows that is looked up. A larger one is stored
	// block by block of rows.
	TableBytes, TableRows = 64 << 20, 64
	// tableUpdates is the least number of updates per element of a scatter's table in a piece of the updates: the tables of
	// the pieces are combined afterwards. pieceUpdates is the least number of updates in a piece.
	tableUpdates, pieceUpdates = 64, 1 << 15
)

// Products, whose cost is counted in pairs: a pair is one multiplication and addition.
const (
	// swappedRows is the greatest number of left rows of a product that is computed as the transpose of the product of the
	// transposes if its right matrix is transposed and has more than swappedBytes: the few rows are packed, not the matrix.
	swappedRows, swappedBytes = 64, 32 << 10
	// swappedPairs is the least number of elements of a window for which windows become the left operand: the result is
	// transposed, and each of its elements costs as much as that.
	swappedPairs = 144
	// swappedChannels is the least number of channels of such a product, and swappedIdle the least number of channels per idle
	// lane. With at most swappedWindows windows lanes may be idle: their lines fill no vectors either.
	swappedChannels, swappedIdle, swappedWindows = 32, 10, 196
	// pooledBytes is the size of the largest result that is pooled for which windows of any size become the left operand: a
	// quarter of the elements is transposed, after the pooling.
	pooledBytes = 1 << 20
	// channelBytes is the greatest distance between elements of a channel that a product reads window by window. Elements
	// farther apart are copied side by side first.
	channelBytes = 512
)
