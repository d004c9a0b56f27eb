package schedule

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// mergeSort sorts long lines. Chunks of a line become sorted runs, then blocks of the line are merged from all runs:
//
//	task: for each line, chunk   order
//	task: for each line, block   merge
//
// There are as many chunks as goroutines, unless chunks would be short, or have places beside keys. If the result is the first
// elements of a line, runs keep no more of them.
func mergeSort(t *target, s *plan.Step) []offer {
	l, why := newLineStep(t, s, kernel.Sort.Ops()...)
	if why != "" {
		return refused(why)
	}
	n := s.LineOf(s.In[0])
	switch {
	case n <= t.SortChunk:
		return refused(t.because("lines of %d elements, needs more than %d", n, t.SortChunk))
	case n > maxPlaces:
		return refused(tooManyPlaces)
	case t.inGroup:
		return refused(severalTasks)
	case t.Workers < 2:
		return refused("one goroutine sorts whole lines")
	}
	lines := linesOf(s, l.line)
	cost := (t.SortWork + t.MergeWork) * float64(n) * float64(lines)
	return offering(cost, func() (*Draft, string) { return newRunSorter(l, n, lines).draft(cost) })
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
	l.l.draft.Parts = l.orders(base)
	l.l.draft.Then = [][]nest.Nest{{l.merges(base)}}
	engine, _ := l.l.t.engine(l.order)
	l.l.draft.Choice = nest.Choice{Kernel: l.order.Signature(), Engine: engine, Kernels: 1, Cost: cost}
	return l.l.draft, ""
}

// runSorter writes the nests of mergeSort. Its axes are those of the step, where that of the lines has one index, then two
// more: the runs of a line, and the elements of a run.
type runSorter struct {
	l            *lineStep
	axes         []plan.Axis
	runs, elem   int // axes
	lines        int
	n, first     int // elements of a line, and of its result
	chunk, block int // elements of a call that orders, and of one that merges
	run, last    int // elements of a run, and of the last one
	all          int // elements of all runs of a line
	order, merge kernel.Code

	x, y        view
	at          view   // the numbers of blocks
	from        []view // the arguments that runs are
	work, spare view   // of one chunk
	memory      []view // of one block
}

// newRunSorter returns what writes the nests for lines of n elements.
func newRunSorter(line *lineStep, n, lines int) *runSorter {
	s := line.step
	l := &runSorter{l: line, runs: len(s.Axes), elem: len(s.Axes) + 1, lines: lines,
		n: n, first: s.Axes[line.line].Extent, chunk: line.t.SortChunk}
	l.l.draft = newDraft(l.l.t, s)
	types := kernel.RunTypes(l.l.by, s.Body.In[0].DType)
	if types[0].Size() == 8 {
		l.chunk = (l.chunk + 1) / 2 // words of eight bytes take twice as long
	}
	if len(types) == 1 { // records of keys and places take longer in greater chunks, and in a merge of few
		l.chunk = max(l.chunk, (n-1)/line.t.Workers+1)
	}
	l.run, l.last = min(l.chunk, l.first), min((n-1)%l.chunk+1, l.first)
	l.all = (n-1)/l.chunk*l.run + l.last
	l.block = min(l.l.t.MergeElems, l.chunk, l.first)
	l.axes = append(append(l.axes, s.Axes...), newAxes(1, 1)...)
	l.axes[l.l.line].Extent = 1
	in, out := &s.In[0], &s.Out[0].Access
	l.x, l.y = l.along(viewOf(0, in), l.chunk*in.Strides[l.l.line], in.Strides[l.l.line]), l.along(viewOf(1, out), 0, out.Strides[l.l.line])
	return l
}

// along returns a view with the strides of runs and elements.
func (l *runSorter) along(v view, run, elem int) view {
	strides := make([]int, l.elem+1)
	copy(strides, v.strides)
	strides[l.l.line], strides[l.runs], strides[l.elem] = 0, run, elem
	v.strides = strides
	return v
}

