package runtime

import (
	"context"
	"runtime/debug"
	"runtime/trace"
	"sync/atomic"
	"unsafe"
)

// state is the memory of one run, reused by later ones.
type state struct {
	l       *Linked
	taken   atomic.Bool      // by a run
	bases   []unsafe.Pointer // of each buffer: its element at index 0,...,0; then of all bytes; then of the scratch memory of a short program
	local   *local           // during a run
	spare   []byte           // outs that overlap are computed here
	moves   []spareOut
	span    spans // of the tensors that have elements, if an out may share memory
	inPlace bool  // an out is computed where an in is
	kept    []int // the tasks that have nothing to do because of that
	direct  direct
	worker  worker // the caller's
	job     job
}

// spareOut is an out computed in spare memory, to be copied at the end.
type spareOut struct {
	out, at, n int            // position of the out, offset in spare, bytes
	to         unsafe.Pointer // its destination
}

// putBack returns a state and memory that a run took but does not need. Either may be nil.
func (l *Linked) putBack(st *state, m *local) {
	if st != nil {
		st.free()
	}
	if m != nil {
		l.exec.locals.give(m)
	}
}

// other returns a state other than the first that no run uses, or nil if there is none.
func (l *Linked) other() *state {
	st, _ := l.states.Get().(*state)
	return st
}

// take takes the state for a run, and reports whether it was free.
func (st *state) take() bool { return st.taken.CompareAndSwap(false, true) }

// free makes the state available to later runs.
func (st *state) free() {
	if st.worker.keeps { // keep the tensors of one Bound
		st.taken.Store(false)
		return
	}
	st.release()
	if st.local != nil {
		st.leave()
	}
	l := st.l
	if l.replaced() {
		l.first.CompareAndSwap(st, nil)
		return
	}
	if l.first.Load() == st || l.first.CompareAndSwap(nil, st) {
		st.taken.Store(false)
	} else {
		l.states.Put(st)
	}
}

// run computes the steps, copies the outs that share memory, and frees the state. A panic of a kernel becomes an error of the run. The context may
// end the goroutine.
func (st *state) run(ctx context.Context) (err error) {
	old := debug.SetPanicOnFault(true) // an unmapped operand becomes an error too
	defer func() {
		if j := &st.job; j.task != nil {
			j.interrupt(j.task, &st.worker, recover())
			j.task, j.observed, err = nil, nil, j.err
		} else if st.direct.now != nil {
			err = st.direct.interrupt(st.worker.keeps, recover())
		}
		debug.SetPanicOnFault(old)
		st.job.ctx = nil
		st.free()
	}()
	switch {
	case st.l.observer != nil || trace.IsEnabled():
		st.job.begin(ctx)
		err = st.observation(ctx).compute()
	case len(st.direct.calls) > 0 && len(st.kept) == 0:
		if st.direct.stops {
			st.job.begin(ctx)
		}
		err = st.computeDirect()
	default:
		st.job.begin(ctx)
		err = st.compute(ctx)
	}
	if err == nil && len(st.moves) > 0 {
		err = st.copyOuts(ctx)
	}
	return err
}

// compute computes the tasks.
func (st *state) compute(ctx context.Context) error {
	for i, t := range st.l.tasks {
		if i > 0 { // it was asked before the first task
			if err := ContextError(ctx); err != nil {
				return err
			}
		}
		if st.keeps(t) {
			continue
		}
		if err := st.job.run(t, st); err != nil {
			return err
		}
	}
	return nil
}

// release forgets the caller's memory.
func (st *state) release() {
	bases := st.bases
	for _, b := range st.l.params {
		bases[b.number] = nil
	}
	for _, b := range st.l.results {
		bases[b.number] = nil
	}
	if len(st.span) > 0 { // an out may have shared memory
		clear(st.moves)
		st.moves, st.span, st.inPlace, st.kept = st.moves[:0], st.span[:0], false, st.kept[:0]
	}
}
