package runtime

import (
	"context"
	"fmt"
	"math"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// crew is the workers of an Executor. Jobs that want helpers stand in a queue;
// a worker that is free joins the first of them. The caller of a run computes
// too and never waits for a helper that has not begun.
type crew struct {
	mu      sync.Mutex
	idle    sync.Cond // workers wait here for a job
	jobs    []*job    // those that want helpers
	size    int       // workers at most, the callers not counted
	alive   int       // workers that have been started and have not ended
	helped  int       // chunks that workers have computed
	stopped bool
}

func newCrew(size int) *crew {
	c := &crew{size: size}
	c.idle.L = &c.mu
	return c
}

// job is a task being computed: its chunks are handed out by a counter.
type job struct {
	ctx   context.Context
	task  *task
	bases []unsafe.Pointer
	next  atomic.Int64 // the first chunk that nobody has

	failed atomic.Bool
	err    error // of the first to fail

	// Guarded by the crew's mu.
	want   int // helpers
	active int // helpers at work
	done   sync.Cond
}

// run computes a task and returns when nobody works on it any more. The job's
// fields are for this run; nothing is allocated.
func (j *job) run(ctx context.Context, t *task, st *state) error {
	j.ctx, j.task, j.bases, j.err = ctx, t, st.bases, nil
	j.failed.Store(false)
	j.next.Store(0)
	crew := st.l.crew
	if t.hands <= 1 || crew.size == 0 {
		j.work(&st.lane)
	} else {
		crew.help(j, min(crew.size, t.hands-1))
		j.work(&st.lane)
		crew.finish(j)
	}
	j.ctx, j.bases = nil, nil
	return j.err
}

// work computes chunks until none is left, and returns how many. A panic becomes
// the job's error.
func (j *job) work(ln *lane) (chunks int) {
	t := j.task
	defer j.end(ln, t)
	ln.job = j
	if err := ln.prepare(t); err != nil {
		j.fail(err)
		return 0
	}
	for ; ; chunks++ {
		c := j.next.Add(1) - 1
		if c >= int64(t.chunks) {
			return chunks
		}
		if err := j.ctx.Err(); err != nil {
			j.fail(err)
			return chunks
		}
		t.compute(ln, j.bases, int(c))
		if t.yields {
			goruntime.Gosched()
		}
	}
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
	j.next.Store(math.MaxInt64 / 2)
}

// help asks for n helpers, at most size. Two are woken here, and each wakes two more, so that
// the caller gets to work.
func (c *crew) help(j *job, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for ; c.alive < n && !c.stopped; c.alive++ {
		go c.serve()
	}
	j.want = n
	c.jobs = append(c.jobs, j)
	c.wake(n)
}

func (c *crew) wake(n int) {
	for range min(n, 2) {
		c.idle.Signal()
	}
}

// finish takes the job back and waits for the helpers that have begun.
func (c *crew) finish(j *job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.withdraw(j)
	for j.active > 0 {
		j.done.Wait()
	}
}

// withdraw lets nobody else join a job.
func (c *crew) withdraw(j *job) {
	if j.want > 0 {
		j.want = 0
		i := slices.Index(c.jobs, j)
		c.jobs = slices.Delete(c.jobs, i, i+1)
	}
}

// serve is a worker's life.
func (c *crew) serve() {
	debug.SetPanicOnFault(true) // of this goroutine
	ln := &lane{}
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.stopped {
		if len(c.jobs) == 0 {
			c.idle.Wait()
			continue
		}
		c.join(c.jobs[0], ln)
	}
	c.alive--
}

// join works on a job. The caller holds mu, and holds it again afterwards.
func (c *crew) join(j *job, ln *lane) {
	j.active++
	if j.want == 1 {
		c.withdraw(j)
	} else {
		j.want--
		c.wake(j.want)
	}
	c.mu.Unlock()
	chunks := j.work(ln)
	c.mu.Lock()
	c.helped += chunks
	if j.active--; j.active == 0 {
		j.done.Signal()
	}
}

// stop ends the workers, each after the job it is at.
func (c *crew) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	c.idle.Broadcast()
}
