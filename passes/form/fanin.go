package form

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// The cost of pushing a view through a value, for the pass views: the values that would be computed in the shape of the
// view, and whether one of them is too expensive for that.

// fanIn is the fan-in cone of a viewed value: the values between it and the buffers to which the view is pushed.
type fanIn struct {
	values []*ir.Value        // in reverse topological order, so the viewed value comes first
	alive  map[*ir.Value]bool // the values that are needed outside the cone too
	why    string             // why the viewed value is stored instead, or ""
}

// fanIn returns the fan-in cone of x, which v views. A value that only the cone reads joins it at no cost. A value that
// has other readers, or whose elements v repeats, joins the cone if it is cheap, and is stored otherwise. If x itself
// should be stored, the cone says why.
func (w *viewer) fanIn(v, x *ir.Value) *fanIn {
	c := &fanIn{alive: map[*ir.Value]bool{}}
	reads := map[*ir.Value]int32{x: 1}
	waiting := []*ir.Value{x}
	repeats := rewrite.Size(v.Type.Shape) > rewrite.Size(x.Type.Shape)
	for len(waiting) > 0 {
		u := w.latest(&waiting)
		if repeats || reads[u] < *w.uses.At(u) {
			if why := w.tooExpensive(u, repeats); why != "" {
				if u == x {
					c.why = why
					return c
				}
				w.s.store(u, why)
				continue
			}
		}
		alive := c.alive[u] || reads[u] < *w.uses.At(u)
		c.alive[u] = alive
		if len(c.values) == rewrite.AgainOps {
			c.why = "it is read through a view, and too many ops make it to compute them there"
			return c
		}
		c.values = append(c.values, u)
		for _, a := range u.Args {
			if !w.pushable(a) {
				continue
			}
			c.alive[a] = c.alive[a] || alive // u stays for its other readers, and still reads a
			if reads[a]++; reads[a] == 1 {
				waiting = append(waiting, a)
			}
		}
	}
	return c
}

// latest removes and returns the value that comes last in topological order. All readers of that value have been
// visited.
func (w *viewer) latest(waiting *[]*ir.Value) *ir.Value {
	at := 0
	for i, u := range *waiting {
		if *w.order.At(u) > *w.order.At((*waiting)[at]) {
			at = i
		}
	}
	u := (*waiting)[at]
	*waiting = slices.Delete(*waiting, at, at+1)
	return u
}

// tooExpensive returns why u should not be computed more than once, or "" if it may be.
func (w *viewer) tooExpensive(u *ir.Value, repeats bool) string {
	ops, cost := 0, 0.0
	w.measure(u, &ops, &cost)
	again := w.again(u, repeats)
	switch {
	case repeats && slices.ContainsFunc(u.Args, liesApart):
		return "a view that repeats elements reads it, and would gather its operands for every repeat"
	case cost*again <= rewrite.AgainWork && ops <= rewrite.AgainOps:
		return ""
	case repeats:
		return "a view that repeats elements reads it, and would compute it again for every repeat"
	}
	return "it is read in more ways than one, and each would compute it again"
}

// again returns how many more times u would be computed if each reader computed the elements that it reads. Slices that
// divide one array compute each element once. A view that repeats elements computes u at least once more, and as often
// as its windows overlap.
func (w *viewer) again(u *ir.Value, repeats bool) float64 {
	readers, r := float64(*w.uses.At(u)), *w.reads.At(u)
	overlap := r.Elements / float64(max(1, rewrite.Size(u.Type.Shape)))
	switch {
	case repeats:
		return max(2, readers, min(r.Times, overlap)) - 1
	case int(readers) <= rewrite.AgainReaders:
		readers = min(readers, overlap)
	}
	return max(1, readers) - 1
}

// liesApart reports whether a is a view whose last axis with several elements has a stride other than 0 or 1.
func liesApart(a *ir.Value) bool {
	if a.Op != ir.OpAccess {
		return false
	}
	for i, n := range slices.Backward(a.Attr.At.Shape) {
		if stride := a.Attr.At.Strides[i]; n > 1 {
			return stride != 0 && stride != 1
		}
	}
	return false
}

// measure adds to ops and cost the operations that compute x from buffers; the cost is in additions. The walk ends when
// ops exceeds rewrite.AgainOps.
func (w *viewer) measure(x *ir.Value, ops *int, cost *float64) {
	if !w.pushable(x) || *ops > rewrite.AgainOps {
		return
	}
	*ops++
	*cost += x.Op.Info().Cost
	for _, a := range x.Args {
		w.measure(a, ops, cost)
	}
}
