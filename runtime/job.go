package runtime

import (
	"context"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A job is one execution of a task. A counter hands out its chunks: to the caller of the run from the first one up, to the pool's workers from
// the last one down. When a task is executed repeatedly, each goroutine then gets chunks whose data is in its cache.
type job struct {
	bases []unsafe.Pointer // of the program's buffers
	ctx   context.Context  // of the run
	task  *task            // nil between two tasks

	observed *observation // nil if nothing observes the run

	failed atomic.Bool
	err    error // the first one

	taken  atomic.Int64 // chunks taken: byCaller for each of the caller's, byHelper for each other
	large  atomic.Bool  // worth waking workers for
	want   atomic.Int32 // workers that may still join; none if not positive
	active atomic.Int32 // workers that have joined or are trying to
	waits  atomic.Bool  // the caller is parked until active is 0
	left   sync.Cond
	slot   *atomic.Pointer[job] // of the pool, where workers find the job
}

// The amounts that a chunk adds to job.taken, and the greatest number of chunks of a task.
const (
	byCaller  = 1
	byHelper  = 1 << 32
	maxChunks = 1 << 30
)

// begin prepares the job for a new run.
func (j *job) begin(ctx context.Context) {
	j.ctx = ctx
	if j.failed.Load() {
		j.failed.Store(false)
		j.err = nil
	}
}

// run executes a task on the caller's worker and on those of the pool that join, and returns after the last of them has left. It allocates
// nothing. For a panic of a kernel see interrupt.
func (j *job) run(t *task, st *state) error {
	j.task = t
	if t.chunks > 1 {
		j.share(st)
	} else { // alone, without a counter
		w := &st.worker
		if err := t.prepare(w); err != nil {
			j.fail(err)
		} else {
			t.compute(w, j.bases, 0, t.blocks)
		}
		t.finish(w)
	}
	j.task = nil
	return j.err
}

// share computes chunks together with the workers that join.
func (j *job) share(st *state) {
	j.taken.Store(0)
	if st.l.pool.submit(j) {
		defer st.l.pool.finish(j)
	}
	j.work(&st.worker, byCaller)
}

// interrupt ends an unfinished call of a worker: it has panicked with reason or, if reason is nil, its goroutine ends. Either becomes the job's
// error.
func (j *job) interrupt(t *task, w *worker, reason any) {
	if reason == nil {
		j.fail(errEnded)
	} else {
		j.fail(t.failure(w, reason))
	}
	t.finish(w)
}

// work computes chunks until none is left, and returns their number.
func (j *job) work(w *worker, who int64) (chunks int) {
	t, returned := j.task, false
	defer func() {
		if !returned {
			j.interrupt(t, w, recover())
		}
	}()
	chunks = j.chunksLeft(w, t, who)
	t.finish(w)
	returned = true
	return chunks
}

// chunksLeft computes chunks until none is left, and returns their number.
func (j *job) chunksLeft(w *worker, t *task, who int64) (chunks int) {
	if err := t.prepare(w); err != nil {
		j.fail(err)
		return 0
	}
	for ; ; chunks++ {
		c, left := j.take(t.chunks, who)
		if left < 0 {
			return chunks
		}
		if left == 0 {
			j.want.Store(0) // a worker that joined now would find nothing
		}
		if err := ContextError(j.ctx); err != nil {
			j.fail(err)
			return chunks
		}
		t.run(w, j.bases, c)
		if j.observed != nil && who == byCaller {
			if err := j.observed.chunk(float64(t.chunks-left) / float64(t.chunks)); err != nil {
				j.fail(err)
				return chunks
			}
		}
		if t.yields > 0 && (chunks+1)%t.yields == 0 {
			goruntime.Gosched()
		}
	}
}

// take takes one of n chunks and returns it and the number left, which is negative if there was none to take.
func (j *job) take(n int, who int64) (c, left int) {
	taken := j.taken.Add(who)
	front, back := int(taken%byHelper), int(taken/byHelper)
	if who == byCaller {
		c = front - 1
	} else {
		c = n - back
	}
	return c, n - front - back
}

// fail records the first error and prevents all goroutines from taking another chunk.
func (j *job) fail(err error) {
	if j.failed.CompareAndSwap(false, true) {
		j.err = err
	}
	j.taken.Store(maxChunks)
}

// stopped reports whether the run has failed or is cancelled. A long computation calls it between kernels, and returns if it is
// true.
func (j *job) stopped() bool {
	if err := ContextError(j.ctx); err != nil {
		j.fail(err)
	}
	return j.failed.Load()
}

// join adds the calling worker to the job if the job still wants one. The worker may have found the job earlier, and by now the job may be over or
// execute another task.
func (j *job) join() bool {
	if j.want.Load() <= 0 {
		return false
	}
	j.active.Add(1) // before reading want, so that the caller waits for every worker that joins
	if j.want.Add(-1) >= 0 {
		return true
	}
	j.leave()
	return false
}

// leave ends the membership that join began.
func (j *job) leave() {
	if j.active.Add(-1) == 0 && j.waits.Load() {
		j.left.L.Lock()
		j.left.Signal()
		j.left.L.Unlock()
		goruntime.Gosched() // the caller runs at once, on this thread
	}
}

// alone reports whether no worker of the pool is active.
func (j *job) alone() bool { return j.active.Load() == 0 }

// wait returns when no worker of the pool is active. It spins for timeout nanoseconds,
// then it parks.
func (j *job) wait(timeout int64) {
	if spin(timeout, j.alone) {
		return
	}
	j.left.L.Lock()
	defer j.left.L.Unlock()
	j.waits.Store(true)
	for !j.alone() {
		j.left.Wait()
	}
	j.waits.Store(false)
}
