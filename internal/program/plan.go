package program

import (
	"errors"
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// From a graph with bound sizes to a plan, and from a plan to a schedule.

// planned is the plan of a program in two parts: values computed once from constants, and the rest.
type planned struct {
	sizes  map[string]int // the sizes for which the passes ran
	once   *plan.Plan     // the part computed once, or nil
	onceOf []int          // params of the program that once reads
	rest   *plan.Plan
	own    *schedule.Drafts // of schedules of the rest
}

// plan makes the plan for the sizes that the graph f is bound to, by running the passes. It takes over f. layouts has
// the layouts of the inputs; nil, as a list or an element, means row-major.
func (p *Program) plan(f *ir.Func, sizes map[string]int, layouts []*layout.Layout) (planned, error) {
	pl := planned{sizes: sizes, own: &p.own}
	whole, err := p.lower(f, layouts, p.options)
	if err != nil {
		return pl, err
	}
	pl.once, pl.onceOf, pl.rest, err = passes.Split(whole)
	return pl, err
}

// lower runs the passes on a graph.
func (p *Program) lower(f *ir.Func, layouts []*layout.Layout, o passes.Options) (*plan.Plan, error) {
	for i, l := range layouts {
		if l != nil {
			attr := *f.Params[i].Attr
			attr.At, f.Params[i].Attr = l, &attr
		}
	}
	return passes.Lower(f, o)
}

// Lower runs the passes again with the layouts of a binding, to inspect what each pass makes. It takes over f.
func (p *Program) Lower(f *ir.Func, b *Binding, observe func(pass string, text func() string)) (*plan.Plan, error) {
	o := p.options
	o.Observe = observe
	return p.lower(f, b.layouts(p.Inputs), o)
}

// Split takes the result of Lower through the stages after the passes. whole is the plan for the sizes for which the
// passes of the binding ran. Split returns the part computed once, or nil; the other part; and that part resized for the
// sizes of the binding.
func (p *Program) Split(whole *plan.Plan, b *Binding) (once, split, resized *plan.Plan, err error) {
	once, _, split, err = passes.Split(whole)
	if err != nil {
		return nil, nil, nil, err
	}
	resized = split
	for name, rows := range b.Passed {
		if rows != b.Sizes[name] {
			if batch := passes.BatchOf(p.Func, name, split, rows); batch != nil {
				resized = batch.Resize(b.Sizes[name])
			} else {
				resized = nil
			}
			break
		}
	}
	if resized == nil {
		return nil, nil, nil, errors.New("BUG: program: a plan that was resized can't be again")
	}
	return once, split, resized, nil
}

// Schedule makes the schedule of a plan for normal runs, with registered kernels only.
func (p *Program) Schedule(pl *plan.Plan) (*nest.Program, error) {
	return p.schedule(pl, schedule.Options{})
}

// ScheduleOf makes the schedule of a binding's plan for its present runs, which may call assembled kernels. pl may be a copy of the plan.
func (p *Program) ScheduleOf(b *Binding, pl *plan.Plan) (*nest.Program, error) {
	return p.scheduleOn(p.library(b.with.Load()), pl, schedule.Options{})
}

// ScheduleReasons is ScheduleOf with the numbers in the reasons of rejected strategies.
func (p *Program) ScheduleReasons(b *Binding, pl *plan.Plan) (*nest.Program, error) {
	return p.scheduleOn(p.library(b.with.Load()), pl, schedule.Options{Reasons: true})
}

// Generated makes the schedule that a binding's runs would have if all kernels were generated.
func (p *Program) Generated(b *Binding) (*nest.Program, error) {
	lib := p.possible(new(Assembled))
	if !p.config.Executor.Assembly() { // Go loops are generated for all
		lib = library{p.config.Executor, func(string) (abi.Engine, bool) { return abi.Portable, true }}
	}
	return p.scheduleOn(lib, b.Plan, schedule.Options{})
}

// IsFrozen reports whether a param of a binding's plan never changes.
func (p *Program) IsFrozen(param int) bool {
	return param >= len(p.Func.Params) || param < len(p.options.Frozen) && p.options.Frozen[param]
}

// ScheduleInPlace is ScheduleOf for runs that compute results in place.
func (p *Program) ScheduleInPlace(b *Binding) (*nest.Program, error) {
	return p.scheduleOn(p.library(b.with.Load()), b.Plan, schedule.Options{InPlace: true})
}

// Kernels returns the signatures of the kernels of a plan.
func (p *Program) Kernels(pl *plan.Plan) []string {
	return schedule.Kernels(pl, p.Machine, schedule.Options{TilingOnly: p.config.TilingOnly})
}

func (p *Program) schedule(pl *plan.Plan, o schedule.Options) (*nest.Program, error) {
	return p.scheduleOn(p.config.Executor, pl, o)
}

// scheduleOn makes a schedule that calls kernels of a library.
func (p *Program) scheduleOn(lib schedule.Library, pl *plan.Plan, o schedule.Options) (*nest.Program, error) {
	o.TilingOnly = p.config.TilingOnly
	if p.config.Verify {
		if err := pl.Verify(); err != nil {
			return nil, invalid("before the schedule: %v\n%s", err, pl)
		}
	}
	nests, err := schedule.Schedule(pl, p.Machine, lib, o)
	if err != nil || !p.config.Verify {
		return nests, err
	}
	if err := nests.Verify(); err != nil {
		return nil, invalid("after the schedule: %v\n%s", err, nests)
	}
	return nests, nil
}

// invalid returns the error for something that a verifier rejects.
func invalid(format string, args ...any) error {
	return &ir.Error{Pos: ir.CallerPos(), Op: "compile", Msg: fmt.Sprintf(format, args...)}
}
