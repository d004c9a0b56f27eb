package runtime

import (
	"context"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"time"
)

// Observation of runs: progress, the time of each task, and regions and labels for Go's tracer and profiler. An unobserved run checks once
// whether the tracer is on, and tests a pointer for each chunk.

// Progress describes the progress of a run.
type Progress struct {
	Program   string        // its name
	Constants bool          // the run computes what later runs keep of the constants, such as packed weights; the fields below count that alone
	Done      int           // steps of the plan that are complete
	Steps     int           // of the plan, without those that have no elements
	Fraction  float64       // of the work by estimated cost, from 0 to 1
	Elapsed   time.Duration // since the run began
}

// An Observer has functions that runs of a program call, on the goroutines that called Run. Nil functions are not called.
type Observer struct {
	// Progress is called between two chunks that its goroutine computes, at most once in the interval Every, and with Fraction 1
	// at the end of a run without error. It gets the context of the run. Its panic becomes the error of the run.
	Progress  func(context.Context, Progress)
	Every     time.Duration
	Constants bool // of Progress
	// Times is called at the end of a run without error, with the time of each step, and the part of it in which elements were
	// only copied to where kernels read or store them. The times of several tasks of one step are added up. The time of a row group
	// is divided among its steps by what they take in some of its blocks.
	Times func(took, copied []time.Duration)
	// Labels adds the labels "program" and "step" to the samples of a CPU profile.
	Labels bool
}

// Observe sets the observer of the program's runs. It must be called before the first.
func (l *Linked) Observe(o *Observer) { l.observer = o }

// observation is the state of an observed run.
type observation struct {
	Observer
	ctx         context.Context
	st          *state
	begun, last int64           // times of the start and of the last report
	task        *task           // being executed
	done        int             // steps
	steps       int             // of all tasks
	before      float64         // work of the earlier tasks
	work        float64         // of all tasks
	took        []time.Duration // by step
	copied      []time.Duration
	samples     []sample
}

// observation returns the observation of a run, or nil if it is not observed.
func (st *state) observation(ctx context.Context) *observation {
	l := st.l
	now := clock()
	o := &observation{ctx: ctx, st: st, begun: now, last: now}
	if l.observer != nil {
		o.Observer = *l.observer
	}
	for _, t := range l.tasks {
		o.steps += t.steps()
		o.work += t.work
	}
	if n := len(l.tasks); n > 0 {
		steps := l.tasks[n-1].last + 1
		o.took, o.copied, o.samples = make([]time.Duration, steps), make([]time.Duration, steps), make([]sample, steps)
	}
	return o
}

// compute computes the tasks in a region of the tracer.
func (o *observation) compute() error {
	defer trace.StartRegion(o.ctx, "program "+o.st.l.name).End()
	for _, t := range o.st.l.tasks {
		if err := ContextError(o.ctx); err != nil {
			return err
		}
		if err := o.one(t); err != nil {
			return err
		}
	}
	if o.Times != nil {
		o.Times(o.took, o.copied)
	}
	if o.Progress != nil {
		return o.report(1)
	}
	return nil
}

// one computes a task.
func (o *observation) one(t *task) (err error) {
	defer trace.StartRegion(o.ctx, "step "+t.stepText()).End()
	j, begun := &o.st.job, clock()
	o.task, j.observed = t, o
	if o.Labels && !o.st.keeps(t) {
		pprof.Do(o.ctx, pprof.Labels("program", o.st.l.name, "step", t.stepText()), func(ctx context.Context) {
			j.ctx = ctx
			err = j.run(t, o.st)
			j.ctx = o.ctx
		})
	} else if !o.st.keeps(t) {
		err = j.run(t, o.st)
	}
	j.observed = nil
	o.done += t.steps()
	o.before += t.work
	if err != nil {
		return err
	}
	o.divide(t, time.Duration(clock()-begun))
	return o.chunk(0)
}

// chunk reports the progress if it is due; part is the completed part of the present task.
func (o *observation) chunk(part float64) error {
	if o.Progress == nil || clock()-o.last < int64(o.Every) {
		return nil
	}
	done := o.before
	if part > 0 {
		done += part * o.task.work
	}
	return o.report(done / max(o.work, done, 1))
}

// report calls the observer.
func (o *observation) report(fraction float64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = failf("the observer of its progress panics: %v", p)
		}
	}()
	o.last = clock()
	o.Progress(o.ctx, Progress{o.st.l.name, o.Constants, o.done, o.steps, fraction, time.Duration(o.last - o.begun)})
	return nil
}

// enter marks the beginning of a worker's part of a job for the tracer and the profiler. The returned function marks its end.
func (o *observation) enter(j *job) (leave func()) {
	region := trace.StartRegion(j.ctx, "step "+j.task.stepText())
	if o.Labels {
		pprof.SetGoroutineLabels(j.ctx)
	}
	return func() {
		if o.Labels {
			pprof.SetGoroutineLabels(context.Background())
		}
		region.End()
	}
}

// steps returns how many steps a task completes.
func (t *task) steps() int {
	if t.more {
		return 0
	}
	return t.last - t.first + 1
}

// stepText names the steps of a task: "3", or "3-5".
func (t *task) stepText() string {
	if t.first == t.last {
		return strconv.Itoa(t.first)
	}
	return strconv.Itoa(t.first) + "-" + strconv.Itoa(t.last)
}
