package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// mergeSort orders long lines. Chunks of a line are made runs, then two runs beside each other
// are merged, again and again, in blocks of bounded size. The places of the run that is left
// are the result, or say which elements are:
//
//	task: for each line, chunk           order
//	task: for each line, pair, block     merge      once for each level but the last
//	task: for each line, block           merge, and store
//
// Many lines are ordered one by one, each in the local memory of a goroutine, by one task. If
// the first elements of a line are the result, runs have no more.
var mergeSort = strategy{name: "merge-sort", offer: offerMergeSort}

func offerMergeSort(t *target, s *plan.Step) (offer, string) {
	l, why := newLineStep(t, s, kernel.Sort.Ops()...)
	if why != "" {
		return offer{}, why
	}
	n := s.LineOf(s.In[0])
	switch {
	case n <= t.sortChunk():
		return offer{}, "the lines are short"
	case n > maxPlaces:
		return offer{}, tooManyPlaces
	case t.inGroup:
		return offer{}, "it takes several tasks"
	}
	lines := float64(elems(s)) / float64(s.Axes[l.line].Extent)
	cost := (t.SortWork + t.MergeWork) * float64(n) * lines
	return offer{cost, func() (*Draft, string) { return newRunSorter(l, n, int(lines)).draft(cost) }}, ""
}

// sortChunk is up to how many elements one call puts in order.
func (t *target) sortChunk() int {
	if t.Blocks > 0 { // a test
		return min(t.SortChunk, t.Blocks)
	}
	return t.SortChunk
}

// runs describes the runs of a line: whole is the number of runs of the same length, and last is
// the length of the run behind them, which may be 0. A whole run is made of span elements of the
// line.
type runs struct{ whole, length, last, span int }

// elems returns how many elements the runs have.
func (r runs) elems() int { return r.whole*r.length + r.last }

// several reports whether there is more than one run.
func (r runs) several() bool { return r.whole > 1 || r.whole == 1 && r.last > 0 }

// left returns the lengths of the runs that are in no pair of whole ones.
func (r runs) left() (first, second int) {
	if r.whole%2 == 0 {
		return r.last, 0
	}
	return r.length, r.last
}

// merged returns the runs after each pair is merged. A run keeps at most most elements.
func (r runs) merged(most int) runs {
	first, second := r.left()
	return runs{whole: r.whole / 2, length: min(2*r.length, most), last: min(first+second, most), span: 2 * r.span}
}

// draft writes one level after the other.
func (l *runSorter) draft(cost float64) (*Draft, string) {
	l.order, l.merge = lineKernel(kernel.Order, l.by, l.dtype), lineKernel(kernel.Merge, ir.OpInvalid, l.run[0])
	l.need(l.order)
	l.need(l.merge)
	r := runs{whole: l.n / l.chunk, length: min(l.chunk, l.first), last: min(l.n%l.chunk, l.first), span: l.chunk}
	if !l.reserve(r) {
		return nil, "its runs have more bytes than an int counts"
	}
	base := newWalk(l.axes).cutAll(l.runs, l.elem)
	to := l.level(r)
	l.stage(base, l.orders(base, r, to))
	for r.several() {
		from, next := to, r.merged(l.first)
		if next.several() {
			to = l.level(next)
		}
		l.stage(base, l.merges(base, r, from, next, to))
		r = next
	}
	if l.missing != "" {
		return nil, "no kernel is registered for " + l.missing
	}
	engine, _ := l.t.lib.Engine(l.order.Signature())
	l.Choice = nest.Choice{Kernel: l.order.Signature(), Engine: engine, Kernels: 1, Cost: cost}
	return l.Draft, ""
}

// piece is items inside loops.
type piece struct {
	w     *walk
	items []nest.Item
}

// stage appends pieces that may be computed at the same time, when all before are complete.
func (l *runSorter) stage(base *walk, pieces []piece) {
	if l.local {
		if l.Parts == nil {
			l.Parts = []nest.Nest{base.part(nil)}
		}
		for _, p := range pieces {
			l.Parts[0].Items = append(l.Parts[0].Items, p.w.wrap(base, p.items)...)
		}
		return
	}
	var parts []nest.Nest
	for _, p := range pieces {
		parts = append(parts, p.w.part(p.items))
	}
	if l.Parts == nil {
		l.Parts = parts
	} else {
		l.Then = append(l.Then, parts)
	}
}
