package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// gather takes elements side by side with one index in one call, down the lines:
//
//	for each index of the other axes, block of columns, block of the result's lines
//	  gather
func gather(t *target, s *plan.Step) []offer {
	l, why := newLineStep(t, takeTogether(s), ir.OpGather)
	if why != "" {
		return refused(why)
	}
	k := lineKernel(kernel.Gather, ir.OpInvalid, kernel.BitsType(s.Body.In[0].DType))
	return l.offer(t.LineWork, k, l.gather)
}

// takeTogether returns a gather of a single line for each index of an axis, always from the same lines, as a gather of all of
// them at once, along the longest such axis. It returns any other step as it is.
func takeTogether(s *plan.Step) *plan.Step {
	if !s.TakesOne() {
		return s
	}
	line, from := s.Along(), s.In[0]
	long := line
	for k, a := range s.Axes {
		if from.Strides[k] == 0 && a.Extent > s.Axes[long].Extent {
			long = k
		}
	}
	all := *s
	all.Axes, all.In = slices.Clone(s.Axes), slices.Clone(s.In)
	from.Line, from.Strides = s.LineOf(from), slices.Clone(from.Strides)
	from.Strides[line], from.Strides[long] = 0, from.Strides[line]
	all.In[0] = from
	all.Axes[line].Role = plan.Parallel
	all.Axes[long].Role = plan.Line
	return &all
}

// gather writes the loops and calls of a gather.
func (l *lineStep) gather(k kernel.Code) nest.Nest {
	l.columns(1, -1)
	s, w := l.step, l.place(l.t.LineElems)
	cols := 1
	if l.cols >= 0 {
		cols = w.most[l.cols]
	}
	w = w.cut(l.line, max(1, l.t.LineElems/cols))
	from, index, to := viewOf(0, &s.In[0]), viewOf(1, &s.In[1]), viewOf(2, &s.Out[0].Access)
	args := []nest.Arg{l.whole(w, &from, l.line), w.arg(&index, l.line), w.arg(&to, l.line)}
	return w.part([]nest.Item{call(k, w.size[l.line], l.width(w), args, nest.Fixed(s.LineOf(s.In[0])))})
}
