package passes

import (
	"sync"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Memory that passes need for a time. Lists of a room are taken one after the other and are taken
// back all at once: those of State.pass when a pass ends, those of State.whole when the plan is made. Then
// the next graph has the same memory. Nothing of a plan is in it.

// room is memory for lists that are needed for the same time. The zero value is ready.
type room struct {
	numbers  slab[int32]
	ints     slab[int]
	flags    slab[bool]
	values   slab[*ir.Value]
	readings slab[reading]
	groups   slab[*group]
	made     slab[group]
}

// empty takes back all lists.
func (r *room) empty() {
	r.numbers.empty()
	r.ints.empty()
	r.flags.empty()
	r.values.empty()
	r.readings.empty()
	r.groups.empty()
	r.made.empty()
}

// slab is memory for lists of one type.
type slab[T any] struct {
	block []T
	used  int // of block
}

// leastElems and mostElems are how many elements the block of a slab has. It doubles as it is too short for what is taken
// before the slab is empty, so that it soon is as long as that. A list of more than a quarter of mostElems is memory of its own.
const leastElems, mostElems = 16, 2048

// take returns a list of n zeros.
func (m *slab[T]) take(n int) []T {
	if n > len(m.block)-m.used {
		if n > mostElems/4 {
			return make([]T, n)
		}
		m.block, m.used = make([]T, min(max(2*len(m.block), n, leastElems), mostElems)), 0
	}
	list := m.block[m.used : m.used+n : m.used+n]
	m.used += n
	return list
}

// empty takes back all lists.
func (m *slab[T]) empty() {
	if m.used > 0 {
		clear(m.block[:m.used])
		m.used = 0
	}
}

// kept is the memory that the State of one graph leaves to that of the next.
type kept struct {
	pass, whole room
	groups      []*group
	space       nestSpace
	body        kernel.Kernel // of the present group
	cut         partitioner
}

// keptStates are States of graphs that have their plans, with memory for the next.
var keptStates sync.Pool

// mostKept is the greatest number of values of a graph whose State is kept. For a larger graph, reuse saves little compared with the
// memory that its program keeps.
const mostKept = 1024

// leave leaves the State's memory to the next graph.
func (s *State) leave() {
	n := len(s.Func.Params) + len(s.Func.Body)
	if n > mostKept {
		return
	}
	k := &s.kept
	k.pass.empty()
	k.whole.empty()
	clear(k.groups)
	k.groups = k.groups[:0]
	k.space.forget()
	k.cut.forget()
	*s = State{kept: *k}
	keptStates.Put(s)
}
