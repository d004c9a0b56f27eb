package tuning

// Fusion has the constants by which passes divide a graph into kernels and choose between computing
// a value again and storing it. Constants that only bound compile time were not measured.
type Fusion struct {
	// KernelWork is the greatest cost of the ops of a kernel, in additions: some twenty powers. The code of
	// elementary functions is long, and beside that much work a load and a store take no time.
	KernelWork float64
	// KernelBuffers is the greatest number of arrays that one loop reads and writes. A loop over more
	// is no faster than two loops, in the cache or in memory: processors prefetch about this many streams.
	KernelBuffers int
	// SegmentBytes is the cost of one more kernel, in bytes of traffic: half a microsecond at 16 GB/s.
	SegmentBytes int
	// CutWindow is the number of neighbouring positions of which only the cheapest is tried as a cut
	// between kernels. It bounds compile time.
	CutWindow int

	// RecomputeWork is the greatest cost, in additions, of computing a value again in all readers but one
	// instead of storing it and reading it back: half of LoadWork.
	RecomputeWork float64
	// RecomputeOps is the greatest number of ops that are computed again, and of values that a view is
	// pushed through. A larger group would be split anyway. The bound keeps compile time linear.
	RecomputeOps int
	// RecomputeStreams is the greatest number of buffers that a recomputed value reads: storing it and
	// reading it back moves as much.
	RecomputeStreams int
	// RecomputeViews is the greatest number of readers that each compute their part of a value, if together
	// they compute few elements twice. The parts of more readers are short, as in the steps of a recurrence,
	// so one loop over the whole value is faster.
	RecomputeViews int
	// NarrowAxis is the greatest extent of a last axis that is unrolled, each element an operand of its own:
	// whole vectors are taken apart into at most that many. Zen 4, 360x640 pixels of three float32: their sum
	// takes 0.42 of the time, softmax 0.18, a product with a fourth channel 0.54.
	NarrowAxis int
	// ShortRowBytes is the cost of one more row of a few columns, in bytes of traffic, where the loop of a value is
	// divided. Emerald Rapids, padded images that are not copied: 1024x1024 take 0.72 of the time, 56x56 1.2, 7x7 2.5.
	ShortRowBytes int
	// PieceOps is the greatest number of ops of all pieces of a value together. A step of a three-dimensional
	// simulation has 27 pieces.
	PieceOps int
}

func defaultFusion() Fusion {
	return Fusion{KernelWork: 4096, KernelBuffers: 12, SegmentBytes: 8 << 10, CutWindow: 8,
		RecomputeWork: 4, RecomputeOps: 64, RecomputeStreams: 2, RecomputeViews: 8, NarrowAxis: 4, ShortRowBytes: 512, PieceOps: 1024}
}
