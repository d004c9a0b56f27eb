package graph

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime"
)

// Compile makes the program that computes the given Nodes, its outputs. Items
// are Nodes, Outputs with names, and Options, in any order.
//
// Every mistake made in the graph comes out here: one is an *Error itself,
// several are joined, and errors.As finds the first. A program without symbolic
// sizes is compiled to the end. One with symbolic sizes is compiled for example
// sizes, if any of those tried fit the graph, so that what could go wrong does so
// now, and again at the first run for each set of sizes and layouts, in some
// microseconds an op: docs/speed.md has the times.
func Compile(items ...Item) (*Program, error) {
	s := settings{name: defaultName}
	for _, item := range items {
		if o, ok := item.(Option); item == nil || ok && o == nil {
			return nil, misuse("compile", "an item is nil: it must be a Node or an Option")
		}
		item.addTo(&s)
	}
	if len(s.outputs) == 0 {
		return nil, misuse("compile", "there is nothing to compute: give it a Node")
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	names, err := s.outputNames()
	if err != nil {
		return nil, err
	}
	l := newLowering()
	defer l.leave()
	l.walk(s.outputs)
	l.walk(s.inputs)
	l.check(&s)
	if err := l.err(); err != nil {
		return nil, err
	}
	if s.declared {
		if err := l.declare(s.inputs); err != nil {
			return nil, err
		}
	}
	p := newProgram(&s, l.function(s.name, s.outputs), l.sizes)
	ports, n := make([]Port, len(l.inputs)+len(s.outputs)), len(l.inputs)
	p.inputs, p.outputs = ports[:0:n], ports[n:n]
	for _, in := range l.inputs {
		p.inputs = append(p.inputs, newPort(in.input, in))
	}
	for i, x := range s.outputs {
		p.outputs = append(p.outputs, newPort(names[i], x.n))
	}
	p.captured, p.options.Frozen = l.captured, append(make([]bool, len(p.inputs)), l.frozen...)
	if err := p.finish(s.generated); err != nil {
		return nil, err
	}
	return p, nil
}

// newProgram returns a program without inputs and outputs.
func newProgram(s *settings, fn *ir.Func, sizes []string) *Program {
	fn.Fast = fn.Fast || s.fast
	p := &Program{
		name:     s.name,
		fn:       fn,
		options:  passes.Options{Verify: s.debug.has(Verify), NoFuse: s.debug.has(NoFusion)},
		executor: executorFor(*s),
		sizes:    sizes,
	}
	p.traps, p.progress, p.profiled, p.hidden = s.debug&(NonFinite|DivisionByZero), s.progress, s.profiled, s.hidden
	p.tilings = s.debug.has(TilingOnly)
	recorders := s.recorders
	if e := environment(); e != nil && !p.hidden {
		recorders = append(recorders, e)
	}
	if len(recorders) > 0 {
		p.record = &record{to: recorders, lacked: map[string]*lacked{}}
	}
	p.cache.limit = min(cmp.Or(s.plans, defaultPlans), mostPlans)
	p.setMachine()
	p.options.Machine = p.machine
	return p
}

// common is what programs without settings of their own have in common.
type common struct {
	machine *tuning.Machine // nothing changes it
	drafts  schedule.Drafts
}

// commons are by what programs have it in common with: kernelsOf.
var commons sync.Map

// kernelsOf is how many goroutines there are, and which kernels: vector is the bytes of a vector of the best ones.
type kernelsOf struct {
	parallelism, version, vector int
	assembly                     bool
}

// setMachine sets the machine of a program, and the drafts.
func (p *Program) setMachine() {
	if p.executor.Tuning != nil {
		p.machine = p.executor.Machine()
		return
	}
	key := kernelsOf{p.executor.Parallelism(), p.executor.Version(), p.executor.BestVector(), p.executor.Assembly()}
	c, ok := commons.Load(key)
	if !ok {
		c = &common{machine: p.executor.Machine()}
		commons.Store(key, c)
	}
	p.machine = c.(*common).machine
	if p.executor == runtime.DefaultExecutor() && !p.tilings { // others may have other kernels
		p.drafts = &c.(*common).drafts
	}
}

// finish computes what depends on constants alone, and compiles the program for its only or
// for example sizes.
func (p *Program) finish(generated bool) error {
	if err := p.computeConstants(); err != nil {
		return err
	}
	if err := p.example(); err != nil {
		return err
	}
	if p.generated = generated; p.generated {
		if err := p.checkKernels("compile", p.Missing()); err != nil {
			return err
		}
	}
	if !p.hidden {
		p.dumpToDir()
	}
	return nil
}

// check returns what is wrong with the numbers among the settings.
func (s *settings) check() error {
	switch {
	case s.workers < 0 || s.workersSet && s.workers == 0:
		return misuse("compile", "%d workers: there must be 1 or more", s.workers)
	case s.plansSet && s.plans < 1:
		return misuse("compile", "%d plans: a program keeps 1 or more", s.plans)
	}
	return nil
}

// defaultName is that of a program without WithName.
const defaultName = "program"

// misuse returns an error of what was called, at the line of the user's.
func misuse(call, format string, args ...any) error {
	return &Error{Pos: ir.CallerPos(), Op: call, Msg: fmt.Sprintf(format, args...)}
}

// executorFor returns the executor that all programs share, or one with
// settings of its own.
func executorFor(s settings) *runtime.Executor {
	if s.workers == 0 && !s.debug.has(Portable|AVX2) && s.tuning == nil {
		return runtime.DefaultExecutor()
	}
	return &runtime.Executor{Workers: s.workers, Portable: s.debug.has(Portable), AVX2: s.debug.has(AVX2), Tuning: s.tuning}
}

// scales are the magnitudes of a program's example sizes: the first at which they
// fit the graph. The small ones are for slices such as 3:-4:-1, which hardly fit
// anything.
var scales = append([]int{1009, 100_003, 10_000_019, 1_000_000_007}, downFrom(smallScale+1)...)

const smallScale = 256

func downFrom(n int) []int {
	out := upTo(n)
	slices.Reverse(out)
	return out
}

// example compiles the program for its only sizes, or for example sizes. If the
// graph fits none of those there is no example, and a run returns what is wrong, if
// anything is.
func (p *Program) example() error {
	if len(p.sizes) == 0 {
		ins, err := p.rowMajor(nil)
		if err == nil {
			p.shown, err = p.make(ins)
		}
		if err == nil && p.shown.once == nil { // runs can begin with it
			p.cache.use(p.shown)
		}
		return err
	}
	var first error // of sizes that the graph fits
	for _, scale := range scales {
		for sizes := range exampleSizes(p.sizes, scale) {
			f, err := p.fn.Bind(sizes)
			if err != nil {
				continue
			}
			poor := scale <= smallScale && hasEmpty(f) // what is empty has no kernel
			b, err := p.lower(f, sizes, nil)
			switch {
			case err != nil:
				first = cmp.Or(first, err)
			case !poor:
				p.shown = b
				return nil
			case p.shown == nil:
				p.shown = b
			}
		}
	}
	if p.shown != nil {
		return nil
	}
	return first
}

func hasEmpty(f *ir.Func) bool {
	empty := func(v *ir.Value) bool { return v.Type.Shape.NumElems().Is(0) }
	return slices.ContainsFunc(f.Params, empty) || slices.ContainsFunc(f.Body, empty)
}

// exampleSizes yields examples of a magnitude, in each of which every name has a number of its own:
// primes, so that nothing divides by chance, in either order of the names; then numbers that can be
// halved several times, as networks do, and those behind them.
func exampleSizes(names []string, scale int) iter.Seq[map[string]int] {
	next := func(n int) int {
		if scale > 1 {
			return nextPrime(n)
		}
		return n
	}
	halves := func(i int) int { return (scale/manyHalves + 1 + i) * manyHalves }
	return func(yield func(map[string]int) bool) {
		up, down := make(map[string]int, len(names)), make(map[string]int, len(names))
		for i, n := 0, scale; i < len(names); i, n = i+1, next(n) {
			down[names[len(names)-1-i]], up[names[i]] = n, n
		}
		if !yield(down) || !yield(up) || scale <= smallScale {
			return
		}
		for more := range 2 {
			sizes := make(map[string]int, len(names))
			for i, name := range names {
				sizes[name] = halves(i) + more
			}
			if !yield(sizes) {
				return
			}
		}
	}
}

const manyHalves = 480

func nextPrime(n int) int {
	for n++; ; n++ {
		prime := true
		for d := 2; d*d <= n && prime; d++ {
			prime = n%d != 0
		}
		if prime {
			return n
		}
	}
}
