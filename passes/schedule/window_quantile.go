package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// windowQuantile computes the quantiles of the windows of some lines at a time:
//
//	for each index of the other axes, block of rows
//	  window_quantile
func windowQuantile(t *target, s *plan.Step) []offer {
	l, why := newLineStep(t, s, ir.OpWindowQuantile)
	if why != "" {
		return refused(why)
	}
	if s.LineOf(s.In[0]) > maxPlaces {
		return refused(tooManyPlaces)
	}
	return l.offer(t.SortWork, lineKernel(kernel.WindowQuantile, ir.OpInvalid, s.Body.In[0].DType), l.windowQuantile)
}

// windowQuantile writes the loops and calls.
func (l *lineStep) windowQuantile(k kernel.Code) nest.Nest {
	s, d, n := l.step, l.step.Body.In[0].DType, l.step.LineOf(l.step.In[0])
	rows := l.rows()
	w := newWalk(s.Axes).cutAll(l.line, rows).cut(rows, max(1, l.t.LineElems/n))
	words := kernel.WindowQuantileWork(n - s.Axes[l.line].Extent + 1)
	x, places, out := viewOf(0, &s.In[0]), viewOf(1, &s.In[1]), viewOf(2, &s.Out[0].Access)
	fields := []nest.Size{nest.Fixed(n), x.across(l.line, d), places.across(l.line, d), out.across(l.line, d), nest.Fixed(words)}
	args := w.args(rows, x, places, out, w.local(l.draft.scratch(ir.Int64, words)))
	return w.part([]nest.Item{call(k, w.size[rows], w.size[l.line], args, fields...)})
}
