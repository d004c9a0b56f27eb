package nest

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// InPlace reports whether a result may use the memory of a param with as many bytes: it may if no element of the param is read after an
// element of the result has been stored there. If that is uncertain, the answer is false. result and param are buffers of a
// program that Verify accepts. InPlace also returns the tasks that then have nothing to do, because they only copy elements to
// their own places.
//
// The proof is the verifier's, with both buffers as one memory, from the first task that stores the result. Elements of the
// param that a task reads must be disjoint from those of the result that earlier tasks store. In a task that does both,
// iterations are independent up to the nest that contains all these reads and stores, where items must read before others
// store. One call may do both, element by element.
func (s *Sharing) InPlace(result, param int) (kept []int, ok bool) {
	p := s.p
	r, in := &p.Buffers[result], &p.Buffers[param]
	if r.Kind != plan.ResultBuffer || in.Kind != plan.ParamBuffer || r.Size() != in.Size() || r.DType.Size() != in.DType.Size() ||
		in.At != nil && !in.At.Equal(layout.RowMajor(in.Shape...)) {
		return nil, false
	}
	v := &verifier{p: p, shared: &shared{result, param}}
	var stored []region
	for i := range s.tasks(result, param) {
		t := &p.Tasks[i]
		reads, stores := false, false
		for k := range t.Parts {
			r, s := v.shared.touches(t, t.Parts[k].Items)
			reads, stores = reads || r, stores || s
		}
		switch {
		case !reads && !stores:
			continue
		case !v.inPlace(i, reads && stores):
			return nil, false
		case v.shared.onlyCopies(t) && !slices.ContainsFunc(v.accesses, v.readsApart):
			kept = append(kept, i)
			continue
		}
		for k := range v.accesses {
			a := &v.accesses[k]
			if v.reads(a) && slices.ContainsFunc(stored, func(r region) bool { return !r.apart(&a.all) }) {
				return nil, false
			}
		}
		for _, a := range v.accesses {
			if a.stores {
				stored = append(stored, a.all)
			}
		}
		if len(stored) > maxRegions {
			return nil, false
		}
	}
	return kept, true
}

// shared is a result and a param that are treated as one memory.
type shared struct{ result, param int }

// has reports whether a slot is one of the two.
func (s *shared) has(slot *Slot) bool {
	return slot.Kind == Operand && (slot.Buffer == s.result || slot.Buffer == s.param)
}

// touches reports whether calls of items read the param, and whether they store the result or read stored parts of it.
func (s *shared) touches(t *Task, items []Item) (reads, stores bool) {
	for _, it := range items {
		if it.Nest != nil {
			r, w := s.touches(t, it.Nest.Items)
			reads, stores = reads || r, stores || w
			continue
		}
		for i, a := range it.Call.Kernel.Args() {
			if slot := &t.Slots[it.Call.Args[i].Slot]; a.Outer != kernel.None && s.has(slot) {
				reads, stores = reads || slot.Buffer == s.param, stores || slot.Buffer == s.result
			}
		}
	}
	return reads, stores
}

// onlyCopies reports whether all calls of a task copy elements of the param to the result.
func (s *shared) onlyCopies(t *Task) bool {
	var all func(items []Item) bool
	all = func(items []Item) bool {
		return !slices.ContainsFunc(items, func(it Item) bool {
			if it.Nest != nil {
				return !all(it.Nest.Items)
			}
			k, ok := it.Call.Kernel.(*kernel.Kernel)
			copies := ok && len(k.In) == 1 && len(k.Body) == 1 && len(k.Out) == 1 && k.Body[0].Op == ir.OpCopy
			of := func(arg, buffer int) bool {
				slot := &t.Slots[it.Call.Args[arg].Slot]
				return s.has(slot) && slot.Buffer == buffer
			}
			return !copies || !of(0, s.param) || !of(1, s.result)
		})
	}
	return !slices.ContainsFunc(t.Parts, func(n Nest) bool { return !all(n.Items) })
}

// reads reports whether an access reads the param.
func (v *verifier) reads(a *access) bool { return !a.stores && a.slot.Buffer == v.shared.param }

// inPlace records a task's accesses to the two. If both is set, it reports whether the task reads each element before storing it.
func (v *verifier) inPlace(task int, both bool) bool {
	v.begin(task)
	for k := range v.now.Parts {
		outer, ok := len(v.now.Parts[k].Loops), true
		if both {
			outer, ok = v.shared.readFirst(v.now, &v.now.Parts[k], 0)
		}
		if !ok {
			return false
		}
		v.part, v.outer, v.loops = k, outer, nil
		v.nest(&v.now.Parts[k], 1)
	}
	if both && slices.ContainsFunc(v.accesses, v.readsApart) {
		v.races()
	}
	return len(v.errs) == 0
}

// readsApart reports whether an access reads elements of the param other than those of the result that the same iteration stores. If
// no access does, iterations are independent because no element of the result is stored twice.
func (v *verifier) readsApart(a access) bool {
	return v.reads(&a) && !slices.ContainsFunc(v.accesses, func(b access) bool {
		return b.stores && !b.updates && a.part == b.part && slices.EqualFunc(a.loops, b.loops, loop.equal) && a.samePlace(&b)
	})
}

// equal reports whether two loops have the same iterations.
func (l loop) equal(m loop) bool {
	return l.parent == m.parent && l.n == m.n && l.tile == m.tile && l.most == m.most
}

// readFirst finds the innermost nest that contains all reads and stores of the two, and returns the number of loops around its
// items. It reports whether no item reads after another has stored. depth is the number of loops around n.
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
