package schedule

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// mergeSort sorts long lines. Chunks of a line become sorted runs, then blocks of the line are merged from all runs:
//
//	task: for each line, chunk   order
//	task: for each line, block   merge
//
// One task sorts many lines one by one, each in the local memory of a goroutine. If the result is the first elements of a line,
// runs keep no more of them.
func mergeSort(t *target, s *plan.Step) []offer {
	l, why := newLineStep(t, s, kernel.Sort.Ops()...)
	if why != "" {
		return refused(why)
	}
	n := s.LineOf(s.In[0])
	switch {
	case n <= t.SortChunk:
		return refused("the lines are short")
	case n > maxPlaces:
		return refused(tooManyPlaces)
	case t.inGroup:
		return refused(severalTasks)
	}
	lines := float64(elems(s)) / float64(s.Axes[l.line].Extent)
	cost := (t.SortWork + t.MergeWork) * float64(n) * lines
	return offering(cost, func() (*Draft, string) { return newRunSorter(l, n, int(lines)).draft(cost) })
}

// draft writes both levels.
func (l *runSorter) draft(cost float64) (*Draft, string) {
	d := l.l.step.Body.In[0].DType
	l.order, l.merge = lineKernel(kernel.Order, l.l.by, d), lineKernel(kernel.Merge, l.l.by, d)
	if why := l.l.t.lacks(l.order, l.merge); why != "" {
		return nil, why
	}
	if !l.reserve() {
		return nil, "its runs have more bytes than an int counts"
	}
	base := newWalk(l.axes).cutAll(l.runs, l.elem)
	l.stage(base, l.orders(base))
	l.stage(base, []piece{l.merges(base)})
	engine, _ := l.l.t.engine(l.order)
	l.l.draft.Choice = nest.Choice{Kernel: l.order.Signature(), Engine: engine, Kernels: 1, Cost: cost}
	return l.l.draft, ""
}

// piece is items inside loops.
type piece struct {
	w     *walk
	items []nest.Item
}

// stage appends pieces that may be computed at the same time, when all pieces before are complete.
func (l *runSorter) stage(base *walk, pieces []piece) {
	if l.local {
		if l.l.draft.Parts == nil {
			l.l.draft.Parts = []nest.Nest{base.part(nil)}
		}
		for _, p := range pieces {
			l.l.draft.Parts[0].Items = append(l.l.draft.Parts[0].Items, p.w.wrap(base, p.items)...)
		}
		return
	}
	var parts []nest.Nest
	for _, p := range pieces {
		parts = append(parts, p.w.part(p.items))
	}
	if l.l.draft.Parts == nil {
		l.l.draft.Parts = parts
	} else {
		l.l.draft.Then = append(l.l.draft.Then, parts)
	}
}
