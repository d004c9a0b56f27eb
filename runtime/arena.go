package runtime

import (
	"math/bits"
	"sync"
	"unsafe"
)

// Memory that one run needs at a time: the arena of its temporaries, and the scratch
// memory of the caller's worker. The programs of an executor share it, so that runs of
// many sizes in turns hold no more of it than runs of one. A program without temporaries
// and scratch memory takes none.

// local is such memory. No two runs have one at the same time.
type local struct {
	arena   []byte
	scratch []byte
	spare   []byte // for outs that overlap
	class   int
}

// locals are those that no run has, by the size of their arenas.
type locals [8 * bits.UintSize]sync.Pool // of *local

// arenaClass returns how many bytes an arena for n bytes has, at most a quarter more, and
// the number of that size.
func arenaClass(n int) (size, class int) {
	shift := max(6, bits.Len(uint(n))-3)
	units := n >> shift
	if units<<shift < n {
		units++
	}
	if units<<shift < n { // past int
		return n, len(locals{}) - 1
	}
	return units << shift, shift*8 + units
}

// take returns memory whose arena has n bytes at least, or nil if there is none.
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
