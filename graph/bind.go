package graph

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime"
)

// binding is a program compiled for inputs of certain shapes and layouts.
type binding struct {
	sizes  map[string]int
	passed map[string]int       // the sizes that the passes were given, before the plan was resized
	once   *plan.Plan           // what is computed once of constants, or nil
	onceOf []int                // the params of the program that it reads
	kept   atomic.Pointer[kept] // its results; nil before the first run
	plan   *plan.Plan
	linked *runtime.Linked
	times  *times // of runs, nil if they are not measured
	outs   []ir.Type
	used   atomic.Uint64
	hash   uint64 // of the inputs that it is for
}

// compile makes the binding for given sizes. layouts says where the inputs'
// elements sit; nil stands for row-major, for one or all.
func (p *Program) compile(sizes map[string]int, layouts []*layout.Layout) (*binding, error) {
	if pl, ok := p.ofClass(sizes, layouts); ok {
		return p.link(pl, sizes)
	}
	f, err := p.fn.Bind(sizes)
	if err != nil {
		return nil, withSizes(err, p.sizes, sizes)
	}
	return p.lower(f, sizes, layouts)
}

// lower is compile once the graph is known to fit the sizes: f is the graph of those.
func (p *Program) lower(f *ir.Func, sizes map[string]int, layouts []*layout.Layout) (*binding, error) {
	pl, err := p.plan(f, sizes, layouts)
	if err != nil {
		return nil, withSizes(err, p.sizes, sizes)
	}
	return p.link(pl, sizes)
}

// link makes the binding of a plan.
func (p *Program) link(pl planned, sizes map[string]int) (*binding, error) {
	b := &binding{sizes: sizes, passed: pl.sizes, once: pl.once, onceOf: pl.onceOf, plan: pl.rest, outs: make([]ir.Type, len(p.fn.Results))}
	for i, r := range p.fn.Results {
		shape, err := r.Type.Shape.Bind(sizes)
		if err != nil {
			return nil, withSizes(err, p.sizes, sizes)
		}
		b.outs[i] = ir.Type{DType: r.Type.DType, Shape: shape}
	}
	nests, err := p.schedule(b.plan, schedule.Options{Groups: pl.groups, Drafts: p.drafts})
	if err != nil {
		return nil, withSizes(err, p.sizes, sizes)
	}
	if b.linked, err = p.executor.Link(nests); err != nil {
		return nil, withSizes(err, p.sizes, sizes)
	}
	b.linked.Capture(p.captured) // what stays the same in each run; keep adds to it
	b.linked.InPlace(func() (*nest.Program, error) { return p.scheduleInPlace(b.plan) })
	p.observe(b, nests)
	return b, nil
}

// scheduleInPlace makes the schedule of a plan for runs that compute results in place.
func (p *Program) scheduleInPlace(pl *plan.Plan) (*nest.Program, error) {
	return p.schedule(pl, schedule.Options{InPlace: true})
}

// schedule makes the schedule of a plan.
func (p *Program) schedule(pl *plan.Plan, o schedule.Options) (*nest.Program, error) {
	o.TilingOnly = p.tilings
	if p.options.Verify {
		if err := pl.Verify(); err != nil {
			return nil, misuse("compile", "before the schedule: %v\n%s", err, pl)
		}
	}
	nests, err := schedule.Schedule(pl, p.machine, p.executor, o)
	if err != nil || !p.options.Verify {
		return nests, err
	}
	if err := nests.Verify(); err != nil {
		return nil, misuse("compile", "after the schedule: %v\n%s", err, nests)
	}
	return nests, nil
}

// withSizes adds to an error the sizes that it occurs with, and the line of the user's that
// compiles or runs if it has none.
func withSizes(err error, names []string, sizes map[string]int) error {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Pos: ir.CallerPos(), Msg: err.Error()}
		err = e
	}
	if len(sizes) == 0 {
		return err
	}
	return &Error{Pos: e.Pos, Op: e.Op, Msg: e.Msg + ", where " + sizesText(names, sizes)}
}

func sizesText(names []string, sizes map[string]int) string {
	text := make([]string, len(names))
	for i, name := range names {
		text[i] = fmt.Sprintf("%s=%d", name, sizes[name])
	}
	return strings.Join(text, ", ")
}

// fits reports whether the binding is for these inputs.
func (b *binding) fits(p *Program, ins []*Tensor) bool {
	return len(ins) == len(p.inputs) && b.linked.Takes(ins)
}
