// Package program keeps what a compiled program needs between runs: its graph, a binding for each set of sizes and
// layouts that it has met, and values computed from constants. graph.Program is its front, which checks the user's
// arguments and words the output.
//
// Data flows one way, from the graph to the run:
//
//	Make     sizes and layouts -> a Binding, kept (plans.go)
//	  compile    sizes -> a plan, by the passes (plan.go) or resized from that of a class (batch.go)
//	  link       plan -> schedule -> linked tasks (binding.go)
//	Use      Binding -> the same with the constants that it reads (keep.go); its Linked runs
//
// Package passes decides what is computed once from constants (passes.SplitGraph and passes.Split); runOnce computes it
// (once.go): New what all plans share, and the first run of a plan what that plan keeps (keep.go).
package program

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Config says how programs are compiled and run.
type Config struct {
	Executor   *runtime.Executor
	Verify     bool       // verify the result of each pass
	NoFuse     bool       // each op has its own loop
	Eager      bool       // see passes.Options
	TilingOnly bool       // every elementwise loop is a tiling of built-in kernels
	Assemble   Assembling // when kernels are assembled
	Plans      int        // the most plans that are kept

	Observe
}

// Observe says who observes runs.
type Observe struct {
	Progress func(context.Context, runtime.Progress) // called during a run; may be nil
	Every    time.Duration                           // how often Progress is called
	Profiled bool                                    // bindings have Times
	// Missed returns a function to call with the times of the steps of each run of a plan, or nil. Missed may be nil.
	Missed func(*plan.Plan, *nest.Program) func([]time.Duration)
}

// Program is a compiled function. Its exported fields are read-only. Any number of goroutines may use it.
type Program struct {
	Func     *ir.Func         // the function, with symbolic sizes: the inputs are its first params, then the captured tensors
	Once     *ir.Func         // what New has computed from constants, or nil
	OnceTo   []string         // the params of Func that hold the results of Once
	Inputs   int              // the number of inputs
	Captured []*tensor.Tensor // the params after the inputs
	Sizes    []string         // the names of the symbolic sizes
	Machine  *tuning.Machine
	Shown    *Binding // the binding for the only sizes or for example sizes, nil if none fit

	config  Config
	options passes.Options
	drafts  *schedule.Drafts // shared by programs on the same machine and executor, or nil
	own     schedule.Drafts  // shared by the plans of all sizes
	cache   plans
	batch   string     // the size that counts the rows of a batch, "" if there is none
	looked  bool       // for it
	keeping sync.Mutex // of those who compute what plans read of constants

	assembler assembler
}

// New makes the program of a function, which it takes over. The params after the inputs are captured tensors; frozen
// says for each param whether its elements never change. New computes values that depend only on such tensors, but
// makes no plan.
func New(c Config, f *ir.Func, inputs int, captured []*tensor.Tensor, frozen []bool, sizes []string) (*Program, error) {
	p := &Program{Func: f, Inputs: inputs, Captured: captured, Sizes: sizes, config: c}
	p.cache.limit = c.Plans
	p.Machine, p.drafts = machineOf(c)
	p.options = passes.Options{Verify: c.Verify, NoFuse: c.NoFuse, Eager: c.Eager, Machine: p.Machine, Frozen: frozen, Sized: len(sizes) > 0}
	return p, p.computeConstants()
}

// Sibling returns an unobserved program of another function with the same inputs. Its captured tensors are the first
// ones of p, frozen as these are.
func (p *Program) Sibling(f *ir.Func, captured []*tensor.Tensor) *Program {
	q := &Program{Func: f, Inputs: p.Inputs, Captured: captured, Sizes: p.Sizes, Machine: p.Machine, config: p.config, options: p.options, drafts: p.drafts}
	q.config.Observe = Observe{}
	q.cache.limit = p.cache.limit
	q.options.Frozen = q.options.Frozen[:min(len(f.Params), len(q.options.Frozen))]
	return q
}

// Executor returns the executor that runs the program.
func (p *Program) Executor() *runtime.Executor { return p.config.Executor }

// Latest returns the binding of the last run, or Shown before any run.
func (p *Program) Latest() *Binding {
	if b := p.cache.last.Load(); b != nil {
		return b
	}
	return p.Shown
}

// Last returns the binding of the last run, or nil.
func (p *Program) Last() *Binding { return p.cache.last.Load() }

// common is what programs without settings of their own share: the machine, and the drafts of schedules for a set of kernels.
type common struct {
	kernels int             // the version of the executor's kernels
	machine *tuning.Machine // immutable
	drafts  schedule.Drafts
}

// shared is the common of the latest kernels.
var shared atomic.Pointer[common]

// machineOf returns the machine of a program, and the drafts that it shares with other programs, or nil.
func machineOf(c Config) (*tuning.Machine, *schedule.Drafts) {
	e := c.Executor
	if e != runtime.DefaultExecutor() || c.TilingOnly { // other executors may have other kernels
		return e.Machine(), nil
	}
	s := shared.Load()
	if version := e.Version(); s == nil || s.kernels != version {
		s = &common{kernels: version, machine: e.Machine()}
		shared.Store(s)
	}
	return s.machine, &s.drafts
}
