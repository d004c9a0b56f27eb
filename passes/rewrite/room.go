package rewrite

import (
	"github.com/stridefuse/stridefuse/ir"
)

// A Room is temporary memory of passes. Its lists are taken one by one and taken back all at once: lists of
// State.Pass at the end of a pass, lists of State.Whole when the plan is complete. The next graph reuses the memory.
// No part of a plan lies in it.

// Room is memory for lists with the same lifetime. The zero value is ready to use.
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

// Slab is memory for lists of one type. Lists of a slab that is never emptied may be kept.
type Slab[T any] struct {
	block []T
	used  int // elements of block in use
}

// leastElems and mostElems limit the block of a slab, in elements. The block doubles each time it proves too short,
// so it soon holds everything taken between two calls of Empty. A list longer than mostElems/4 gets memory of its
// own.
const leastElems, mostElems = 16, 2048

// Take returns a list of n zeros, which is not nil.
func (m *Slab[T]) Take(n int) []T {
	if m.block == nil || n > len(m.block)-m.used {
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
