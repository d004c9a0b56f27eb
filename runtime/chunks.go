package runtime

import (
	"math"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/tuning"
)

// A task is what the goroutines of a run share: a number of independent blocks, cut
// into chunks. The pool of workers knows a task by its chunks and by what they cost;
// what a block is, its computation knows.
type task struct {
	computation
	blocks int
	chunk  int // blocks of a chunk; the last may have fewer
	chunks int

	index       int     // among the tasks of the program
	first, last int     // steps of the plan
	more        bool    // the next task goes on with the last one
	work        float64 // estimate of what all of it costs, in additions

	nanos       int64 // estimate of the time that all of it takes
	parallelism int   // goroutines that are worth waking
	awake       int   // goroutines that are worth it if they spin already
	yields      int   // after how many chunks a goroutine yields its processor; 0 for never
}

// A computation computes blocks of a task. Blocks are independent: any worker computes
// any of them, in any order.
type computation interface {
	// prepare makes a worker ready for the task.
	prepare(w *worker) error
	// compute computes n blocks from the first on.
	compute(w *worker, bases []unsafe.Pointer, first, n int)
	// finish makes what the worker stored visible to others, and drops its pointers to
	// tensors, so that an idle worker keeps none alive.
	finish(w *worker)
	// failure returns the error of a panic of the kernel that the worker calls.
	failure(w *worker, reason any) error
}

// machine has the constants of executors without Tuning.
var machine = tuning.Default(1)

// tuned returns the constants that tasks are cut by.
func (e *Executor) tuned() *tuning.Machine {
	if e.Tuning != nil {
		return e.Tuning
	}
	return machine
}

// newTask returns the task of so many blocks, which have elems elements and cost work
// additions together. A chunk has about as many elements as chunk says.
func (e *Executor) newTask(c computation, blocks, elems int, work float64, chunk int) *task {
	t, m := &task{computation: c, blocks: blocks, work: work}, e.tuned()
	chunks := m.Pieces(e.workers().parallelism(), work)
	if work >= m.WakeWork { // more, so that the context is checked in between
		chunks = max((elems-1)/chunk+1, chunks)
	}
	t.chunk = (blocks-1)/max(1, min(chunks, maxChunks)) + 1
	t.chunks = (blocks-1)/t.chunk + 1
	// Timers and other goroutines wait for these chunks, and not until Go preempts a worker. Emerald Rapids, two
	// workers on two processors, a long chain of tanh: a deadline is noticed 0.1 ms late and not 15, in the same time.
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
