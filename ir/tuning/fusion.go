package tuning

// Fusion has the constants by which passes divide values into kernels and decide what is
// computed again rather than stored. Those that bound compile time are not measured.
type Fusion struct {
	// KernelWork bounds the cost of a kernel's ops, in additions: the code of elementary
	// functions is long, and beside so many of them, some twenty powers, a load and a store
	// take no time.
	KernelWork float64
	// KernelBuffers is how many arrays a loop reads and writes at most. More at a time are
	// no faster than two loops, in the cache or not: processors prefetch about so many
	// streams.
	KernelBuffers int
	// SegmentBytes is what the overhead of one more kernel is worth in traffic: half a
	// microsecond at 16 GB/s.
	SegmentBytes int
	// CutWindow is the number of neighbouring positions of which the cheapest alone is tried
	// as a cut, so that compile time is less than the longest run for each value.
	CutWindow int

	// RecomputeWork is the cost in additions up to which a value is computed again, by all
	// its readers but one, rather than stored and read back: half of LoadWork.
	RecomputeWork float64
	// RecomputeOps is how many ops are computed again at most, and how many values a view is
	// pushed through. Beyond it a group would be split anyway, and compile time would not be
	// linear.
	RecomputeOps int
	// RecomputeStreams is how many buffers a value may read to be computed again: storing
	// it and reading it back moves as much.
	RecomputeStreams int
	// RecomputeViews is how many readers of a value at most compute what they read of it, if together
	// they compute few elements more than once. More of them are short, as the steps of a recurrence: one
	// loop that computes all of the value takes less time.
	RecomputeViews int
	// NarrowAxis is the greatest extent of a last axis whose elements are operands of their own: as many
	// as transposes take apart by whole vectors. Pixels of three float32, 360x640 of them on a Zen 4: their
	// sum in 0.42 of the time, softmax in 0.18, a product with their fourth channel in 0.54.
	NarrowAxis int
	// PeelRowBytes is what one more row of a few columns is worth in traffic: some 30 ns. Emerald Rapids, padded images that
	// are not copied: 1024x1024 take 0.72 of the time, 56x56 1.2, 7x7 2.5 times.
	PeelRowBytes int
	// PeelOps is how many ops the parts of a value that is split have at most, together: a step of a simulation in three
	// dimensions has 27 parts.
	PeelOps int
	// PeelStore is how many times its bytes it costs to store a value that a reduction would take from registers: it is written
	// and read, and what is not copied then would in part have been in the caches. Emerald Rapids, sums of 1024x1024 float32 that read rolled
	// arrays: of two they take 0.6 of the time if what is reduced is split and stored, of four 0.31, of one 1.2 times.
	PeelStore int
}

func defaultFusion() Fusion {
	return Fusion{KernelWork: 4096, KernelBuffers: 12, SegmentBytes: 8 << 10, CutWindow: 8,
		RecomputeWork: 4, RecomputeOps: 64, RecomputeStreams: 2, RecomputeViews: 8, NarrowAxis: 4, PeelRowBytes: 512, PeelOps: 1024, PeelStore: 3}
}
