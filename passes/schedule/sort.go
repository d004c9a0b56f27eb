package schedule

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// sort sorts short lines, some at a time. Lines side by side, whose elements are strided, are transposed into local memory and back:
//
//	for each block of lines
//	  transpose
//	  for some of them
//	    sort
//	  transpose
//
// So all elements of a cache line are read at once: in place each would come from another page of memory. Emerald Rapids,
// 999x1001 elements of four bytes: 0.4 of the time. It still gains with up to SortChunk elements in each line, 8 MB of float32
// twice in a block of 16 lines: 100,000x32 take 0.65 of the time.
func sort(t *target, s *plan.Step) []offer {
	l, why := newLineStep(t, s, kernel.Sort.Ops()...)
	if why != "" {
		return refused(why)
	}
	n := s.LineOf(s.In[0])
	switch {
	case n > maxPlaces:
		return refused(tooManyPlaces)
	case n > t.SortChunk && !t.inGroup && !l.eachWhole(n):
		return refused(t.because("%d lines of %d elements, takes at most %d elements, or %d lines: goroutines would be idle",
			linesOf(s, l.line), n, t.SortChunk, t.SortLines))
	}
	work := t.SortWork * float64(n) / float64(s.Axes[l.line].Extent)
	if n <= t.SortChunk && l.transposes() {
		work += 2 * t.StageWork
		return l.offer(work, lineKernel(kernel.Sort, l.by, s.Body.In[0].DType), l.sortTransposed)
	}
	return l.offer(work, lineKernel(kernel.Sort, l.by, s.Body.In[0].DType), l.sort)
}

// maxPlaces is the greatest number of elements of a line that is sorted: indices have 32 bits.
const maxPlaces = math.MaxInt32

const tooManyPlaces = "a line has too many elements"

// eachWhole reports whether long lines, of n elements, are sorted whole, each by one goroutine. That is also faster if two goroutines
// would merge the places of 8-byte elements. Zen 3, argsort of 2^20 float64: 0.6 of the time.
func (l *lineStep) eachWhole(n int) bool {
	s, workers := l.step, l.t.Workers
	records := len(kernel.RunTypes(l.by, s.Body.In[0].DType)) > 1
	return workers < 2 || linesOf(s, l.line) >= l.t.SortLines || workers == 2 && records && s.Axes[l.line].Extent == n
}

// linesOf returns the number of lines of a step, along the given axis.
func linesOf(s *plan.Step, line int) int { return elems(s) / s.Axes[line].Extent }

// transposes reports whether lines are transposed to be sorted, and finds the axis along which they are side by side.
func (l *lineStep) transposes() bool {
	l.columns(-1, 1)
	return l.cols >= 0 && !l.t.isPortable(transposeKernel(l.step.Body.In[0].DType)) && !l.t.isPortable(transposeKernel(l.step.OutType(0)))
}

// sort writes a sort of lines where they are.
func (l *lineStep) sort(k kernel.Code) nest.Nest {
	s, n := l.step, l.step.LineOf(l.step.In[0])
	rows := l.rows()
	w := newWalk(s.Axes).cutAll(l.line, rows).cut(rows, max(1, l.t.LineElems/n))
	in, out := viewOf(0, &s.In[0]), viewOf(1, &s.Out[0].Access)
	return w.part([]nest.Item{l.sortCall(k, w, rows, &in, &out)})
}

// sortCall returns the call that sorts lines, which follow one another along an axis.
func (l *lineStep) sortCall(k kernel.Code, w *walk, rows int, in, out *view) nest.Item {
	s, n := l.step, l.step.LineOf(l.step.In[0])
	args := w.args(rows, *in, *out, w.local(l.draft.scratch(ir.Int64, n)), w.local(l.draft.scratch(ir.Int64, n)))
	return call(k, w.size[rows], w.size[l.line], args, in.across(l.line, s.Body.In[0].DType), out.across(l.line, s.OutType(0)), nest.Fixed(n))
}

// sortTransposed writes a sort of transposed lines.
func (l *lineStep) sortTransposed(k kernel.Code) nest.Nest {
	s, n, first := l.step, l.step.LineOf(l.step.In[0]), l.step.Axes[l.line].Extent
	from, to := s.Body.In[0].DType, s.OutType(0)
	w := newWalk(s.Axes).cutAll(l.line, l.cols).cut(l.cols, l.transposedLines(n*max(from.Size(), to.Size())))
	some := w.cut(l.cols, max(1, l.t.LineElems/n))
	in, out := viewOf(0, &s.In[0]), viewOf(1, &s.Out[0].Access)
	lines, sorted := l.local(w, from, n), l.local(w, to, first)
	items := []nest.Item{transposeCall(from, nest.Fixed(n), w.size[l.cols], w.arg(&in, l.line), 1, w.arg(&lines, l.cols))}
	items = append(items, some.wrap(w, []nest.Item{l.sortCall(k, some, l.cols, &lines, &sorted)})...)
	items = append(items, transposeCall(to, w.size[l.cols], nest.Fixed(first), w.arg(&sorted, l.cols), 1, w.arg(&out, l.line)))
	return w.part(items)
}

// transposedLines returns how many lines of so many bytes are transposed at a time.
func (l *lineStep) transposedLines(bytes int) int {
	each := (l.step.Axes[l.cols].Extent + l.t.Workers - 1) / l.t.Workers // goroutines share what is less: 130,000x16 take 0.5 of the time
	return max(min(l.t.TransposedRows, each), l.t.PackBytes/bytes)
}

// local reserves memory for a block of lines of n elements.
func (l *lineStep) local(w *walk, d ir.DType, n int) view {
	apart := oddLines(n, d)
	return w.local(l.draft.scratch(d, w.most[l.cols]*apart), l.cols, apart, l.line, 1)
}
