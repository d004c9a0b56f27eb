package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// nth selects elements of some lines at a time. Short lines side by side are transposed into local memory, as by sort:
//
//	for each block of lines
//	  transpose
//	  for some of them
//	    nth
func nth(t *target, s *plan.Step) []offer {
	l, why := newLineStep(t, s, ir.OpNth)
	if why != "" {
		return refused(why)
	}
	n := s.LineOf(s.In[0])
	if n > maxPlaces {
		return refused(tooManyPlaces)
	}
	work := t.NthWork * float64(n) / float64(s.Axes[l.line].Extent)
	k := lineKernel(kernel.Nth, ir.OpInvalid, s.Body.In[0].DType)
	if n <= t.SortChunk && l.transposes() {
		return l.offer(work+t.StageWork, k, l.nthTransposed)
	}
	return l.offer(work, k, l.nth)
}

// nth writes a selection from lines where they are.
func (l *lineStep) nth(k kernel.Code) nest.Nest {
	s, rows := l.step, l.rows()
	w := newWalk(s.Axes).cutAll(l.line, rows).cut(rows, max(1, l.t.LineElems/s.LineOf(s.In[0])))
	in := viewOf(0, &s.In[0])
	return w.part([]nest.Item{l.nthCall(k, w, rows, &in)})
}

// nthCall returns the call that selects from lines, which follow one another along an axis.
func (l *lineStep) nthCall(k kernel.Code, w *walk, rows int, in *view) nest.Item {
	s, d, n := l.step, l.step.Body.In[0].DType, l.step.LineOf(l.step.In[0])
	places, out, words := viewOf(1, &s.In[1]), viewOf(2, &s.Out[0].Access), kernel.NthWork(n)
	args := w.args(rows, *in, places, out, w.local(l.draft.scratch(ir.Int64, words)), w.local(l.draft.scratch(ir.Int64, words)))
	fields := []nest.Size{nest.Fixed(n), in.across(l.line, d), places.across(l.line, ir.Int64), out.across(l.line, d), nest.Fixed(words)}
	return call(k, w.size[rows], w.size[l.line], args, fields...)
}

// nthTransposed writes a selection from transposed lines.
func (l *lineStep) nthTransposed(k kernel.Code) nest.Nest {
	s, d, n := l.step, l.step.Body.In[0].DType, l.step.LineOf(l.step.In[0])
	w := newWalk(s.Axes).cutAll(l.line, l.cols).cut(l.cols, l.transposedLines(n*d.Size()))
	some := w.cut(l.cols, max(1, l.t.LineElems/n))
	in, lines := viewOf(0, &s.In[0]), l.local(w, d, n)
	items := []nest.Item{transposeCall(d, nest.Fixed(n), w.size[l.cols], w.arg(&in, l.line), 1, w.arg(&lines, l.cols))}
	return w.part(append(items, some.wrap(w, []nest.Item{l.nthCall(k, some, l.cols, &lines)})...))
}
