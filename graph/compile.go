package graph

import (
	"cmp"
	"fmt"

	"github.com/stridefuse/stridefuse/internal/program"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime"
)

// Compile makes the program that computes the given Nodes, its outputs. Items are Nodes, Outputs with names, and
// Options, in any order.
//
// Every mistake made in the graph is reported here. One mistake is an *Error itself; several are joined, and errors.As
// finds the first. A program without symbolic sizes is compiled completely. A program with symbolic sizes is compiled
// for example sizes if some fit the graph, so that errors show early. It is compiled again at the first run for each
// set of sizes and layouts, in some microseconds per op: docs/speed.md has the times.
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
	p := newProgram(&s)
	ports, n := make([]Port, len(l.inputs)+len(s.outputs)), len(l.inputs)
	p.inputs, p.outputs = ports[:0:n], ports[n:n]
	for _, in := range l.inputs {
		p.inputs = append(p.inputs, newPort(in.input, in))
	}
	for i, x := range s.outputs {
		p.outputs = append(p.outputs, newPort(names[i], x.n))
	}
	for _, n := range l.order {
		if n.zero != "" {
			p.zeros = append(p.zeros, zero{n.zero, n.pos})
		}
	}
	f := l.function(s.name, s.outputs)
	if s.names != nil {
		f.Outputs = append(s.names, make([]string, len(s.outputs)-len(s.names))...)
	}
	if err := p.finish(&s, f, l.captured, append(make([]bool, len(p.inputs)), l.frozen...), l.sizes); err != nil {
		return nil, err
	}
	return p, nil
}

// newProgram returns a program that finish completes: its inputs and outputs are not set yet.
func newProgram(s *settings) *Program {
	return &Program{name: s.name, hidden: s.hidden, traps: s.debug & (NonFinite | DivisionByZero)}
}

// config returns the settings for package program.
func (s *settings) config() program.Config {
	return program.Config{
		Executor:   executorFor(*s),
		Verify:     s.debug.has(Verify),
		NoFuse:     s.debug.has(NoFusion),
		Eager:      s.tuning != nil,
		TilingOnly: s.debug.has(TilingOnly),
		Assemble:   s.assemble,
		Plans:      min(cmp.Or(s.plans, defaultPlans), mostPlans),
		Observe:    program.Observe{Progress: s.progress, Every: progressEvery, Profiled: s.profiled, Missed: s.missed()},
	}
}

// finish computes what depends only on constants, and compiles the program for its only sizes or for example sizes. The
// params of f are the inputs and then the captured tensors; the elements of frozen ones never change.
func (p *Program) finish(s *settings, f *ir.Func, captured []*Tensor, frozen []bool, sizes []string) (err error) {
	f.Fast = f.Fast || s.fast
	if p.compiled, err = program.New(s.config(), f, len(p.inputs), captured, frozen, sizes); err != nil {
		return p.withoutPlace(f, err, nil)
	}
	if err := p.compiled.Example(); err != nil {
		return err
	}
	if p.generated = s.generated; p.generated {
		if err := p.checkKernels("compile", p.Missing()); err != nil {
			return err
		}
	}
	if !p.hidden {
		p.dumpToDir()
	}
	return nil
}

// check returns the first invalid number among the settings.
func (s *settings) check() error {
	switch {
	case s.workers < 0 || s.workersSet && s.workers == 0:
		return misuse("compile", "%d workers: there must be 1 or more", s.workers)
	case s.plansSet && s.plans < 1:
		return misuse("compile", "%d plans: a program keeps 1 or more", s.plans)
	}
	return nil
}

// defaultName is the name of a program without WithName.
const defaultName = "program"

// misuse returns an error about a setting, at the line of the user's call.
func misuse(call, format string, args ...any) error {
	return &Error{Pos: ir.CallerPos(), Op: call, Msg: fmt.Sprintf(format, args...)}
}

// executorFor returns the shared executor, or a new one if the settings need it.
func executorFor(s settings) *runtime.Executor {
	if s.workers == 0 && !s.debug.has(Portable|AVX2) && s.tuning == nil {
		return runtime.DefaultExecutor()
	}
	return &runtime.Executor{Workers: s.workers, Portable: s.debug.has(Portable), AVX2: s.debug.has(AVX2), Tuning: s.tuning}
}
