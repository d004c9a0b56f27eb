// Package passes turns a graph, an [ir.Func] whose sizes are numbers, into a
// [plan.Plan]: steps with one access for each operand. It rewrites views into strides,
// fuses chains of elementwise operations with their reductions, collapses axes, and
// assigns memory. What the machine does for each step is decided later, by package
// passes/schedule.
//
// [Default] lists the passes in order. Each is in a file of its own whose comment says
// what it requires and what it ensures; the constraints on their order are data, with
// reasons. No pass changes a bit of any result. Every decision goes to the plan's ledger
// with its reason.
package passes

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// Pass is one step from graph to plan.
type Pass struct {
	Name  string
	Run   func(*State) error
	On    func(*State, *tuning.Machine) error // Run of a pass that decides for a machine: it has plans
	Check func(*State) error                  // of what the pass ensures; ir's verifier runs besides
	After []Order                             // passes that must have run before, and why
	Stage ir.Stage                            // the grammar of the graph after it
}

// Order says that a pass comes after another, and why.
type Order struct{ Pass, Why string }

// State is what the passes work on. The first ones rewrite Func, fuse divides
// its values into groups, and from loops on there is a Plan.
type State struct {
	Func *ir.Func
	Plan *plan.Plan

	noFuse bool
	eager  bool
	fuel   *fuel                  // of Bisect; nil is without end
	why    map[*ir.Value]string   // why a value has memory of its own
	frozen map[*ir.Value]bool     // params that never change
	placed map[*ir.Value]location // values that are stored in the buffer of another
	tabled map[*ir.Value]bool     // values that loops compute which look them up
	tapped map[*ir.Value]bool     // the sums that the pass taps has written
	ledger ledger
	slots  []*ir.Value                          // of numberings
	spare  struct{ replaced, body []*ir.Value } // of Rewrite: lists that the last one left
	buffer valueMap[int32]                      // 1 + the buffer of each value that has one
	step   valueMap[int32]                      // 1 + the step that computes each value

	distinct bool    // no two values compute the same: simplify has seen to it, and no Rewrite has edited since
	level    []int32 // what levels returns of the graph; nil after a Rewrite

	running string // the pass that has not returned, or ""

	pass, whole room // memory until a pass ends, and until the plan is made
	groupLists  slab[*group]
	made        slab[group]
	groups      []*group
	space       nestSpace
	body        kernel.Kernel // of the present group
	cut         partitioner
}

// Default is the pipeline.
var Default = []Pass{
	{Name: "contract", Run: contract, Check: checkContract},
	{Name: "reductions", Run: reductions, Check: checkReductions, After: []Order{{"contract", "it makes products sums"}}},
	{Name: "simplify", Run: simplify, Check: checkSimple, After: []Order{{"reductions", "it writes views that may change nothing"}}},
	{Name: "orders", Run: orders, After: []Order{{"simplify", "equal values are read in one place"}}},
	{Name: "taps", Run: taps, Check: checkTaps, After: []Order{{"orders", "the operands of convolutions have their order in memory"}}},
	{Name: "narrow", Run: narrow, After: []Order{{"simplify", "numbers have ranges where constants are operands"}, {"taps", "sums of products of bytes may be short"}}},
	{Name: "unroll", Run: unroll, After: []Order{{"simplify", "equal values are one set"}, {"orders", "it finds values by the order of their axes"}}},
	{Name: "pieces", Run: pieces, After: []Order{{"simplify", "equal values are one, and are split once"}, {"unroll", "channels are not split from one another"}}},
	{Name: "views", Run: views, Stage: ir.StageViewed, After: []Order{{"simplify", "uses decide whether a value is computed again or stored, and equal values would count apart"}, {"orders", "it reads stored values through the views that orders writes"}, {"unroll", "channels are views of operands"}, {"pieces", "it writes slices"}}},
	{Name: "cse", Run: cse, Check: checkCSE, Stage: ir.StageViewed, After: []Order{{"views", "views compute values anew, and different views can be one layout"}}},
	{Name: "placement", Run: placement, Check: checkPlacement, Stage: ir.StageViewed, After: []Order{{"cse", "it would merge two results, or two operands of concatenations, that are copies of one value"}}},
	{Name: "recompute", Run: recompute, Stage: ir.StageViewed, After: []Order{{"placement", "results, and what is stored in a slice, are not computed again"}, {"cse", "it would merge what is computed again"}}},
	{Name: "fuse", Run: fuse, Check: checkGroups, Stage: ir.StageViewed, After: []Order{{"placement", "each result is a store of some group"}, {"recompute", "it says which values are stored, and which are looked up in loops of their own"}}},
	{Name: "loops", Run: loops, Check: checkSteps, Stage: ir.StageViewed, After: []Order{{"fuse", "a group is a loop nest"}}},
	{Name: "panels", On: panels, Check: checkSteps, Stage: ir.StageViewed, After: []Order{{"loops", "it reads the steps of products"}}},
	{Name: "tiles", On: tiles, Check: checkSteps, Stage: ir.StageViewed, After: []Order{{"loops", "lines and rows are axes of loop nests"}, {"panels", "the steps that pack are in no row group of the product"}}},
	{Name: "buffers", Run: buffers, Check: checkPlan, Stage: ir.StageViewed, After: []Order{{"tiles", "lifetimes are counted in steps, and scratch is not in the arena"}}},
}

