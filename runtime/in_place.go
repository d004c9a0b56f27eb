package runtime

import (
	"slices"
	"sync"

	"github.com/stridefuse/stridefuse/ir/nest"
)

// Runs that compute results in place. They execute a schedule of their own, which is made and
// linked for the first of them: one that stores nothing past the caches, as the memory of such
// a result has just been read. Tasks that would copy elements to their own places are left out.

// inPlace is that schedule of a program, and which results may be the memory of which params,
// as far as it was asked.
type inPlace struct {
	schedule func() (*nest.Program, error)

	lock    sync.RWMutex
	sharing *nest.Sharing
	linked  *Linked
	known   map[[2]int]allowed // by buffers
}

// allowed says whether a result may be the memory of a param, and which tasks have nothing to do then.
type allowed struct {
	ok   bool
	kept []int
}

// InPlace has runs compute results in place, where nest.Sharing.InPlace allows it, by a schedule
// of the same plan. Without a call of InPlace no run does. It must be called before the first run.
func (l *Linked) InPlace(schedule func() (*nest.Program, error)) {
	l.inPlace = &inPlace{schedule: schedule}
}

// allows says whether a result may be the memory of a param. It allocates nothing if it was
// asked before.
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

// link makes the schedule. It leaves none if that fails: then nothing is computed in place.
func (p *inPlace) link(l *Linked) {
	program, err := p.schedule()
	if err != nil {
		return
	}
	linked, err := l.exec.Link(program)
	if err != nil {
		return
	}
	linked.observer, linked.inPlace, linked.captured = l.observer, p, l.captured
	p.sharing, p.linked = program.Sharing(), linked
}

// instead returns what computes the run that st is bound for if results are computed in
// place, and nil if that is st's own program.
func (st *state) instead() *Linked {
	if !st.inPlace || st.l.inPlace.linked == st.l {
		return nil
	}
	return st.l.inPlace.linked
}

// keeps reports whether a task has nothing to do, as it copies elements to their own places.
func (st *state) keeps(t *task) bool { return len(st.kept) > 0 && slices.Contains(st.kept, t.index) }
