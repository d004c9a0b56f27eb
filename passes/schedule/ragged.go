package schedule

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// ragged combines rows of different lengths. The lengths are data, so a call takes rows as if each had the average length.
//
//	for each index of the other axes, block of columns, block of rows
//	  ragged
func ragged(t *target, s *plan.Step) []offer {
	l, why := newLineStep(t, s, kernel.Ragged.Ops()...)
	if why != "" {
		return refused(why)
	}
	l.tableColumns()
	return l.offer(t.LineWork*float64(l.length()), lineKernel(kernel.Ragged, l.by, s.Body.In[0].DType), l.raggedRows)
}

// count returns the number of elements of all rows: those of the array, or its indices.
func (l *lineStep) count() int {
	if l.by.Info().Weighted {
		return l.step.LineOf(l.step.In[2])
	}
	return l.step.LineOf(l.step.In[0])
}

// length returns the average number of elements of a row.
func (l *lineStep) length() int { return max(1, l.count()/max(1, l.step.Axes[l.line].Extent)) }

// raggedRows writes the loops and calls.
func (l *lineStep) raggedRows(k kernel.Code) nest.Nest {
	s, w := l.step, l.place(l.t.ScatterCols)
	cols := 1
	if l.cols >= 0 {
		cols = w.most[l.cols]
	}
	w = w.cut(l.line, max(1, l.t.LineElems/cols/l.length()))
	var args []nest.Arg
	for i := range s.In {
		v := viewOf(i, &s.In[i])
		args = append(args, l.whole(w, &v, l.line))
		if i == 1 { // where each row begins, and ends
			args = append(args, w.arg(&v, l.line))
			v = v.move(l.line, 1)
			args = append(args, w.arg(&v, l.line))
		}
	}
	out := viewOf(len(s.In), &s.Out[0].Access)
	args = append(args, w.arg(&out, l.line))
	return w.part([]nest.Item{call(k, w.size[l.line], l.width(w), args, nest.Fixed(s.LineOf(s.In[0])), nest.Fixed(s.LineOf(s.In[1])),
		nest.Fixed(l.count()), nest.Fixed(l.length()))})
}
