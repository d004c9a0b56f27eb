package runtime

import (
	goruntime "runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

const (
	// lookFor is how long a worker that has done a job looks for the next before it
	// parks, at most, in nanoseconds: about what it costs to park and be woken.
	lookFor = 32_000
	// lookPart is how many times longer than its last job a worker looks, at most.
	// Small tasks are worth a worker's looking if they fill this part of the time.
	lookPart = 4
	// mostVain is how many times a worker woken for nothing doubles what it takes to
	// wake one for small tasks.
	mostVain = 8
	// places is how many jobs can call for helpers at a time. Where more run at once
	// nobody is idle.
	places = 8
)

// crew is the workers of an Executor. A job that wants helpers stands in a place
// where those workers see it that are awake and look for one; others are woken if
// it is worth it. The caller of a run computes too and never waits for a helper
// that has not begun.
type crew struct {
	jobs    [places]atomic.Pointer[job] // those that want helpers
	stopped atomic.Bool
	_       [64]byte     // workers read the former all the time
	looking atomic.Int32 // workers awake and without a job
	burst   atomic.Int64 // see bursts
	vain    atomic.Int32 // times in a row that a worker was woken for nothing
	helped  atomic.Int64 // chunks that workers have computed

	size    int   // workers at most, the callers not counted
	looks   int32 // how many may look at a time
	lookFor int64 // nanoseconds, 0 where a worker that looks would keep others from working

	mu     sync.Mutex
	idle   sync.Cond // workers are parked here
	parked int       // so many
	alive  int       // workers that have been started and have not ended
}

func newCrew(size int) *crew {
	c := &crew{size: size}
	if procs := min(goruntime.GOMAXPROCS(0), goruntime.NumCPU()); procs > 1 {
		c.looks, c.lookFor = int32(min(size, procs-1)), lookFor
	}
	c.idle.L = &c.mu
	return c
}

// hands returns how many goroutines may share a step.
func (c *crew) hands() int {
	if c == nil {
		return 1
	}
	return c.size + 1
}

// offer lets workers join a job, and reports whether some may come: finish is then
// due. A small task is for those that are awake.
func (c *crew) offer(j *job) bool {
	t := j.task
	wake := min(t.hands-1, c.size)
	want := max(wake, min(t.awake-1, int(c.looking.Load())))
	if want <= 0 {
		if t.awake <= 1 || c.looks == 0 || !c.bursts(t) {
			return false
		}
		wake, want = 1, 1
	}
	if !c.place(j) {
		return false
	}
	j.large.Store(wake > 0)
	j.want.Store(int32(want)) // from here on a worker may join that has known the job before
	c.wake(wake)
	return true
}

// place puts a job where workers look.
func (c *crew) place(j *job) bool {
	for i := range c.jobs {
		if p := &c.jobs[i]; p.Load() == nil && p.CompareAndSwap(nil, j) {
			j.place = p
			return true
		}
	}
	return false
}

// finish lets nobody else join a job and waits for the helpers that have.
func (c *crew) finish(j *job) {
	j.place.Store(nil)
	j.want.Store(0)
	j.wait(c.lookFor)
}

// bursts reports whether so many small tasks came lately that a worker is worth
// waking, which then waits for more of them. The time that they take piles up,
// lookPart times, and runs off with the clock. If those woken before came too late
// for anything, as when other processes have the processors, it takes more.
func (c *crew) bursts(t *task) bool {
	now := clock()
	until := max(now, c.burst.Load()) + lookPart*t.time
	enough := until-now > 2*lookFor<<c.vain.Load()
	if enough {
		until = now
	}
	c.burst.Store(until)
	return enough
}

// wake gets workers to look for jobs until there are n that do. Two are woken here,
// and each wakes two more, so that the caller gets to work.
func (c *crew) wake(n int) {
	// Who stops looking takes another look, and will see the job that n are for.
	n -= int(c.looking.Load())
	if n <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for range min(n, 2) {
		switch {
		case c.stopped.Load():
		case c.parked > 0:
			c.parked--
			c.idle.Signal()
		case c.alive < c.size:
			c.alive++
			go c.serve()
		}
	}
}

// serve is a worker's life.
func (c *crew) serve() {
	debug.SetPanicOnFault(true) // of this goroutine
	ln := &lane{}
	for long, woken := c.lookFor, true; ; {
		if !c.look(long) {
			if woken {
				c.vain.Store(min(c.vain.Load()+1, mostVain))
			}
			var alive bool
			if woken, alive = c.park(); !alive {
				return
			}
			long = c.lookFor
			continue
		}
		if j := c.find(); j != nil && j.join() {
			c.vain.Store(0)
			long, woken = min(c.lookFor, lookPart*j.task.time), false
			c.help(j, ln)
		}
	}
}

// help works on a job that the worker has joined.
func (c *crew) help(j *job, ln *lane) {
	for _, other := range []*job{j, c.find()} { // for which this worker may have been counted on
		if other != nil && other.large.Load() {
			c.wake(int(other.want.Load()))
		}
	}
	c.helped.Add(int64(j.work(ln, helper)))
	j.leave()
}

// find returns a job that wants helpers, or nil.
func (c *crew) find() *job {
	for i := range c.jobs {
		if j := c.jobs[i].Load(); j != nil && j.want.Load() > 0 {
			return j
		}
	}
	return nil
}

// due reports whether there is something to do for a worker.
func (c *crew) due() bool { return c.find() != nil || c.stopped.Load() }

// look looks for a job for so long, and reports whether there is one, unless
// enough others look already.
func (c *crew) look(long int64) bool {
	defer c.looking.Add(-1)
	if c.looking.Add(1) > c.looks {
		long = 0
	}
	return watch(long, c.due) && !c.stopped.Load()
}

// park waits until the worker is woken, unless there is a job for it, and reports
// whether it was and whether it is to live on.
func (c *crew) park() (woken, alive bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if woken = !c.due(); woken {
		c.parked++
		c.idle.Wait()
	}
	if alive = !c.stopped.Load(); !alive {
		c.alive--
	}
	return woken, alive
}

// stop ends the workers, each after the job it is at.
func (c *crew) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped.Store(true)
	c.parked = 0
	c.idle.Broadcast()
}
