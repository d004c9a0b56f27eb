package program

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime"
)

// Binding is a program compiled for inputs of certain shapes and layouts.
type Binding struct {
	Sizes  map[string]int
	Passed map[string]int // sizes for which the passes ran, before the plan was resized
	Once   *plan.Plan     // the plan of values computed once from constants, or nil
	Plan   *plan.Plan     // the plan of each run
	Linked *runtime.Linked
	Times  *Times // times of runs, nil if they are not measured
	Outs   []ir.Type

	with   atomic.Pointer[Assembled] // the kernels that the schedule of its runs has, or nil
	due    atomic.Int64              // time of tilings, in nanoseconds, at which the next ones are assembled; 0 for never
	class  *class                    // of its sizes, or nil
	onceOf []int                     // params of the program that Once reads
	kept   atomic.Pointer[kept]      // the results of Once; nil before the first run
	used   atomic.Uint64             // clock of the cache at the last use
	hash   uint64                    // hash of the inputs that it is for
}

// Compile makes the binding for given sizes, but does not keep it. layouts has the layouts of the inputs; nil, as a
// list or an element, means row-major.
func (p *Program) Compile(sizes map[string]int, layouts []*layout.Layout) (*Binding, error) {
	p.cache.mu.Lock()
	defer p.cache.mu.Unlock()
	return p.compile(sizes, layouts)
}

// compile is Compile for callers that hold the lock of the cache.
func (p *Program) compile(sizes map[string]int, layouts []*layout.Layout) (*Binding, error) {
	c := p.classOf(sizes, layouts)
	if c != nil && c.batch != nil {
		pl := c.planned
		if pl.rest = c.batch.Resize(sizes[p.batch]); pl.rest != nil {
			return p.link(pl, nil, sizes, c)
		}
	}
	f, err := p.Func.Bind(sizes)
	if err != nil {
		return nil, p.withSizes(err, sizes)
	}
	return p.compileBound(f, sizes, layouts, c)
}

// compileBound is compile, by the passes, for the graph f, which is already bound to the sizes.
func (p *Program) compileBound(f *ir.Func, sizes map[string]int, layouts []*layout.Layout, c *class) (*Binding, error) {
	pl, err := p.plan(f, sizes, layouts)
	if err != nil {
		return nil, p.withSizes(err, sizes)
	}
	return p.link(pl, f, sizes, c)
}

// outs returns the types of the results for sizes. An extent of the graph f, bound to the sizes, is 0 where that of the program is
// negative, as of clipped slices. f is nil for a plan of another size that was resized.
func (p *Program) outs(f *ir.Func, sizes map[string]int) ([]ir.Type, error) {
	out := make([]ir.Type, len(p.Func.Results))
	for i, r := range p.Func.Results {
		shape := make(ir.Shape, len(r.Type.Shape))
		for k, d := range r.Type.Shape {
			n, err := d.Bind(sizes)
			if err != nil {
				return nil, err
			}
			shape[k] = ir.Fixed(max(n, 0))
		}
		if f != nil && !shape.Equal(f.Results[i].Type.Shape) {
			return nil, &ir.Error{Pos: r.Pos, Op: r.Called(), Msg: fmt.Sprintf("a result of shape %s is %s: an axis is too short", r.Type.Shape, f.Results[i].Type.Shape)}
		}
		out[i] = ir.Type{DType: r.Type.DType, Shape: shape}
	}
	return out, nil
}

// link makes the binding of a plan of the graph f, which is bound to the sizes, or nil for a resized plan.
func (p *Program) link(pl planned, f *ir.Func, sizes map[string]int, c *class) (*Binding, error) {
	b := &Binding{Sizes: sizes, Passed: pl.sizes, Once: pl.once, onceOf: pl.onceOf, Plan: pl.rest, class: c}
	var err error
	if b.Outs, err = p.outs(f, sizes); err != nil {
		return nil, p.withSizes(err, sizes)
	}
	set := p.assembler.set.Load()
	if p.preparing() {
		if set, _, err = p.assemble(b.Plan, nil); err != nil {
			return nil, p.withSizes(err, sizes)
		}
	}
	if p.config.Profiled {
		b.Times = &Times{}
	}
	nests, err := p.scheduleOn(p.library(set), b.Plan, set.options(schedule.Options{Own: pl.own, Drafts: p.drafts}, c != nil && c.batch != nil))
	if err != nil {
		return nil, p.withSizes(err, sizes)
	}
	if b.Linked, err = p.linkWith(b, nests, set); err != nil {
		return nil, p.withSizes(err, sizes)
	}
	b.Linked.Capture(p.Captured) // what is the same in each run; keep adds to it
	return b, nil
}

