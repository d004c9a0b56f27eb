package schedule

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The calls and the memory of mergeSort. Views are along the axes of the step, of which that of
// the lines has one index, and two axes more: the runs of a line, and the elements of a run.

// runSorter writes the nests of mergeSort.
type runSorter struct {
	*lineStep
	dtype        ir.DType
	run          []ir.DType // types of a run
	axes         []plan.Axis
	runs, elem   int // axes
	lines        int
	n, first     int  // elements of a line, and how many in order are the result
	chunk, block int  // elements of a call that orders, and of one that merges
	local        bool // runs are in local memory
	order, merge kernel.Code
	missing      string // a kernel that the library lacks

	x, y        view
	at          view       // the numbers of blocks
	banks       [2]records // of whole levels, in turns
	next        int        // the bank of the next level
	work, spare view       // of one chunk
	merged      records    // of one block
	lower       view       // of one block: places that index, or the lower halves of words
}

// records are the arguments that a run is: words, or keys and places. Those in buffers have the
// offset of each.
type records []view

// newRunSorter returns what writes the nests for lines of n elements.
func newRunSorter(line *lineStep, n, lines int) *runSorter {
	s, d := line.step, line.step.Body.In[0].DType
	l := &runSorter{lineStep: line, dtype: d, run: kernel.RunTypes(d), runs: len(s.Axes), elem: len(s.Axes) + 1, lines: lines,
		n: n, first: s.Axes[line.line].Extent, chunk: line.t.sortChunk(), local: lines >= line.t.SortLines}
	l.Draft = newDraft(l.t, s)
	l.block = min(l.t.MergeElems, l.chunk, l.first)
	l.axes = append(append(l.axes, s.Axes...), newAxes(1, 1)...)
	l.axes[l.line].Extent = 1
	in, out := &s.In[0], &s.Out[0].Access
	l.x, l.y = l.along(viewOf(0, in), l.chunk*in.Strides[l.line], in.Strides[l.line]), l.along(viewOf(1, out), 0, out.Strides[l.line])
	return l
}

// along returns a view whose runs and elements are so far apart.
func (l *runSorter) along(v view, run, elem int) view {
	strides := make([]int, l.elem+1)
	copy(strides, v.strides)
	strides[l.line], strides[l.runs], strides[l.elem] = 0, run, elem
	v.strides = strides
	return v
}

// need notes a kernel that the library lacks.
func (l *runSorter) need(k kernel.Code) {
	if _, ok := l.t.lib.Engine(k.Signature()); !ok {
		l.missing = k.Signature()
	}
}

// reserve reserves memory, for two levels of runs, of which none has more elements than r. It
// reports whether that can be.
func (l *runSorter) reserve(r runs) bool {
	all := r.elems()
	if !l.local {
		all *= l.lines
	}
	if float64(l.lines)*float64(r.elems()) > math.MaxInt/64 { // both banks have less than 32 bytes for an element, and as much for gaps
		return false
	}
	l.work, l.spare = l.memory(ir.Int64, l.chunk), l.memory(ir.Int64, l.chunk)
	l.merged, l.lower = l.records(l.block), l.memory(l.lowerType(), l.block)
	l.at = l.along(view{slot: l.own(l.t, plan.Buffer{Kind: plan.IotaBuffer, DType: ir.Int64, Shape: []int{(l.first-1)/l.block + 1}})}, 0, 0)
	offset := 0
	for i := range l.banks {
		if l.local {
			l.banks[i] = l.records(all)
			continue
		}
		for _, d := range l.run {
			l.banks[i] = append(l.banks[i], view{offset: offset})
			offset += roundUp(all*d.Size(), cacheLine)
		}
	}
	return true
}

// records reserves local memory for a run.
func (l *runSorter) records(elems int) (r records) {
	for _, d := range l.run {
		r = append(r, l.memory(d, elems))
	}
	return r
}

