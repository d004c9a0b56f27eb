package runtime

import (
	"math/bits"
	"sync"
	"unsafe"
)

// Memory that one run needs at a time: the arena of its temporaries, and the scratch memory of the caller's worker. The programs of an
// executor share it, so runs of many sizes in turn hold no more of it than runs of one size. A program without temporaries
// and scratch memory takes none.

// local is memory for one run. Two runs never have the same local at the same time.
type local struct {
	arena   []byte
	scratch []byte
	spare   []byte // for outs that share memory with other tensors
	class   int
}

// locals holds the local memory that no run uses, by the size class of the arenas.
type locals [8 * bits.UintSize]sync.Pool // of *local

// arenaClass returns the size of an arena for n bytes, which is at most a quarter more, and the number of that size class.
func arenaClass(n int) (size, class int) {
	shift := max(6, bits.Len(uint(n))-3)
	units := n >> shift
	if units<<shift < n {
		units++
	}
	if units<<shift < n { // exceeds int
		return n, len(locals{}) - 1
	}
	return units << shift, shift*8 + units
}

// take returns memory whose arena has at least n bytes, or nil if there is none.
func (ls *locals) take(n int) *local {
	_, class := arenaClass(n)
	m, _ := ls[class].Get().(*local)
	if m != nil && len(m.arena) < n {
		return nil
	}
	return m
}

func (ls *locals) give(m *local) { ls[m.class].Put(m) }

// enter gives a state the memory for a run, if the run needs any.
func (st *state) enter(m *local) {
	if m == nil {
		return
	}
	st.local, st.worker.scratch, st.spare = m, m.scratch, m.spare
	for _, b := range st.l.temps {
		st.bases[b] = unsafe.Pointer(unsafe.SliceData(m.arena[st.l.buffers[b].offset:]))
	}
}

// leave takes that memory back.
func (st *state) leave() {
	m := st.local
	m.scratch, m.spare = st.worker.scratch, st.spare
	st.local, st.worker.scratch, st.spare, st.bases[st.l.scratchBase()] = nil, nil, nil, nil
	for _, b := range st.l.temps {
		st.bases[b] = nil
	}
	st.l.exec.locals.give(m)
}
