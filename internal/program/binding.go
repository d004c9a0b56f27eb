package program

import (
	"errors"
	"fmt"
	"strings"
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
			return p.link(pl, sizes, c)
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
	return p.link(pl, sizes, c)
}

// link makes the binding of a plan.
func (p *Program) link(pl planned, sizes map[string]int, c *class) (*Binding, error) {
	b := &Binding{Sizes: sizes, Passed: pl.sizes, Once: pl.once, onceOf: pl.onceOf, Plan: pl.rest, Outs: make([]ir.Type, len(p.Func.Results)), class: c}
	for i, r := range p.Func.Results {
		shape, err := r.Type.Shape.Bind(sizes)
		if err != nil {
			return nil, p.withSizes(err, sizes)
		}
		b.Outs[i] = ir.Type{DType: r.Type.DType, Shape: shape}
	}
	set := p.assembler.set.Load()
	if p.preparing() {
		var err error
		if set, _, err = p.assemble(b.Plan, nil); err != nil {
			return nil, p.withSizes(err, sizes)
		}
	}
	if p.config.Profiled {
		b.Times = newTimes(len(b.Plan.Steps))
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
	o := &runtime.Observer{Progress: to.Progress, Every: to.Every, Times: missed}
	if to.Profiled {
		o.Labels = true
		o.Times = func(took []time.Duration) {
			b.Times.add(took)
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

// Times sums up the times of a binding's steps.
type Times struct {
	runs  atomic.Int64
	total []atomic.Int64 // nanoseconds, by the first step of each task
}

func newTimes(steps int) *Times { return &Times{total: make([]atomic.Int64, steps)} }

// add adds the times of a run.
func (t *Times) add(took []time.Duration) {
	for i, d := range took {
		t.total[i].Add(int64(d))
	}
	t.runs.Add(1)
}

// reset forgets the runs so far.
func (t *Times) reset() {
	t.runs.Store(0)
	for i := range t.total {
		t.total[i].Store(0)
	}
}

// Runs returns the number of complete runs.
func (t *Times) Runs() int { return int(t.runs.Load()) }

// MeanOf returns the mean time of the task that begins with a step.
func (t *Times) MeanOf(step int) time.Duration {
	return time.Duration(t.total[step].Load() / max(1, t.runs.Load()))
}

// Mean returns the mean time of a run.
func (t *Times) Mean() (sum time.Duration) {
	for i := range t.total {
		sum += t.MeanOf(i)
	}
	return sum
}