// memory reserves local memory.
func (l *runSorter) memory(d ir.DType, elems int) view {
	return l.along(view{slot: l.scratch(d, elems)}, 0, 1)
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// level returns the memory of the runs of a level.
func (l *runSorter) level(r runs) records {
	bank := l.banks[l.next]
	l.next = 1 - l.next
	var to records
	for i, d := range l.run {
		v := bank[i]
		if !l.local {
			v = view{strides: make([]int, len(l.axes)), slot: l.own(l.t, plan.Buffer{Kind: plan.TempBuffer, DType: d, Shape: []int{l.lines * r.elems()}, Offset: v.offset})}
			apart := r.elems()
			for k := len(l.step.Axes) - 1; k >= 0; k-- {
				v.strides[k] = apart
				apart *= l.axes[k].Extent
			}
		}
		to = append(to, l.along(v, r.length, 1))
	}
	return to
}

// each returns the records whose views are changed.
func (r records) each(change func(v *view) view) records {
	out := make(records, len(r))
	for i := range r {
		out[i] = change(&r[i])
	}
	return out
}

// moved returns the records from a run on.
func (r records) moved(axis, n int) records {
	return r.each(func(v *view) view { return v.move(axis, n) })
}

// inside returns records of local memory that are written anew in each iteration of the loops of w.
func (r records) inside(w *walk) records {
	return r.each(func(v *view) view { return v.inside(w) })
}

// call returns a call on views whose lines follow one another along the elements.
func (l *runSorter) call(w *walk, k kernel.Code, rows, cols nest.Size, views []view, fields ...nest.Size) nest.Item {
	args := make([]nest.Arg, len(views))
	for i := range views {
		args[i] = w.arg(&views[i], l.elem)
	}
	return call(k, rows, cols, args, fields...)
}

// orders returns the calls that make the first runs.
func (l *runSorter) orders(base *walk, r runs, to records) []piece {
	pieces := []piece{l.orderPiece(base.only(l.runs, r.whole).cut(l.runs, 1), l.x, to, l.chunk, r.length)}
	if r.last > 0 {
		pieces = append(pieces, l.orderPiece(base, l.x.move(l.runs, r.whole), to.moved(l.runs, r.whole), l.n%l.chunk, r.last))
	}
	return pieces
}

// orderPiece returns the calls that order n elements, of which the first ones are a run.
func (l *runSorter) orderPiece(w *walk, x view, to records, n, first int) piece {
	views := slices.Concat([]view{x}, to, []view{l.work.inside(w), l.spare.inside(w)})
	across := nest.Fixed(x.strides[l.elem] * l.dtype.Size())
	return piece{w, []nest.Item{l.call(w, l.order, nest.Fixed(1), nest.Fixed(first), views, across, nest.Fixed(n))}}
}

// merges returns the calls that merge pairs of runs to the next ones, or, if that is one, to the
// result.
func (l *runSorter) merges(base *walk, r runs, from records, next runs, to records) (pieces []piece) {
	both := from.each(func(v *view) view { return l.along(*v, 2*r.length, 0) })
	if next.whole > 0 {
		w := base.only(l.runs, next.whole).only(l.elem, next.length)
		pieces = append(pieces, l.mergePiece(w, pair{r.length, r.length, r.span, both}, !next.several(), to))
	}
	if next.last > 0 {
		first, second := r.left()
		w := base.only(l.elem, next.last)
		pieces = append(pieces, l.mergePiece(w, pair{first, second, r.span, both.moved(l.runs, next.whole)}, !next.several(), to.moved(l.runs, next.whole)))
	}
	return pieces
}

// pair is the lengths of two runs, how many elements of the line are before those of the second
// one, and both runs.
type pair struct {
	first, second, span int
	both                records
}

// mergePiece returns the calls that merge pairs block by block. At last they store the result.
func (l *runSorter) mergePiece(w *walk, p pair, last bool, to records) piece {
	w = w.cut(l.runs, 1).cut(l.elem, l.block)
	if last {
		to = l.merged.inside(w)
	}
	views := slices.Concat(p.both, []view{l.at}, to)
	merge := l.call(w, l.merge, nest.Fixed(1), w.size[l.elem], views, nest.Fixed(p.first), nest.Fixed(p.first+p.second), nest.Fixed(l.block), nest.Fixed(l.far(p)))
	for i, axis := range w.axis {
		if axis == l.elem {
			merge.Call.Args[len(l.run)].Strides[i] = 1 // the number of the block
		}
	}
	items := []nest.Item{merge}
	if last {
		items = append(items, l.store(w, to[len(to)-1])...)
	}
	return piece{w, items}
}
