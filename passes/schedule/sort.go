package schedule

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// sort orders short lines, some at a time. Lines whose elements are apart, and that are side by side, are transposed
// into local memory and back:
//
//	for each block of lines
//	  transpose
//	  for some of them
//	    sort
//	  transpose
//
// So are all elements of a cache line read at once: in place they would be one by one, each from a page of memory of its own.
// Emerald Rapids, 999x1001 elements of four bytes: 0.4 of the time. A goroutine has as many lines as a cache line has elements, of up
// to SortChunk elements each, which are 8 MB of float32 twice, and still gains: 100,000x32 take 0.65 of the time.
func sort(t *target, s *plan.Step) []offer {
	l, why := newLineStep(t, s, kernel.Sort.Ops()...)
	if why != "" {
		return refused(why)
	}
	n := s.LineOf(s.In[0])
	switch {
	case n > maxPlaces:
		return refused(tooManyPlaces)
	case n > t.SortChunk && !t.inGroup:
		return refused("the lines are long: a call of one would take too long")
	}
	work := t.SortWork * float64(n) / float64(s.Axes[l.line].Extent)
	if l.transposes() {
		work += 2 * t.StageWork
		return l.offer(work, lineKernel(kernel.Sort, l.by, s.Body.In[0].DType), l.sortTransposed)
	}
	return l.offer(work, lineKernel(kernel.Sort, l.by, s.Body.In[0].DType), l.sort)
}

// maxPlaces is how many elements a line has at most that is put in order: places have 32 bits.
const maxPlaces = math.MaxInt32

const tooManyPlaces = "a line has too many elements"

// transposes reports whether lines are transposed to be sorted, and sets the axis along which they are side by side.
func (l *lineStep) transposes() bool {
	l.columns(-1, -1)
	return l.cols >= 0 && !l.t.isPortable(transposeKernel(l.step.Body.In[0].DType)) && !l.t.isPortable(transposeKernel(l.step.OutType(0)))
}

// sort writes a sort of lines where they are.
func (l *lineStep) sort(k kernel.Code) nest.Nest {
	s, n := l.step, l.step.LineOf(l.step.In[0])
	rows := len(s.Axes) - 1
	if rows == l.line {
		rows--
	}
	w := newWalk(s.Axes).cutAll(l.line, rows).cut(rows, max(1, l.t.LineElems/n))
	in, out := viewOf(0, &s.In[0]), viewOf(1, &s.Out[0].Access)
	return w.part([]nest.Item{l.sortCall(k, w, rows, &in, &out)})
}

// sortCall returns the call that sorts lines, which follow one another along an axis.
func (l *lineStep) sortCall(k kernel.Code, w *walk, rows int, in, out *view) nest.Item {
	s, none := l.step, make([]int, len(l.step.Axes))
	n := s.LineOf(s.In[0])
	work, spare := view{slot: l.draft.scratch(ir.Int64, n), strides: none}, view{slot: l.draft.scratch(ir.Int64, n), strides: none}
	across := func(v *view, d ir.DType) nest.Size { return nest.Fixed(v.strides[l.line] * d.Size()) }
	args := []nest.Arg{w.arg(in, rows), w.arg(out, rows), w.arg(&work, rows), w.arg(&spare, rows)}
	return call(k, w.size[rows], w.size[l.line], args, across(in, s.Body.In[0].DType), across(out, s.OutType(0)), nest.Fixed(n))
}

// sortTransposed writes a sort of transposed lines.
func (l *lineStep) sortTransposed(k kernel.Code) nest.Nest {
	s, n, first := l.step, l.step.LineOf(l.step.In[0]), l.step.Axes[l.line].Extent
	from, to := s.Body.In[0].DType, s.OutType(0)
	each := (s.Axes[l.cols].Extent + l.t.Workers - 1) / l.t.Workers // goroutines share what is less: 130,000x16 take 0.5 of the time
	wide := max(min(l.t.TransposedRows, each), l.t.PackBytes/(n*max(from.Size(), to.Size())))
	w := newWalk(s.Axes).cutAll(l.line, l.cols).cut(l.cols, wide)
	some := w.cut(l.cols, max(1, l.t.LineElems/n))
	in, out := viewOf(0, &s.In[0]), viewOf(1, &s.Out[0].Access)
	lines, sorted := l.local(w, from, n), l.local(w, to, first)
	items := []nest.Item{transposeBlock(from, nest.Fixed(n), w.size[l.cols], w.arg(&in, l.line), 1, w.arg(&lines, l.cols))}
	items = append(items, some.wrap(w, []nest.Item{l.sortCall(k, some, l.cols, &lines, &sorted)})...)
	items = append(items, transposeBlock(to, w.size[l.cols], nest.Fixed(first), w.arg(&sorted, l.cols), 1, w.arg(&out, l.line)))
	return w.part(items)
}

// local reserves memory for a block of lines of n elements. Lines begin an odd number of cache lines apart: a power of two apart, they
// would share few sets of the first-level cache.
func (l *lineStep) local(w *walk, d ir.DType, n int) view {
	line := cacheLine / d.Size()
	apart := ((n+line-1)/line | 1) * line
	v := view{slot: l.draft.scratch(d, w.most[l.cols]*apart), strides: make([]int, len(l.step.Axes)), from: w.depth()}
	v.strides[l.cols], v.strides[l.line] = apart, 1
	return v
}