// linkWith links a schedule of a binding, made with a set of assembled kernels.
func (p *Program) linkWith(b *Binding, nests *nest.Program, set *Assembled) (*runtime.Linked, error) {
	l, err := p.config.Executor.LinkWith(nests, set.finder())
	if err != nil {
		return nil, err
	}
	l.InPlace(func() (*nest.Program, error) {
		return p.scheduleOn(p.library(set), b.Plan, schedule.Options{InPlace: true})
	})
	b.observe(&p.config.Observe, l, nests)
	p.improve(b, l, nests, set)
	b.with.Store(set)
	return l, nil
}

// observe connects the runs of a linked schedule of the binding to their observers.
func (b *Binding) observe(to *Observe, l *runtime.Linked, nests *nest.Program) {
	var missed func([]time.Duration)
	if to.Missed != nil {
		missed = to.Missed(b.Plan, nests)
	}
	if to.Progress == nil && !to.Profiled && missed == nil {
		return
	}
	o := &runtime.Observer{Progress: to.Progress, Every: to.Every}
	if missed != nil {
		o.Times = func(took, _ []time.Duration) { missed(took) }
	}
	if to.Profiled {
		o.Labels = true
		o.Times = func(took, copied []time.Duration) {
			b.Times.add(took, copied)
			if missed != nil {
				missed(took)
			}
		}
	}
	l.Observe(o)
}

// layouts returns the layouts of the first n params that the binding is for, nil for row-major.
func (b *Binding) layouts(n int) []*layout.Layout {
	list := make([]*layout.Layout, n)
	for i := range b.Plan.Buffers {
		if buf := &b.Plan.Buffers[i]; buf.Kind == plan.ParamBuffer && buf.Index < n {
			list[buf.Index] = buf.At
		}
	}
	return list
}

// withSizes adds to an error the sizes at which it occurs and, if it has no line, the user's line that compiles or
// runs.
func (p *Program) withSizes(err error, sizes map[string]int) error {
	var e *ir.Error
	if !errors.As(err, &e) {
		e = &ir.Error{Pos: ir.CallerPos(), Msg: err.Error()}
		err = e
	}
	if len(sizes) == 0 {
		return err
	}
	return &ir.Error{Pos: e.Pos, Op: e.Op, Msg: e.Msg + ", where " + p.SizesText(sizes)}
}

// SizesText formats sizes for messages: "n=3, m=4".
func (p *Program) SizesText(sizes map[string]int) string {
	text := make([]string, len(p.Sizes))
	for i, name := range p.Sizes {
		text[i] = fmt.Sprintf("%s=%d", name, sizes[name])
	}
	return strings.Join(text, ", ")
}

// Times has the times of a binding's steps in the first run and in the last ones.
type Times struct {
	mu    sync.Mutex
	runs  int
	first runTimes   // of the first run
	last  []runTimes // of the last runs after it, in a ring
}

// runTimes are the times of a run's steps, and the parts of these in which elements were only copied: see runtime.Observer.
type runTimes struct{ took, copied []time.Duration }

// timedRuns is the most runs of which Times keeps the times.
const timedRuns = 64

// add adds the times of a run.
func (t *Times) add(took, copied []time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	run := runTimes{slices.Clone(took), slices.Clone(copied)}
	switch {
	case t.runs == 0:
		t.first = run
	case len(t.last) < timedRuns:
		t.last = append(t.last, run)
	default:
		t.last[(t.runs-1)%timedRuns] = run
	}
	t.runs++
}

// reset forgets the runs so far.
func (t *Times) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs, t.first, t.last = 0, runTimes{}, nil
}

// Runs returns the number of complete runs.
func (t *Times) Runs() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.runs
}

// Median returns the median time of the steps first to last together: that of the last runs without the first one of all, which
// finds nothing in the caches, or of the first if it is the only one.
func (t *Times) Median(first, last int) time.Duration {
	return t.median(func(run *runTimes) time.Duration { return sumOf(run.took, first, last) })
}

// Copied returns the median time in which the steps first to last only copied elements, as Median does.
func (t *Times) Copied(first, last int) time.Duration {
	return t.median(func(run *runTimes) time.Duration { return sumOf(run.copied, first, last) })
}

// MedianOfRuns returns the median time of a run, as Median does.
func (t *Times) MedianOfRuns() time.Duration { return t.Median(0, math.MaxInt) }

// First returns the time of the first run.
func (t *Times) First() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return sumOf(t.first.took, 0, math.MaxInt)
}

func (t *Times) median(of func(run *runTimes) time.Duration) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []time.Duration
	for i := range t.last {
		all = append(all, of(&t.last[i]))
	}
	if len(all) == 0 {
		return of(&t.first)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// sumOf returns the sum of the times of the steps first to last. Steps behind the last one with elements have no times.
func sumOf(times []time.Duration, first, last int) (sum time.Duration) {
	for i := first; i <= last && i < len(times); i++ {
		sum += times[i]
	}
	return sum
}
