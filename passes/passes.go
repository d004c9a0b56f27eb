// Package passes turns a graph, an [ir.Func] whose sizes are numbers, into a [plan.Plan]: a list of loop nests with
// one access per operand. The passes rewrite views into strides, fuse chains of elementwise operations with their
// reductions, collapse axes, and assign memory. Package passes/schedule decides later how the machine runs each step.
//
// [Default] lists the passes in order. Each pass has a file of its own, whose comment says what the pass does,
// requires and ensures. The constraints on the order are data, with reasons. A pass never changes a bit of a result,
// and records its decisions with their reasons in the plan's ledger.
package passes

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes/form"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// Pass is one entry of the pipeline.
type Pass struct {
	Name string

	// Exactly one of Rewrite, Form and Arrange is set. Rewrite maps a graph to a graph, Form makes or changes steps,
	// and Arrange changes a plan for a machine.
	Rewrite func(*rewrite.State) error
	Form    func(*State) error
	Arrange func(*State, *tuning.Machine) error

	CheckGraph func(*rewrite.State) error // check of what Rewrite ensures, after ir.Verify
	Check      func(*State) error         // check of what Form or Arrange ensures, after ir.Verify

	After []Order  // passes that must have run before, with reasons
	Stage ir.Stage // grammar of the graph after the pass
}

// Order says that a pass must run after another one, and why.
type Order struct{ Pass, Why string }

// State is the data that passes work on: a graph and, once form.Loops has run, a plan.
type State = form.State

// Default is the pipeline.
var Default = []Pass{
	{Name: "contract", Rewrite: rewrite.Contract, CheckGraph: rewrite.CheckContract},
	{Name: "reductions", Rewrite: rewrite.Reductions, CheckGraph: rewrite.CheckReductions, After: []Order{{"contract", "it makes products sums"}}},
	{Name: "simplify", Rewrite: rewrite.Simplify, CheckGraph: rewrite.CheckSimple, After: []Order{{"reductions", "it writes views that may change nothing"}}},
	{Name: "orders", Rewrite: rewrite.Orders, CheckGraph: rewrite.CheckOrders, After: []Order{{"contract", "it leaves convolutions of taps"}, {"simplify", "equal values are read in one place"}}},
	{Name: "narrow", Rewrite: rewrite.Narrow, After: []Order{{"simplify", "numbers have ranges where constants are operands"}, {"orders", "sums of products of bytes may be short, and convolutions of taps are sums"}}},
	{Name: "unroll", Rewrite: rewrite.Unroll, After: []Order{{"simplify", "equal values are one set"}, {"orders", "it finds values by the order of their axes"}}},
	{Name: "pieces", Rewrite: rewrite.Pieces, After: []Order{{"simplify", "equal values are one, and are split once"}, {"unroll", "channels are not split from one another"}}},
	{Name: "views", Form: form.Views, Stage: ir.StageViewed, After: []Order{{"simplify", "uses decide whether a value is computed again or stored, and equal values would count apart"}, {"orders", "it reads stored values through the views that orders writes"}, {"unroll", "channels are views of operands"}, {"pieces", "it writes slices"}}},
	{Name: "cse", Rewrite: rewrite.CSE, CheckGraph: rewrite.CheckCSE, Stage: ir.StageViewed, After: []Order{{"views", "views compute values anew, and different views can be one layout"}}},
	{Name: "placement", Form: form.Placement, Check: form.CheckPlacement, Stage: ir.StageViewed, After: []Order{{"cse", "it would merge two results, or two operands of concatenations, that are copies of one value"}}},
	{Name: "recompute", Form: form.Recompute, Stage: ir.StageViewed, After: []Order{{"placement", "results, and what is stored in a slice, are not computed again"}, {"cse", "it would merge what is computed again"}}},
	{Name: "fuse", Form: form.Fuse, Check: form.CheckGroups, Stage: ir.StageViewed, After: []Order{{"placement", "each result is a store of some group"}, {"recompute", "it says which values are stored, and which are looked up in loops of their own"}}},
	{Name: "loops", Form: form.Loops, Check: checkSteps, Stage: ir.StageViewed, After: []Order{{"fuse", "a group is a loop nest"}}},
	{Name: "panels", Arrange: panels, Check: checkSteps, Stage: ir.StageViewed, After: []Order{{"loops", "it reads the steps of products"}}},
	{Name: "tiles", Arrange: tiles, Check: checkSteps, Stage: ir.StageViewed, After: []Order{{"loops", "lines and rows are axes of loop nests"}, {"panels", "the steps that pack are in no row group of the product"}}},
	{Name: "buffers", Form: buffers, Check: checkPlan, Stage: ir.StageViewed, After: []Order{{"tiles", "lifetimes are counted in steps, and scratch is not in the arena"}}},
}

