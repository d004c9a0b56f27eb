package program

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/jit"
)

// Kernels assembled at run time, in place of tilings. Input: the schedule of a binding, of which tiling.go says when they are worth
// it. Output: a set of kernels, and a schedule that calls them. It is the schedule that generated kernels would give.

// Assembling says when kernels are assembled.
type Assembling uint8

// The times.
const (
	WhenWorth      Assembling = iota // when tilings have taken a multiple of the time that assembling takes
	BeforeFirstRun                   // all of them
	Never
)

// Assembled is a set of kernels that a program has assembled, and what it could not assemble. It never changes: a later set has
// all kernels of an earlier one. nil is the empty set.
type Assembled struct {
	kernels map[string]*jit.Kernel // by signature
	refused map[string]error       // by signature
	settled map[string]bool        // the signatures of tilings for which all has been done

	drafts schedule.Drafts // of schedules with these kernels
	lock   sync.Mutex
	own    map[*schedule.Drafts]*schedule.Drafts // the same, in place of a plan's
}

// Kernels returns the kernels in the order of their signatures.
func (a *Assembled) Kernels() (all []*jit.Kernel) {
	if a != nil {
		for _, sig := range slices.Sorted(maps.Keys(a.kernels)) {
			all = append(all, a.kernels[sig])
		}
	}
	return all
}

// Refused returns why kernels were not assembled, each reason once.
func (a *Assembled) Refused() (why []string) {
	if a != nil {
		for _, err := range a.refused {
			why = append(why, err.Error())
		}
	}
	slices.Sort(why)
	return slices.Compact(why)
}

// finder returns the kernels of the set for runtime.Executor.LinkWith.
func (a *Assembled) finder() runtime.Kernels {
	if a == nil {
		return nil
	}
	return func(signature string) (fn func(*abi.Frame), on abi.Engine, ok bool) {
		k := a.kernels[signature]
		if k == nil {
			return nil, abi.Portable, false
		}
		return k.Func(), k.Engine(), true
	}
}

// with returns a set of the same kernels, to add others to.
func (a *Assembled) with() *Assembled {
	if a == nil {
		a = &Assembled{}
	}
	b := &Assembled{
		kernels: map[string]*jit.Kernel{}, refused: map[string]error{}, settled: map[string]bool{},
		own: map[*schedule.Drafts]*schedule.Drafts{},
	}
	maps.Copy(b.kernels, a.kernels)
	maps.Copy(b.refused, a.refused)
	maps.Copy(b.settled, a.settled)
	return b
}

// options returns the options of a schedule with the kernels of the set: drafts depend on the library.
func (a *Assembled) options(o schedule.Options, sized bool) schedule.Options {
	if a == nil {
		return o
	}
	a.lock.Lock()
	defer a.lock.Unlock()
	own := a.own[o.Own]
	if own == nil {
		own = new(schedule.Drafts)
		if sized {
			own = schedule.OfSizes()
		}
		a.own[o.Own] = own
	}
	o.Drafts, o.Own = &a.drafts, own
	return o
}

// library is the executor's kernels and others, which it prefers to Go loops.
type library struct {
	*runtime.Executor
	more func(signature string) (on abi.Engine, ok bool)
}

// assembledOn begins the names of the engines of assembled kernels: "assembled avx2".
const assembledOn = "assembled "

// InGo reports whether a choice calls a Go loop.
func InGo(c *nest.Choice) bool { return c.Engine == abi.Portable.String() }

// IsAssembled reports whether a choice calls an assembled kernel for its whole body.
func IsAssembled(c *nest.Choice) bool { return strings.HasPrefix(c.Engine, assembledOn) }

func (l library) Engine(signature string) (string, bool) {
	engine, ok := l.Executor.Engine(signature)
	if ok && engine != abi.Portable.String() {
		return engine, true
	}
	on, more := l.more(signature)
	switch {
	case more && on == abi.Portable:
		return on.String(), true
	case more:
		return assembledOn + on.String(), true
	}
	return engine, ok
}

func (l library) Vector(engine string) int {
	return l.Executor.Vector(strings.TrimPrefix(engine, assembledOn))
}

// library returns the kernels for schedules with a set of assembled ones.
func (p *Program) library(a *Assembled) schedule.Library {
	if a == nil || len(a.kernels) == 0 {
		return p.config.Executor
	}
	return library{p.config.Executor, func(signature string) (abi.Engine, bool) {
		k := a.kernels[signature]
		if k == nil {
			return abi.Portable, false
		}
		return k.Engine(), true
	}}
}

