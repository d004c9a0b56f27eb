package schedule

// Machine is what the strategies know of the machine: every constant that was tuned,
// with where it was measured. "Zen 3" is an AMD EPYC of that kind, two virtual
// processors, shared.
type Machine struct {
	// Workers is how many goroutines compute one task at most. Results do not depend on
	// it, the blocks do.
	Workers int
	// Blocks is for tests: if not 0, how many elements a block has, about; small steps
	// are then cut too, and every result that can be is stored past the caches.
	Blocks int
	// CompareAll drafts every strategy, to tell what the others would cost; otherwise the
	// first that can compute a step is taken.
	CompareAll bool
	// NoWhole never takes one kernel for a whole body: for tests and measurements.
	NoWhole bool

	// Vector is the bytes of a vector register.
	Vector int

	// LoadWork is what reading and writing the operands of one index costs, in
	// additions of float32.
	LoadWork float64
	// WakeWork is the least work worth waking a goroutine for, and PieceWork the least of
	// a piece for one that is awake, in additions. Zen 3: about 10 and 0.6 microseconds.
	WakeWork, PieceWork float64
	// BlockElems is how many elements a block has at most. During a kernel call Go's
	// runtime cannot stop the goroutine.
	BlockElems int
	// CallElems is how many elements of ops that cost at most CheapWork additions one
	// kernel call handles: some twenty microseconds on Zen 3. Assembly cannot be
	// preempted, and a longer call would hold up the garbage collector. Of any body it
	// is at least LeastCallElems.
	CallElems, LeastCallElems int
	CheapWork                 float64
	scanMachine
	tmpMachine
}

// Default returns the machine that the constants were measured on.
func Default(workers int) *Machine {
	return &Machine{
		Workers: workers, Vector: 32,
		LoadWork: 8, WakeWork: 1 << 20, PieceWork: 1 << 16,
		BlockElems: 64 << 10, CallElems: 32 << 10, LeastCallElems: 1024, CheapWork: 64,
		scanMachine: defaultScan, tmpMachine: defaultTmp,
	}
}
