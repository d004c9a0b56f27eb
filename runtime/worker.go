package runtime

import "unsafe"

// A worker is the memory with which one goroutine computes tasks. It is reused for all tasks and runs, so nothing is allocated in the steady
// state. The goroutine that calls Run uses the worker of its state; each goroutine of the pool has its own.
type worker struct {
	job     *job     // the worker's job, always that of its state if it has one
	scratch []byte   // local memory of tasks, as large as any task has needed
	frames  []frames // tasks prepared for this worker; one for each task of a state
	keeps   bool     // keep pointers to tensors, which are the same in each run

	stopped func() bool // see asks
}

// asks returns a function that reports whether the worker's present job is stopped.
func (w *worker) asks() func() bool {
	if w.stopped == nil {
		w.stopped = func() bool { return w.job.stopped() }
	}
	return w.stopped
}

// framesOf returns the frames that the worker keeps for its run's task of the given number. A worker of the pool, which serves many programs, has
// one set of frames for all tasks.
func (w *worker) framesOf(number int) *frames {
	if number < len(w.frames) {
		return &w.frames[number]
	}
	if len(w.frames) == 0 {
		w.frames = make([]frames, 1)
	}
	return &w.frames[0]
}

// scratchAt returns the start of the scratch memory.
func (w *worker) scratchAt() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(w.scratch)) }

// reserve enlarges the worker's scratch memory to at least n bytes.
func (w *worker) reserve(n int, allocate allocator) error {
	if len(w.scratch) >= n {
		return nil
	}
	scratch, err := allocate(n)
	if err != nil {
		return failf("scratch: %w", err)
	}
	w.scratch = scratch
	return nil
}
