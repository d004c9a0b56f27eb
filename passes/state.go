package passes

import (
	"sync"
)

// String returns the text of the present stage.
func (s *State) String() string {
	if s.Plan != nil {
		return s.Plan.String()
	}
	if len(s.groups) > 0 {
		return s.Func.String() + groupText(s.groups)
	}
	return s.Func.String()
}

// keptStates are States of graphs that have their plans, with memory for the next.
var keptStates sync.Pool

// mostKept is the greatest number of values of a graph whose State is kept. For a larger graph, reuse saves little compared with the
// memory that its program keeps.
const mostKept = 1024

// leave leaves the State's memory to the next graph.
func (s *State) leave() {
	if len(s.Func.Params)+len(s.Func.Body) > mostKept {
		return
	}
	s.pass.empty()
	s.whole.empty()
	s.groupLists.empty()
	s.made.empty()
	clear(s.groups)
	s.space.forget()
	s.cut.forget()
	*s = State{pass: s.pass, whole: s.whole, groupLists: s.groupLists, made: s.made, groups: s.groups[:0], space: s.space, body: s.body, cut: s.cut}
	keptStates.Put(s)
}
