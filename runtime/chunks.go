package runtime

import (
	"math"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/tuning"
)

// A task is the work that the goroutines of a run share: a number of independent blocks, grouped into chunks. The pool of workers
// only knows a task's chunks and their costs; its computation knows what a block is.
type task struct {
	computation
	blocks int
	chunk  int // blocks of a chunk; the last may have fewer
	chunks int

	index       int     // among the tasks of the program
	first, last int     // steps of the plan
	more        bool    // the next task continues the last step of this one
	work        float64 // estimated cost of the whole task, in additions

	nanos       int64 // estimated time of the whole task
	parallelism int   // goroutines that are worth waking
	awake       int   // goroutines that are worth it if they already spin
	yields      int   // chunks after which a goroutine yields its processor; 0 for never
}

// A computation computes blocks of a task. Blocks are independent: any worker computes
// any of them, in any order.
type computation interface {
	// prepare makes a worker ready for the task.
	prepare(w *worker) error
	// compute computes n blocks from the first on.
	compute(w *worker, bases []unsafe.Pointer, first, n int)
	// finish makes the worker's stores visible to others, and drops its pointers to tensors, so that an idle worker
	// keeps none alive.
	finish(w *worker)
	// failure returns the error for a panic of the kernel that the worker calls.
	failure(w *worker, reason any) error
}

// machine holds the constants of executors without Tuning.
var machine = tuning.Default(1)

// tuned returns the constants that determine the chunks of tasks.
func (e *Executor) tuned() *tuning.Machine {
	if e.Tuning != nil {
		return e.Tuning
	}
	return machine
}

// newTask returns the task of the given number of blocks, which together have elems elements and cost work additions. A chunk has about
// chunk elements.
func (e *Executor) newTask(c computation, blocks, elems int, work float64, chunk int) *task {
	t, m := &task{computation: c, blocks: blocks, work: work}, e.tuned()
	chunks := m.Pieces(e.workers().parallelism(), work)
	if work >= m.WakeWork { // more chunks, so that the context is checked in between
		chunks = max((elems-1)/chunk+1, chunks)
	}
	t.chunk = (blocks-1)/max(1, min(chunks, maxChunks)) + 1
	t.chunks = (blocks-1)/t.chunk + 1
	// Timers and other goroutines then wait for a few chunks only, not until Go preempts a worker. Emerald Rapids, two
	// workers on two processors, a long chain of tanh: a deadline is noticed after 0.1 ms instead of 15, in the same total time.
	if work >= m.WakeWork {
		t.yields = int(math.Ceil(float64(t.chunks) * m.WakeWork / work))
	}
	worth := func(least float64) int { return int(min(float64(t.chunks), work/least)) }
	t.parallelism, t.awake = worth(m.WakeWork), worth(m.AwakeWork)
	t.nanos = int64(min(work*m.WakeNanos/m.WakeWork, spinTimeout))
	return t
}

// run computes chunk c.
func (t *task) run(w *worker, bases []unsafe.Pointer, c int) {
	first := c * t.chunk
	t.compute(w, bases, first, min(t.chunk, t.blocks-first))
}
