package runtime

import (
	goruntime "runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// The worker pool: goroutines that compute chunks of the jobs of concurrent runs. A job knows what a chunk computes; the pool does not depend
// on kernels.

const (
	// spinTimeout is the longest time, in nanoseconds, that a worker without a job spins before it parks: about the
	// cost of parking and being woken.
	spinTimeout = 32_000
	// spinRatio is the greatest ratio of the time that a worker spins to the time of its last job. Small tasks that
	// fill that part of the time thus keep a worker awake.
	spinRatio = 4
	// maxWastedWakes is the greatest number of successive wakes without work that raise the price of the next wake for
	// small tasks. Each doubles it.
	maxWastedWakes = 8
	// poolSlots is the greatest number of jobs that are offered to workers at a time. If more run at once, no
	// processor is idle.
	poolSlots = 8
)

// A pool is the worker goroutines of an Executor. A job that wants workers is put into a slot, where spinning workers find it; parked ones are
// woken if the job is large enough. The goroutine that calls Run also computes, and never waits for a worker that has not
// joined its job.
type pool struct {
	slots    [poolSlots]atomic.Pointer[job]
	stopped  atomic.Bool
	_        [64]byte     // spinning workers read the fields above all the time
	spinners atomic.Int32 // workers that spin
	burst    atomic.Int64 // see bursts
	wasted   atomic.Int32 // successive wakes that found no work
	helped   atomic.Int64 // chunks that workers have computed

	size        int   // greatest number of workers, without callers
	maxSpinners int32 // greatest number of workers that spin at a time
	spinTimeout int64 // nanoseconds; 0 where a spinning worker would keep others from working

	mu     sync.Mutex
	idle   sync.Cond // workers park here
	parked int       // parked workers
	alive  int       // workers that have started and not ended
}

func newPool(size int) *pool {
	p := &pool{size: size}
	if procs := min(goruntime.GOMAXPROCS(0), goruntime.NumCPU()); procs > 1 {
		p.maxSpinners, p.spinTimeout = int32(min(size, procs-1)), spinTimeout
	}
	p.idle.L = &p.mu
	return p
}

// parallelism returns the number of goroutines that can compute one task, including the caller's.
func (p *pool) parallelism() int {
	if p == nil {
		return 1
	}
	return p.size + 1
}

// submit offers a job to workers. It returns true if some may join it, and the caller must then call finish. Only a large job wakes workers; a
// small one is for those that spin.
func (p *pool) submit(j *job) bool {
	t := j.task
	wake := min(t.parallelism-1, p.size)
	want := max(wake, min(t.awake-1, int(p.spinners.Load())))
	if want <= 0 {
		if t.awake <= 1 || p.maxSpinners == 0 || !p.bursts(t) {
			return false
		}
		wake, want = 1, 1
	}
	if !p.publish(j) {
		return false
	}
	j.large.Store(wake > 0)
	j.want.Store(int32(want)) // workers that found the job in an earlier run may join from now on
	p.wake(wake)
	return true
}

// publish puts a job into a free slot, and reports whether there was one.
func (p *pool) publish(j *job) bool {
	for i := range p.slots {
		if s := &p.slots[i]; s.Load() == nil && s.CompareAndSwap(nil, j) {
			j.slot = s
			return true
		}
	}
	return false
}

// finish prevents further workers from joining a job and waits for those that have joined.
func (p *pool) finish(j *job) {
	j.slot.Store(nil)
	j.want.Store(0)
	j.wait(p.spinTimeout)
}

// bursts reports whether small tasks come so fast that it pays to wake a worker, which then spins for the next of them. Each task adds
// spinRatio times its duration to an account that drains with the clock. Wakes that found no work, for example because other
// processes use the processors, raise the threshold.
func (p *pool) bursts(t *task) bool {
	now := clock()
	until := max(now, p.burst.Load()) + spinRatio*t.nanos
	enough := until-now > 2*spinTimeout<<p.wasted.Load()
	if enough {
		until = now
	}
	p.burst.Store(until)
	return enough
}

// wake wakes or starts workers until n spin. It wakes two, and each of those wakes two more, so that the caller can start to compute
// soon.
func (p *pool) wake(n int) {
	// A worker whose spin times out checks once more, so those that spin count.
	n -= int(p.spinners.Load())
	if n <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for range min(n, 2) {
		switch {
		case p.stopped.Load():
		case p.parked > 0:
			p.parked--
			p.idle.Signal()
		case p.alive < p.size:
			p.alive++
			go p.serve()
		}
	}
}

// serve is the loop of a worker goroutine. The Err method of a context may end it.
func (p *pool) serve() {
	defer func() {
		p.mu.Lock()
		p.alive--
		p.mu.Unlock()
	}()
	debug.SetPanicOnFault(true) // of this goroutine
	w := &worker{}
	for timeout, woken := p.spinTimeout, true; ; {
		if !p.spin(timeout) {
			if woken {
				p.wasted.Store(min(p.wasted.Load()+1, maxWastedWakes))
			}
			var alive bool
			if woken, alive = p.park(); !alive {
				return
			}
			timeout = p.spinTimeout
			continue
		}
		if j := p.find(); j != nil && j.join() {
			p.wasted.Store(0)
			timeout, woken = min(p.spinTimeout, spinRatio*j.task.nanos), false
			p.help(j, w)
		}
	}
}

// help computes chunks of a job that the worker has joined.
func (p *pool) help(j *job, w *worker) {
	for _, wanting := range []*job{j, p.find()} { // both may have counted on this worker
		if wanting != nil && wanting.large.Load() {
			p.wake(int(wanting.want.Load()))
		}
	}
	defer j.leave()
	if j.observed != nil {
		defer j.observed.enter(j)()
	}
	w.job = j
	p.helped.Add(int64(j.work(w, byHelper)))
	w.job = nil
}

// find returns a job that wants workers, or nil.
func (p *pool) find() *job {
	for i := range p.slots {
		if j := p.slots[i].Load(); j != nil && j.want.Load() > 0 {
			return j
		}
	}
	return nil
}

// due reports whether a worker has work or must stop.
func (p *pool) due() bool { return p.find() != nil || p.stopped.Load() }

// spin waits for a job for timeout nanoseconds and reports whether there is one. If enough other workers spin, it only checks
// once.
func (p *pool) spin(timeout int64) bool {
	defer p.spinners.Add(-1)
	if p.spinners.Add(1) > p.maxSpinners {
		timeout = 0
	}
	return spin(timeout, p.due) && !p.stopped.Load()
}

// park waits until the worker is woken, unless there already is something to do. It returns whether it waited, and whether the worker continues.
func (p *pool) park() (woken, alive bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if woken = !p.due(); woken {
		p.parked++
		p.idle.Wait()
	}
	return woken, !p.stopped.Load()
}

// stop ends the workers, each after its current job.
func (p *pool) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped.Store(true)
	p.parked = 0
	p.idle.Broadcast()
}
