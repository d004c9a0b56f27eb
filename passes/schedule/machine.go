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
	// NoWhole never takes one kernel for a whole body: for tests and measurements.
	NoWhole bool

	// Vector is the bytes of a vector register.
	Vector int

	Matmul MatmulBlocks
}

// Default returns the machine that the constants were measured on.
func Default(workers int) *Machine {
	return &Machine{Workers: workers, Vector: 32, Matmul: matmulBlocks}
}
