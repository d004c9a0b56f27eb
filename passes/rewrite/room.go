package rewrite

import (
	"github.com/stridefuse/stridefuse/ir"
)

// Memory that passes need for a time. Lists of a room are taken one after the other and are taken
// back all at once: those of State.pass when a pass ends, those of State.whole when the plan is made. Then
// the next graph has the same memory. Nothing of a plan is in it.

// Room is memory for lists that are needed for the same time. The zero value is ready.
type Room struct {
	Numbers  Slab[int32]
	Ints     Slab[int]
	Flags    Slab[bool]
	Values   Slab[*ir.Value]
	readings Slab[Reading]
}

// Empty takes back all lists.
func (r *Room) Empty() {
	r.Numbers.Empty()
	r.Ints.Empty()
	r.Flags.Empty()
	r.Values.Empty()
	r.readings.Empty()
}

// Slab is memory for lists of one type.
type Slab[T any] struct {
	block []T
	used  int // of block
}

// leastElems and mostElems are how many elements the block of a slab has. It doubles as it is too short for what is taken
// before the slab is empty, so that it soon is as long as that. A list of more than a quarter of mostElems is memory of its own.
const leastElems, mostElems = 16, 2048

// Take returns a list of n zeros.
func (m *Slab[T]) Take(n int) []T {
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

// Empty takes back all lists.
func (m *Slab[T]) Empty() {
	if m.used > 0 {
		clear(m.block[:m.used])
		m.used = 0
	}
}
