package nest

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// InPlace reports whether a result may be the memory of a param of as many bytes: no element
// of the param is read after one of the result has been stored there. result and param are
// buffers of a program that Verify accepts. If it can't tell, they may not.
//
// It is the verifier's proof with both as one memory. Tasks that read the param come before
// those that store the result. In a task that does both, iterations are independent up to the
// nest that has all these reads and stores, in which items read before others store. One
// call may do both, element by element.
func (p *Program) InPlace(result, param int) bool {
	r, in := &p.Buffers[result], &p.Buffers[param]
	if r.Kind != plan.ResultBuffer || in.Kind != plan.ParamBuffer || r.Size() != in.Size() || r.DType.Size() != in.DType.Size() ||
		in.At != nil && !in.At.Equal(layout.RowMajor(in.Shape...)) {
		return false
	}
	v := &verifier{p: p, shared: &shared{result, param}}
	stored := false
	for i := range p.Tasks {
		t := &p.Tasks[i]
		reads, stores := false, false
		for k := range t.Parts {
			r, s := v.shared.touches(t, t.Parts[k].Items)
			reads, stores = reads || r, stores || s
		}
		if reads && (stored || stores && !v.inPlace(i)) {
			return false
		}
		stored = stored || stores
	}
	return true
}

// shared is a result and a param that are taken for one memory.
type shared struct{ result, param int }

// has reports whether a slot is of one of the two.
func (s *shared) has(slot *Slot) bool {
	return slot.Kind == Operand && (slot.Buffer == s.result || slot.Buffer == s.param)
}

// touches reports whether calls of items read the param, and whether they store the result or
// read what has been stored there.
func (s *shared) touches(t *Task, items []Item) (reads, stores bool) {
	for _, it := range items {
		if it.Nest != nil {
			r, w := s.touches(t, it.Nest.Items)
			reads, stores = reads || r, stores || w
			continue
		}
		for _, a := range it.Call.Args {
			if slot := &t.Slots[a.Slot]; s.has(slot) {
				reads, stores = reads || slot.Buffer == s.param, stores || slot.Buffer == s.result
			}
		}
	}
	return reads, stores
}

// inPlace reports whether a task reads each element before it is stored.
func (v *verifier) inPlace(task int) bool {
	v.now, v.index, v.accesses = &v.p.Tasks[task], task, nil
	for k := range v.now.Parts {
		outer, ok := v.shared.readFirst(v.now, &v.now.Parts[k], 0)
		if !ok {
			return false
		}
		v.part, v.outer, v.loops = k, outer, nil
		v.nest(&v.now.Parts[k], 1)
	}
	if slices.ContainsFunc(v.accesses, v.readsApart) {
		v.races()
	}
	return len(v.errs) == 0
}

// readsApart reports whether an access reads the param elsewhere than the result is stored by
// the same iteration. If none does, iterations are independent because no element of the result is
// stored twice.
func (v *verifier) readsApart(a access) bool {
	return !a.stores && a.slot.Buffer == v.shared.param && !slices.ContainsFunc(v.accesses, func(b access) bool {
		return b.stores && !b.updates && a.part == b.part && slices.EqualFunc(a.loops, b.loops, loop.equal) && a.samePlace(&b)
	})
}

// equal reports whether two loops have the same iterations.
func (l loop) equal(m loop) bool {
	return l.parent == m.parent && l.n == m.n && l.tile == m.tile && l.most == m.most
}

// readFirst finds the innermost nest that has all reads and stores of the two, and returns how
// many loops there are round its items. It reports whether none of the items reads after
// another has stored. depth is the number of loops round n.
func (s *shared) readFirst(t *Task, n *Nest, depth int) (outer int, ok bool) {
	outer = depth + len(n.Loops)
	stored, both, others := false, (*Nest)(nil), 0
	for i := range n.Items {
		reads, stores := s.touches(t, n.Items[i:i+1])
		switch {
		case reads && stored:
			return outer, false
		case reads && stores && n.Items[i].Nest != nil:
			both = n.Items[i].Nest
		case reads || stores:
			others++
		}
		stored = stored || stores
	}
	if both == nil {
		return outer, true
	}
	if others > 0 || slices.ContainsFunc(both.Loops, func(l Loop) bool { return l.Extent.N == 0 }) {
		return outer, false
	}
	return s.readFirst(t, both, outer)
}