// Options are settings of Lower.
type Options struct {
	Verify bool // check the invariants after every pass
	NoFuse bool // one loop per op, for comparison
	Eager  bool // rewrite wherever it is possible, whether it pays or not: for tests of small programs
	// Machine has the constants that blocks and costs depend on; nil is tuning.Default.
	Machine *tuning.Machine
	// Observe, if not nil, is called with each stage's name and text, which is ready until it returns: "graph",
	// then every pass.
	Observe func(stage string, text func() string)
	// Frozen says of each param whether it never changes: what is made of those alone
	// is made in steps of its own, which Split separates.
	Frozen []bool
}

// Stages returns the names that Observe is called with, in order.
func Stages() []string {
	names := []string{"graph"}
	for _, p := range Default {
		names = append(names, p.Name)
	}
	return names
}

// Lower makes the plan of a graph whose sizes are all bound. The passes change f, which
// must not be used afterwards. An error in the graph is an *ir.Error; a panic is a bug, and
// carries the pass and the text that it was given.
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
	if err := s.runAll(o); err != nil {
		return nil, err
	}
	p := s.Plan
	s.leave()
	return p, nil
}

// runAll runs the passes, and checks what they ensure if that is an option.
func (s *State) runAll(o Options) error {
	defer s.blame()
	observe(s, o, "graph")
	for _, p := range Default {
		if err := s.run(p, o.Machine); err != nil {
			return err
		}
		if o.Verify {
			if err := s.verify(p); err != nil {
				return fmt.Errorf("after pass %s: %w", p.Name, err)
			}
		}
		observe(s, o, p.Name)
	}
	return nil
}

func newState(f *ir.Func, o Options) *State {
	s, ok := keptStates.Get().(*State)
	if !ok {
		s = new(State)
	}
	s.Func, s.noFuse, s.eager = f, o.NoFuse, o.Eager
	for i, p := range f.Params {
		if i < len(o.Frozen) && o.Frozen[i] {
			if s.frozen == nil {
				s.frozen = map[*ir.Value]bool{}
			}
			s.frozen[p] = true
		}
	}
	return s
}

func (s *State) run(p Pass, m *tuning.Machine) (err error) {
	if s.running = p.Name; p.On != nil {
		err = p.On(s, m)
	} else {
		err = p.Run(s)
	}
	s.running = ""
	s.pass.empty()
	return err
}

// blame adds to a panic the pass that is running and the text that it was given. It is deferred.
func (s *State) blame() {
	if s.running == "" {
		return
	}
	if r := recover(); r != nil {
		panic(fmt.Sprintf("BUG: pass %s: %v\n%s", s.running, r, s))
	}
}

// verify checks the grammar of the stage and what the pass ensures.
func (s *State) verify(p Pass) error {
	if err := ir.Verify(s.Func, p.Stage); err != nil {
		return err
	}
	if p.Check == nil {
		return nil
	}
	return p.Check(s)
}

func checkPlan(s *State) error { return s.Plan.Verify() }

func checkSteps(s *State) error { return s.Plan.VerifyUnplaced() }

func observe(s *State, o Options, stage string) {
	if o.Observe != nil {
		o.Observe(stage, s.String)
	}
}
