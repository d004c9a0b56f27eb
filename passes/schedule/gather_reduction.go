package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// gatherReduction reduces rows of a table that indices select, such as sums of embeddings: a call computes some rows of the
// result, and reads the rows of the table where they are.
//
//	for each index of the other axes, block of the result's rows, block of columns
//	  gather_reduce
//
// All rows of a call read one table: they lie along an axis along which the table is the same. If there is none, a call
// computes a single row.
func gatherReduction(t *target, s *plan.Step) []offer {
	l, why := newLineStep(t, s, kernel.GatherReduce.Ops()...)
	if why != "" {
		return refused(why)
	}
	k := lineKernel(kernel.GatherReduce, l.by, s.Body.In[0].DType)
	return l.offer(t.LineWork*float64(s.LineOf(s.In[1])), k, l.gatherReduce)
}

// gatherReduce writes such a reduction.
func (l *lineStep) gatherReduce(k kernel.Code) nest.Nest {
	l.tableColumns()
	s, d, n := l.step, l.step.Body.In[0].DType, l.step.LineOf(l.step.In[1])
	rows := l.line
	for i, a := range s.Axes {
		if i != l.cols && s.In[0].Strides[i] == 0 && a.Extent > s.Axes[rows].Extent {
			rows = i
		}
	}
	w, cols := newWalk(s.Axes), 1
	if l.cols < 0 {
		w = w.cutAll(l.line, rows)
	} else {
		w = w.cutAll(l.line, rows, l.cols)
		cols = min(s.Axes[l.cols].Extent, l.t.GatherBytes/d.Size())
	}
	if w = w.cut(rows, max(1, l.t.GatherElems/cols/n)); l.cols >= 0 {
		w = w.cut(l.cols, cols)
	}
	table, out, work := viewOf(0, &s.In[0]), viewOf(len(s.In), &s.Out[0].Access), l.draft.scratch(d, kernel.GatherRows*cols)
	args, across := []nest.Arg{w.arg(&table, l.line)}, 0
	for i := range s.In[1:] {
		v := viewOf(1+i, &s.In[1+i])
		args = append(args, w.arg(&v, rows))
	}
	if len(s.In) > 2 {
		across = s.In[2].Strides[l.line] * d.Size()
	}
	args = append(args, w.arg(&out, rows), nest.Arg{Slot: work, Strides: make([]int, w.depth()), Step: cols})
	return w.part([]nest.Item{call(k, w.size[rows], l.width(w), args, nest.Fixed(s.LineOf(s.In[0])), nest.Fixed(n),
		nest.Fixed(s.In[1].Strides[l.line]*ir.Int64.Size()), nest.Fixed(kernel.GatherRows), nest.Fixed(across))})
}