// Options are settings of Lower.
type Options struct {
	Verify bool // check the invariants after every pass
	NoFuse bool // make one loop per operation, for comparison
	Eager  bool // rewrite wherever it is legal, profitable or not: reaches the passes with small test programs
	// Machine holds the constants that blocks and costs depend on. If it is nil, Lower uses tuning.Default.
	Machine *tuning.Machine
	// Observe, if not nil, is called with the name and the text of the graph, then of the state after each pass. The
	// function text is valid only during the call.
	Observe func(stage string, text func() string)
	// Frozen marks the params that never change. Steps that depend only on frozen params are marked plan.Step.Once.
	Frozen []bool
	// Sized says that the plan is one of many for different sizes, so each may keep only little: see markOnce.
	Sized bool
}

// Stages returns the names that Observe is called with, in order.
func Stages() []string {
	names := []string{"graph"}
	for _, p := range Default {
		names = append(names, p.Name)
	}
	return names
}

// Lower compiles a graph whose sizes are all bound to a plan. It changes f, so the caller must not use f afterwards.
// It returns an *ir.Error if the graph is invalid. It panics only because of a bug; the message then names the pass
// and contains the text of the state.
func Lower(f *ir.Func, o Options) (*plan.Plan, error) {
	for _, v := range f.Body {
		if v.Op == ir.OpAccess {
			return nil, &ir.Error{Pos: v.Pos, Op: v.Called(), Msg: "only the views pass makes accesses: a graph has views"}
		}
	}
	if o.Machine == nil {
		o.Machine = tuning.Default(1)
	}
	s := newState(f, o)
	if err := runAll(s, o); err != nil {
		return nil, err
	}
	p := s.Plan
	s.Leave()
	return p, nil
}

// runAll runs all passes. If Options.Verify is set, it checks the state after each.
func runAll(s *State, o Options) error {
	defer blame(s)
	observe(s, o, "graph")
	for _, p := range Default {
		if err := run(s, p, o.Machine); err != nil {
			return err
		}
		if o.Verify {
			if err := verify(s, p); err != nil {
				return fmt.Errorf("after pass %s: %w", p.Name, err)
			}
		}
		observe(s, o, p.Name)
	}
	return nil
}

func newState(f *ir.Func, o Options) *State {
	s := form.NewState()
	s.Func, s.NoFuse, s.Eager, s.Sized = f, o.NoFuse, o.Eager, o.Sized
	for i, p := range f.Params {
		if i < len(o.Frozen) && o.Frozen[i] {
			if s.Frozen == nil {
				s.Frozen = map[*ir.Value]bool{}
			}
			s.Frozen[p] = true
		}
	}
	return s
}

func run(s *State, p Pass, m *tuning.Machine) (err error) {
	s.Running = p.Name
	switch {
	case p.Rewrite != nil:
		err = p.Rewrite(&s.State)
	case p.Form != nil:
		err = p.Form(s)
	default:
		err = p.Arrange(s, m)
	}
	s.Running = ""
	s.Pass.Empty()
	return err
}

// blame adds the running pass and the text of the state to a panic. It must be deferred.
func blame(s *State) {
	if s.Running == "" {
		return
	}
	if r := recover(); r != nil {
		panic(fmt.Sprintf("BUG: pass %s: %v\n%s", s.Running, r, s))
	}
}

// verify checks the grammar of the graph and what the pass ensures.
func verify(s *State, p Pass) error {
	if err := ir.Verify(s.Func, p.Stage); err != nil {
		return err
	}
	switch {
	case p.CheckGraph != nil:
		return p.CheckGraph(&s.State)
	case p.Check != nil:
		return p.Check(s)
	}
	return nil
}

func checkPlan(s *State) error { return s.Plan.Verify() }

func checkSteps(s *State) error { return s.Plan.VerifyUnplaced() }

func observe(s *State, o Options, stage string) {
	if o.Observe != nil {
		s.Func.Label()
		o.Observe(stage, s.String)
	}
}
