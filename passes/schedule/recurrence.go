package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// recurrence takes some lines at a time, and some elements of long lines: an element follows from the one before it, which local memory
// keeps from one call to the next. Operands are read through their strides, also a factor that is the same for all.
//
//	for some lines
//	  copy the first element of each to the result, and to the state
//	  for some elements behind them
//	    recurrence, from the state on
func recurrence(t *target, s *plan.Step) []offer {
	l, why := newLineStep(t, s, ir.OpRecurrence)
	if why != "" {
		return refused(why)
	}
	if why = t.lacks(copyKernel(s.Body.In[0].DType, false)); why != "" {
		return refused(why)
	}
	return l.offer(t.LineWork, lineKernel(kernel.Recurrence, ir.OpInvalid, s.Body.In[0].DType), l.recurrence)
}

// recurrence writes the loops and calls of a recurrence.
func (l *lineStep) recurrence(k kernel.Code) nest.Nest {
	s, d := l.step, l.step.Body.In[0].DType
	rows := l.rows()
	n := s.Axes[l.line].Extent
	w := newWalk(s.Axes).cutAll(l.line, rows).cut(rows, max(l.t.RecurrenceRows, l.t.LineElems/n))
	x, a, y := viewOf(0, &s.In[0]), viewOf(1, &s.In[1]), viewOf(2, &s.Out[0].Access)
	state := func() view { return w.local(l.draft.scratch(d, w.most[rows]), rows, 1) }
	before, after := state(), state()
	block := func(w *walk, k kernel.Code, cols nest.Size, views []view, fields ...nest.Size) nest.Item {
		return call(k, w.size[rows], cols, w.args(rows, views...), fields...)
	}
	copies, one := copyKernel(d, false), nest.Fixed(1)
	items := []nest.Item{block(w, copies, one, []view{x, y})}
	if n == 1 {
		return w.part(items)
	}
	items = append(items, block(w, copies, one, []view{x, before}))
	rest := w.having(l.line, n-1).cut(l.line, max(1, l.t.LineElems/w.most[rows]))
	across := []nest.Size{x.across(l.line, d), a.across(l.line, d), y.across(l.line, d)}
	views := []view{x.move(l.line, 1), a.move(l.line, 1), before.inside(rest), y.move(l.line, 1), after.inside(rest)}
	items = append(items, rest.wrap(w, []nest.Item{
		block(rest, k, rest.size[l.line], views, across...),
		block(rest, copies, one, []view{after.inside(rest), before.inside(rest)}),
	})...)
	return w.part(items)
}
