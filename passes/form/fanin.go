package form

import "github.com/stridefuse/stridefuse/passes/rewrite"

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// The cost of pushing a view through a value, for the pass views: which values would be
// computed as the view reads them, and whether one of them is too expensive for that.

// fanIn is the fan-in cone of a value that is viewed: the values between it and the buffers
// that the view is pushed through to.
type fanIn struct {
	values []*ir.Value        // in reverse topological order: the one viewed comes first
	alive  map[*ir.Value]bool // those that are needed elsewhere too
	why    string             // why the viewed value is stored instead, or ""
}

// fanIn returns the fan-in cone of x, which v views. A value that is read only by values of
// the cone is part of it at no cost. One that is read elsewhere too, or whose elements v
// repeats, is computed again if it is cheap, and is stored otherwise.
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
			c.alive[a] = c.alive[a] || alive // the value itself still reads it
			if reads[a]++; reads[a] == 1 {
				waiting = append(waiting, a)
			}
		}
	}
	return c
}

// latest removes the value that comes last in topological order, whose readers all have been
// seen, and returns it.
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

// tooExpensive returns why u is not to be computed more than once, or "".
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

// again returns how often u would be computed besides once if each of its readers computed what it reads.
// Slices that are parts of one array compute each element once; a view that repeats elements computes them again
// once at least, and for the taps of windows as often as they overlap.
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

// liesApart reports whether the elements of a value that is a view lie apart along the last axis that it has.
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

// measure adds up the ops that compute a value from buffers and their cost in
// additions, no further than the limits.
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
