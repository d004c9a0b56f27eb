package runtime

import (
	"context"
	"fmt"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// job is a task being computed. Its chunks are handed out by a counter, to the
// caller from the first on and to helpers from the last on: so, when a task is
// computed again and again, a chunk's data is in the cache of who has it next.
type job struct {
	ctx   context.Context
	task  *task
	bases []unsafe.Pointer

	failed atomic.Bool
	err    error // of the first to fail

	taken  atomic.Int64 // chunks: by the caller, plus helper times those by helpers
	large  atomic.Bool  // worth waking workers for
	want   atomic.Int32 // how many may still join; nobody may at 0 and below
	active atomic.Int32 // helpers at work, and those that ask whether they may
	waits  atomic.Bool  // the caller is parked until the last of them has left
	left   sync.Cond
	place  *atomic.Pointer[job] // of the crew's, where it stands
}

// What a chunk adds to job.taken, and how many there are at most.
const (
	caller     = 1
	helper     = 1 << 32
	mostChunks = 1 << 30
)

// run computes a task and returns when nobody works on it any more. The job's
// fields are for this run; nothing is allocated.
func (j *job) run(ctx context.Context, t *task, st *state) error {
	j.ctx, j.task, j.bases, j.err = ctx, t, st.bases, nil
	if j.failed.Load() { // a store takes long
		j.failed.Store(false)
	}
	if t.chunks == 1 {
		j.once(&st.lane)
	} else {
		j.share(st)
	}
	j.ctx, j.bases = nil, nil
	return j.err
}

// share computes the chunks with the helpers that come.
func (j *job) share(st *state) {
	j.taken.Store(0)
	come := st.l.crew.offer(j)
	j.work(&st.lane, caller)
	if come {
		st.l.crew.finish(j)
	}
}

// once computes the only chunk, as work does: there are no others to let go first.
func (j *job) once(ln *lane) {
	t := j.task
	defer j.end(ln, t)
	ln.job = j
	err := ln.prepare(t)
	if err == nil {
		err = j.ctx.Err()
	}
	if err != nil {
		j.fail(err)
		return
	}
	t.compute(ln, j.bases, 0)
}

// work computes chunks until none is left, and returns how many. A panic becomes
// the job's error.
func (j *job) work(ln *lane, who int64) (chunks int) {
	t := j.task
	defer j.end(ln, t)
	ln.job = j
	if err := ln.prepare(t); err != nil {
		j.fail(err)
		return 0
	}
	for ; ; chunks++ {
		c, left := j.take(t.chunks, who)
		if left < 0 {
			return chunks
		}
		if left == 0 {
			j.want.Store(0) // who came now would only be waited for
		}
		if err := j.ctx.Err(); err != nil {
			j.fail(err)
			return chunks
		}
		t.compute(ln, j.bases, c)
		if t.yields {
			goruntime.Gosched()
		}
	}
}

// take takes one of n chunks, and returns how many are left then: less than none
// if there was none to take.
func (j *job) take(n int, who int64) (c, left int) {
	taken := j.taken.Add(who)
	front, back := int(taken%helper), int(taken/helper)
	if who == caller {
		c = front - 1
	} else {
		c = n - back
	}
	return c, n - front - back
}

func (j *job) end(ln *lane, t *task) {
	if p := recover(); p != nil {
		s := ln.now
		if s == nil {
			s = t.steps[0]
		}
		j.fail(fmt.Errorf("run: %s: %v", s.kernel.Signature(), p))
	}
	ln.forget(t)
	t.fence()
}

// fail notes the first error and keeps the others from taking another chunk.
func (j *job) fail(err error) {
	if j.failed.CompareAndSwap(false, true) {
		j.err = err
	}
	j.taken.Store(mostChunks)
}

// join makes a worker one of the job's helpers, if one is wanted. The worker may
// have found the job long ago: then it is over, or computes another task.
func (j *job) join() bool {
	if j.want.Load() <= 0 {
		return false
	}
	j.active.Add(1) // first, so that the caller waits for whoever has got in
	if j.want.Add(-1) >= 0 {
		return true
	}
	j.leave()
	return false
}

// leave is a helper's end of join.
func (j *job) leave() {
	if j.active.Add(-1) == 0 && j.waits.Load() {
		j.left.L.Lock()
		j.left.Signal()
		j.left.L.Unlock()
		goruntime.Gosched() // the caller runs at once, on this thread
	}
}

// alone reports whether no helper is at work.
func (j *job) alone() bool { return j.active.Load() == 0 }

// wait returns when no helper is at work. It watches for so long, then it parks.
func (j *job) wait(long int64) {
	if watch(long, j.alone) {
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
