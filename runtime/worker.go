package runtime

import "unsafe"

// A worker is the memory with which one goroutine computes tasks. It is reused from task
// to task and from run to run, so that nothing is allocated in the steady state. The
// goroutine that calls Run has the worker of its state; each goroutine of the pool has
// one of its own.
type worker struct {
	job     *job     // at which the worker is, always that of its state if it has one
	scratch []byte   // local memory of tasks, as large as any task has needed
	frames  []frames // tasks laid out for this worker; one for each task of a state
	keeps   bool     // pointers to tensors, which are the same ones in each run
}

// framesOf returns where the worker keeps the frames of its run's task of that number: a
// worker of the pool, which serves many programs, has one place for all.
func (w *worker) framesOf(number int) *frames {
	if number < len(w.frames) {
		return &w.frames[number]
	}
	if len(w.frames) == 0 {
		w.frames = make([]frames, 1)
	}
	return &w.frames[0]
}

// scratchAt returns where the scratch memory begins.
func (w *worker) scratchAt() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(w.scratch)) }

// reserve makes the worker's scratch memory n bytes large at least.
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