// possible returns the kernels for a schedule with all that can be assembled, but for what a set has refused.
func (p *Program) possible(a *Assembled) schedule.Library {
	best, known := p.config.Executor.Best(), map[string]abi.Engine{}
	return library{p.config.Executor, func(signature string) (abi.Engine, bool) {
		on, met := known[signature]
		if !met {
			if code, err := kernel.ParseCode(signature); err == nil && a.refused[signature] == nil {
				on, _ = jit.EngineOf(best, code)
			}
			known[signature] = on
		}
		return on, on != abi.Portable
	}}
}

// assembler is what a program knows of its assembled kernels.
type assembler struct {
	spent atomic.Int64 // nanoseconds that tilings have taken, by estimate
	lock  sync.Mutex   // of who makes the next set
	set   atomic.Pointer[Assembled]
}

// assembleKernel is jit.Assemble. Tests replace it.
var assembleKernel = jit.Assemble

// Assembles reports whether the options of the program let it assemble kernels.
func (p *Program) Assembles() bool {
	return p.config.Assemble != Never && !p.config.TilingOnly && p.config.Executor.Assembly()
}

// assemble adds to the program's set the kernels that replace the due tilings of a plan or, if due is nil, those of all its
// steps. full says that there was no room for some: then the due tilings stay, and there is no set.
func (p *Program) assemble(pl *plan.Plan, due []tiling) (set *Assembled, full bool, err error) {
	p.assembler.lock.Lock()
	defer p.assembler.lock.Unlock()
	set = p.assembler.set.Load().with()
	var nests *nest.Program
	for again := true; again && !full; { // without what was refused, the schedule may call other kernels
		again = false
		if nests, err = p.scheduleOn(p.possible(set), pl, schedule.Options{}); err != nil {
			return nil, false, err
		}
		for i := range nests.Tasks {
			t := &nests.Tasks[i]
			if due != nil && !slices.ContainsFunc(due, func(d tiling) bool { return t.First <= d.step && d.step <= t.Last }) {
				continue
			}
			for code := range codesOf(t) {
				switch err := p.add(set, code); {
				case errors.Is(err, jit.ErrFull):
					full = true
				case err != nil:
					set.refused[code.Signature()] = err
					again = true
				}
			}
		}
	}
	switch {
	case full && due != nil: // the binding keeps its tilings, and the kernels must not keep their room
		return nil, true, nil
	case due == nil && !full: // what still tiles has no kernel
		for i := range nests.Tasks {
			for k := range nests.Tasks[i].Choices {
				set.settled[nests.Tasks[i].Choices[k].Kernel] = true
			}
		}
	}
	for _, d := range due {
		set.settled[d.kernel] = true
	}
	p.assembler.set.Store(set)
	return set, full, nil
}

// add assembles a kernel of a schedule, unless it exists or was refused.
func (p *Program) add(set *Assembled, code kernel.Code) error {
	sig := code.Signature()
	if set.kernels[sig] != nil || set.refused[sig] != nil { // a Go loop may still bear a refused signature
		return nil
	}
	if engine, ok := p.config.Executor.Engine(sig); ok && engine != abi.Portable.String() {
		return nil
	}
	on, ok := jit.EngineOf(p.config.Executor.Best(), code)
	if !ok { // a Go loop
		return nil
	}
	k, err := assembleKernel(on, code)
	if err == nil {
		set.kernels[sig] = k
	}
	return err
}

// codesOf yields the kernels that the calls of a task name, and those of its choices. A column reduction whose calls all take
// several rows is chosen for the kernel of one row.
func codesOf(t *nest.Task) func(yield func(kernel.Code) bool) {
	return func(yield func(kernel.Code) bool) {
		for c := range nest.Calls(t.Parts) {
			if !yield(c.Kernel) {
				return
			}
		}
		for i := range t.Choices {
			if c := &t.Choices[i]; c.Kernels == 1 {
				if code, err := kernel.ParseCode(c.Kernel); err == nil && !yield(code) {
					return
				}
			}
		}
	}
}

// Spent returns the time that the program's tilings have taken, by estimate.
func (p *Program) Spent() time.Duration { return time.Duration(p.assembler.spent.Load()) }

// Assembled returns the assembled kernels that runs of a binding call, and the Spent at which further ones are assembled, or 0.
func (b *Binding) Assembled() (with *Assembled, due time.Duration) {
	return b.with.Load(), time.Duration(b.due.Load())
}

// preparing reports whether kernels are assembled before the first run.
func (p *Program) preparing() bool {
	return (p.config.Assemble == BeforeFirstRun || p.config.Assemble == WhenWorth && prepared()) && p.Assembles() && jit.Off() == nil
}

// prepared is whether the environment has all programs assemble before their first run.
var prepared = sync.OnceValue(func() bool { return os.Getenv(jit.Env) == "prepared" })
