package schedule

import (
	"math/bits"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// leaves walks through binary trees, some rows with some roots in a call:
//
//	for each index of the other axes, block of rows, block of roots
//	  leaves
func leaves(t *target, s *plan.Step) []offer {
	l, why := newLineStep(t, s, kernel.Leaves.Ops()...)
	if why != "" {
		return refused(why)
	}
	nodes := s.LineOf(s.In[1]) / ir.NodeWords
	if nodes*ir.NodeWords > maxPlaces {
		return refused(tooManyPlaces)
	}
	levels := bits.Len(uint(nodes / max(1, s.Axes[l.line].Extent)))
	return l.offer(t.LineWork*float64(1+levels), lineKernel(kernel.Leaves, l.by, s.Body.In[0].DType), l.leaves)
}

// leaves writes the loops and calls of walks.
func (l *lineStep) leaves(k kernel.Code) nest.Nest {
	s, d := l.step, l.step.Body.In[0].DType
	rows := l.rows()
	w := newWalk(s.Axes).cutAll(l.line, rows).cut(l.line, l.t.LineElems)
	w = w.cut(rows, max(kernel.LeavesRows, l.t.LineElems/max(1, w.most[l.line])))
	x, nodes, roots, out := viewOf(0, &s.In[0]), viewOf(1, &s.In[1]), viewOf(2, &s.In[2]), viewOf(3, &s.Out[0].Access)
	work := w.local(l.draft.scratch(d, kernel.LeavesWork))
	fields := []nest.Size{nest.Fixed(s.LineOf(s.In[0])), x.across(l.line, d), nest.Fixed(s.LineOf(s.In[1])), nodes.across(l.line, d),
		roots.across(l.line, d), out.across(l.line, s.OutType(0)), nest.Fixed(kernel.LeavesWork)}
	args := []nest.Arg{l.whole(w, &x, rows), l.whole(w, &nodes, rows), w.arg(&roots, rows), w.arg(&out, rows), w.arg(&work, rows)}
	return w.part([]nest.Item{call(k, w.size[rows], w.size[l.line], args, fields...)})
}
