package schedule

import (
	"math"

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
	dtype, key   ir.DType
	axes         []plan.Axis
	run, elem    int // axes
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
	index       view       // of one block
}

// records are keys and places. Those in buffers have the offset of each.
type records struct{ keys, places view }

// newRunSorter returns what writes the nests for lines of n elements.
func newRunSorter(line *lineStep, n, lines int) *runSorter {
	s, d := line.step, line.step.Body.In[0].DType
	l := &runSorter{lineStep: line, dtype: d, key: kernel.KeyType(d), run: len(s.Axes), elem: len(s.Axes) + 1, lines: lines,
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
	strides[l.line], strides[l.run], strides[l.elem] = 0, run, elem
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
	size, place := l.key.Size(), kernel.Place.Size()
	if float64(l.lines)*float64(r.elems()) > math.MaxInt/float64(4*(size+place)) { // both banks, and as much for gaps
		return false
	}
	l.work, l.spare = l.memory(ir.Int64, l.chunk), l.memory(ir.Int64, l.chunk)
	l.merged, l.index = records{l.memory(l.key, l.block), l.memory(kernel.Place, l.block)}, l.memory(ir.Int64, l.block)
	l.at = l.along(view{slot: l.own(l.t, plan.Buffer{Kind: plan.IotaBuffer, DType: ir.Int64, Shape: []int{(l.first-1)/l.block + 1}})}, 0, 0)
	for i := range l.banks {
		if l.local {
			l.banks[i] = records{l.memory(l.key, all), l.memory(kernel.Place, all)}
			continue
		}
		bytes := roundUp(all*size, cacheLine)
		l.banks[i].keys.offset = i * (bytes + roundUp(all*place, cacheLine))
		l.banks[i].places.offset = l.banks[i].keys.offset + bytes
	}
	return true
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
	if l.local {
		return records{l.along(bank.keys, r.length, 1), l.along(bank.places, r.length, 1)}
	}
	buffer := func(d ir.DType, at int) view {
		v := view{strides: make([]int, len(l.axes)), slot: l.own(l.t, plan.Buffer{Kind: plan.TempBuffer, DType: d, Shape: []int{l.lines * r.elems()}, Offset: at})}
		apart := r.elems()
		for k := len(l.step.Axes) - 1; k >= 0; k-- {
			v.strides[k] = apart
			apart *= l.axes[k].Extent
		}
		return l.along(v, r.length, 1)
	}
	return records{buffer(l.key, bank.keys.offset), buffer(kernel.Place, bank.places.offset)}
}

// moved returns the records from a run on.
func (r records) moved(axis, n int) records {
	return records{r.keys.move(axis, n), r.places.move(axis, n)}
}

// orders returns the calls that make the first runs.
func (l *runSorter) orders(base *walk, r runs, to records) []piece {
	order := func(w *walk, x view, to records, n, length int) piece {
		args := []nest.Arg{w.arg(&x, l.run), w.arg(&to.keys, l.run), w.arg(&to.places, l.run), w.arg(new(l.work.inside(w)), l.run), w.arg(new(l.spare.inside(w)), l.run)}
		across := nest.Fixed(x.strides[l.elem] * l.dtype.Size())
		return piece{w, []nest.Item{call(l.order, nest.Fixed(1), nest.Fixed(length), args, across, nest.Fixed(n))}}
	}
	pieces := []piece{order(base.only(l.run, r.whole).cut(l.run, 1), l.x, to, l.chunk, r.length)}
	if r.last > 0 {
		pieces = append(pieces, order(base, l.x.move(l.run, r.whole), to.moved(l.run, r.whole), l.n%l.chunk, r.last))
	}
	return pieces
}

// merges returns the calls that merge pairs of runs. The run that is left at last is the result.
func (l *runSorter) merges(base *walk, r runs, from records, next runs, to records) (pieces []piece) {
	pairs := func(w *walk, first, second, length int, from, to records) {
		w = w.only(l.elem, length).cut(l.run, 1).cut(l.elem, l.block)
		if next.several() {
			pieces = append(pieces, piece{w, []nest.Item{l.mergeCall(w, first, second, r.span, from, to)}})
			return
		}
		merged := records{l.merged.keys.inside(w), l.merged.places.inside(w)}
		items := []nest.Item{l.mergeCall(w, first, second, r.span, from, merged)}
		pieces = append(pieces, piece{w, append(items, l.store(w, merged.places)...)})
	}
	both := records{l.along(from.keys, 2*r.length, 0), l.along(from.places, 2*r.length, 0)}
	if next.whole > 0 {
		pairs(base.only(l.run, next.whole), r.length, r.length, next.length, both, to)
	}
	if next.last > 0 {
		first, second := r.left()
		pairs(base, first, second, next.last, both.moved(l.run, next.whole), to.moved(l.run, next.whole))
	}
	return pieces
}

// mergeCall returns the call for one block of a pair of runs.
func (l *runSorter) mergeCall(w *walk, first, second, span int, from, to records) nest.Item {
	at := w.arg(&l.at, l.run)
	for i, axis := range w.axis {
		if axis == l.elem {
			at.Strides[i] = 1
		}
	}
	args := []nest.Arg{w.arg(&from.keys, l.run), w.arg(&from.places, l.run), at, w.arg(&to.keys, l.run), w.arg(&to.places, l.run)}
	return call(l.merge, nest.Fixed(1), w.size[l.elem], args, nest.Fixed(first), nest.Fixed(first+second), nest.Fixed(l.block), nest.Fixed(span))
}

// store returns the calls that store the elements at the places of a block, or the places.
func (l *runSorter) store(w *walk, places view) []nest.Item {
	cast, err := kernel.SingleOp(ir.OpCast, ir.Int64, kernel.Operand{DType: kernel.Place})
	if err != nil {
		panic("BUG: schedule: " + err.Error())
	}
	l.need(cast)
	one, n := nest.Fixed(1), w.size[l.elem]
	convert := func(to view) nest.Item { // elements that are apart are rows
		args := []nest.Arg{w.arg(&places, l.elem), w.arg(&to, l.elem)}
		if to.strides[l.elem] == 1 {
			return call(cast, one, n, args)
		}
		return call(cast, n, one, args)
	}
	if l.by.Info().Places {
		return []nest.Item{convert(l.y)}
	}
	gather := lineKernel(kernel.Gather, ir.OpInvalid, kernel.BitsType(l.dtype))
	l.need(gather)
	index, line := l.index.inside(w), l.along(l.x, 0, 0)
	from := w.arg(&line, l.elem)
	from.Step = l.x.strides[l.elem]
	args := []nest.Arg{from, w.arg(&index, l.elem), w.arg(&l.y, l.elem)}
	return []nest.Item{convert(index), call(gather, n, one, args, nest.Fixed(l.n))}
}
