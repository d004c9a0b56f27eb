// Package form contains the passes that turn a graph into steps. Views become layouts of operands, values that one loop
// can compute become a group, and each group becomes the loop nest of a [plan.Step]. No pass in this package depends on
// a machine.
//
// The list of all passes, with their order, is in package passes.
package form

import (
	"sync"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// State is a graph on its way to a plan. It says where values are stored and which values one loop computes. The pass
// loops adds the Plan.
type State struct {
	rewrite.State
	Plan  *plan.Plan
	Sized bool // the plan is one of many for different sizes

	Running string                  // the pass that is running, or ""
	Buffer  rewrite.ValueMap[int32] // 1 + the index of a value's buffer, 0 for none
	Step    rewrite.ValueMap[int32] // 1 + the index of the step that computes a value

	why        map[*ir.Value]string   // why values are stored in memory of their own
	placed     map[*ir.Value]location // values that are stored in another value's buffer
	byProduct  map[*ir.Value]bool     // copies that the step of the product stores
	tabled     map[*ir.Value]bool     // values that loops of table lookups compute
	groups     []*group
	groupLists rewrite.Slab[*group]
	made       rewrite.Slab[group]
	space      nestSpace
	body       kernel.Kernel // of the present group
	cut        partitioner
}

// String returns the text of the present stage.
func (s *State) String() string {
	if s.Plan != nil {
		return s.Plan.String()
	}
	if len(s.groups) > 0 {
		return s.Func.String() + groupText(s.Func, s.groups)
	}
	return s.Func.String()
}

// keptStates holds States whose graphs have their plans. The next graphs reuse their memory.
var keptStates sync.Pool

// NewState returns an empty State. It reuses memory that Leave left, if there is any.
func NewState() *State {
	if s, ok := keptStates.Get().(*State); ok {
		return s
	}
	return new(State)
}

// MostKept is the greatest number of values of a graph whose State is kept. For a larger graph, reuse saves little compared with the
// memory that its program keeps.
const MostKept = 1024

// Leave gives the State's memory to the next graph. The State must not be used afterwards.
func (s *State) Leave() {
	if len(s.Func.Params)+len(s.Func.Body) > MostKept {
		return
	}
	s.Pass.Empty()
	s.Whole.Empty()
	s.groupLists.Empty()
	s.made.Empty()
	clear(s.groups)
	s.space.forget()
	s.cut.forget()
	next := State{groupLists: s.groupLists, made: s.made, groups: s.groups[:0], space: s.space, body: s.body, cut: s.cut}
	next.Pass, next.Whole = s.Pass, s.Whole
	*s = next
	keptStates.Put(s)
}
