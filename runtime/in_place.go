package runtime

import (
	"slices"
	"sync"

	"github.com/stridefuse/stridefuse/ir/nest"
)

// Runs that compute results in place. They execute a separate schedule, which is made and linked for the first such run. It stores nothing
// past the caches, because the memory of such a result has just been read. Tasks that would copy elements to their own places are
// skipped.

// inPlace holds that schedule of a program, and the known answers to whether a result may use the memory of a param.
type inPlace struct {
	schedule func() (*nest.Program, error)

	lock    sync.RWMutex
	sharing *nest.Sharing
	linked  *Linked
	known   map[[2]int]allowed // by buffers
}

// allowed records whether a result may use the memory of a param, and which tasks then have nothing to do.
type allowed struct {
	ok   bool
	kept []int
}

// InPlace enables runs to compute results in place, where nest.Sharing.InPlace allows that, by the given schedule of the same plan. It must be
// called before the first run.
func (l *Linked) InPlace(schedule func() (*nest.Program, error)) {
	l.inPlace = &inPlace{schedule: schedule}
}

// allows returns whether a result may use the memory of a param. It allocates nothing if the same was asked before.
func (p *inPlace) allows(l *Linked, result, param int) allowed {
	if p == nil {
		return allowed{}
	}
	pair := [2]int{l.results[result].number, l.params[param].number}
	p.lock.RLock()
	a, found := p.known[pair]
	p.lock.RUnlock()
	if found {
		return a
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.known == nil {
		p.known = map[[2]int]allowed{}
		p.link(l)
	}
	if p.linked != nil {
		a.kept, a.ok = p.sharing.InPlace(pair[0], pair[1])
	}
	p.known[pair] = a
	return a
}

// link makes and links the schedule. If that fails, nothing is computed in place.
func (p *inPlace) link(l *Linked) {
	program, err := p.schedule()
	if err != nil {
		return
	}
	linked, err := l.exec.LinkWith(program, l.kernels)
	if err != nil {
		return
	}
	linked.observer, linked.inPlace, linked.captured = l.observer, p, l.captured
	p.sharing, p.linked = program.Sharing(), linked
}

// instead returns the program for the bound run if results are computed in place, or nil if st's own program runs.
func (st *state) instead() *Linked {
	if !st.inPlace || st.l.inPlace.linked == st.l {
		return nil
	}
	return st.l.inPlace.linked
}

// keeps reports whether a task has nothing to do because it copies elements to their own places.
func (st *state) keeps(t *task) bool { return len(st.kept) > 0 && slices.Contains(st.kept, t.index) }
