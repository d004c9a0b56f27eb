package schedule

import (
	"math/bits"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// search looks up values in sorted lines, some at a time, along the lines and side by side:
//
//	for each index of the other axes, block of rows, block of elements
//	  search
func search(t *target, s *plan.Step) []offer {
	l, why := newLineStep(t, s, kernel.Search.Ops()...)
	if why != "" {
		return refused(why)
	}
	if s.LineOf(s.In[0]) > maxPlaces {
		return refused(tooManyPlaces)
	}
	rounds := bits.Len(uint(s.LineOf(s.In[0])))
	return l.offer(t.LineWork*float64(1+rounds), lineKernel(kernel.Search, l.by, s.Body.In[0].DType), l.search)
}

// search writes the loops and calls of a search.
func (l *lineStep) search(k kernel.Code) nest.Nest {
	s, d := l.step, l.step.Body.In[0].DType
	rows := l.rows()
	w := newWalk(s.Axes).cutAll(l.line, rows).cut(l.line, l.t.LineElems)
	w = w.cut(rows, max(1, l.t.LineElems/w.most[l.line]))
	x, y, out := viewOf(0, &s.In[0]), viewOf(1, &s.In[1]), viewOf(2, &s.Out[0].Access)
	fields := []nest.Size{nest.Fixed(s.LineOf(s.In[0])), x.across(l.line, d), y.across(l.line, d), out.across(l.line, s.OutType(0))}
	args := []nest.Arg{l.whole(w, &x, rows), w.arg(&y, rows), w.arg(&out, rows)}
	return w.part([]nest.Item{call(k, w.size[rows], w.size[l.line], args, fields...)})
}