// reserve reserves memory, and reports whether its size is an int.
func (l *runSorter) reserve() bool {
	if float64(l.lines)*float64(l.all) > math.MaxInt/32 { // a run has less than 16 bytes for an element, and as much for gaps
		return false
	}
	l.work, l.spare = l.scratchOf(ir.Int64, l.chunk), l.scratchOf(ir.Int64, l.chunk)
	for range 3 {
		l.memory = append(l.memory, l.scratchOf(ir.Int64, l.block))
	}
	l.memory = append(l.memory, l.scratchOf(ir.Int64, kernel.MergeBounds(l.all, l.run)))
	l.at = l.along(view{slot: l.l.draft.own(l.l.t, plan.Buffer{Kind: plan.IotaBuffer, DType: ir.Int64, Shape: []int{(l.first-1)/l.block + 1}})}, 0, 0)
	offset := 0
	for _, d := range kernel.RunTypes(l.l.by, l.l.step.Body.In[0].DType) {
		v := l.scratchOfRuns(d, &offset)
		v.strides[l.runs] = l.run
		l.from = append(l.from, v)
	}
	return true
}

// scratchOfRuns reserves memory for an argument of the runs of all lines, in a buffer at an offset.
func (l *runSorter) scratchOfRuns(d ir.DType, offset *int) view {
	v := l.along(view{slot: l.l.draft.own(l.l.t, plan.Buffer{Kind: plan.TempBuffer, DType: d, Shape: []int{l.lines * l.all}, Offset: *offset})}, 0, 1)
	*offset += roundUp(l.lines*l.all*d.Size(), cacheLine)
	apart := l.all
	for k := len(l.l.step.Axes) - 1; k >= 0; k-- {
		if k != l.l.line {
			v.strides[k] = apart
			apart *= l.axes[k].Extent
		}
	}
	return v
}

// scratchOf reserves local memory.
func (l *runSorter) scratchOf(d ir.DType, elems int) view {
	return l.along(view{slot: l.l.draft.scratch(d, elems)}, 0, 1)
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// call returns a call on views whose lines follow one another along the elements.
func (l *runSorter) call(w *walk, k kernel.Code, cols nest.Size, views []view, fields ...nest.Size) nest.Item {
	return call(k, nest.Fixed(1), cols, w.args(l.elem, views...), fields...)
}

// inside returns views as local memory that each iteration of the loops of w writes again.
func inside(w *walk, views ...view) []view {
	out := make([]view, len(views))
	for i := range views {
		out[i] = views[i].inside(w)
	}
	return out
}

// orders returns the calls that make runs.
func (l *runSorter) orders(base *walk) []nest.Nest {
	whole := (l.n - 1) / l.chunk
	to := slices.Clone(l.from)
	for i := range to {
		to[i] = to[i].move(l.runs, whole)
	}
	last := l.orderPart(base, l.x.move(l.runs, whole), to, l.n-whole*l.chunk, l.last)
	return []nest.Nest{l.orderPart(base.having(l.runs, whole).cut(l.runs, 1), l.x, l.from, l.chunk, l.run), last}
}

// orderPart returns the calls that order n elements, of which the first ones are a run.
func (l *runSorter) orderPart(w *walk, x view, to []view, n, first int) nest.Nest {
	views := slices.Concat([]view{x}, to, inside(w, l.work, l.spare))
	return w.part([]nest.Item{l.call(w, l.order, nest.Fixed(first), views, x.across(l.elem, l.l.step.Body.In[0].DType), nest.Fixed(n))})
}

// merges returns the calls that merge all runs block by block.
func (l *runSorter) merges(base *walk) nest.Nest {
	w := base.having(l.elem, l.first).cut(l.elem, l.block)
	runs := make([]view, len(l.from))
	for i, v := range l.from {
		v.strides = slices.Clone(v.strides)
		v.strides[l.elem] = 0 // each block reads them all
		runs[i] = v
	}
	views := slices.Concat(runs, []view{l.at, l.y}, inside(w, l.memory...))
	merge := l.call(w, l.merge, w.size[l.elem], views, l.y.across(l.elem, l.l.step.OutType(0)),
		nest.Fixed(l.all), nest.Fixed(l.run), nest.Fixed(l.chunk), nest.Fixed(l.block), nest.Fixed(kernel.MergeBounds(l.all, l.run)))
	for i, axis := range w.axis {
		if axis == l.elem {
			merge.Call.Args[len(runs)].Strides[i] = 1 // the number of the block
		}
	}
	return w.part([]nest.Item{merge})
}
