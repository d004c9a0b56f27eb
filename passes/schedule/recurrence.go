package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Linear recurrences take some whole lines at a time: an element follows from the one before
// it. Operands are read through their strides, a factor that is the same for all too.

var recurrenceLines = strategy{name: "recurrence", offer: offerRecurrence}

func offerRecurrence(t *target, s *plan.Step) (offer, string) {
	l, why := newLineStep(t, s, ir.OpRecurrence)
	if why != "" {
		return offer{}, why
	}
	return l.offer(t.LineWork, lineKernel(kernel.Recurrence, ir.OpInvalid, s.Body.In[0].DType), l.recurrence), ""
}

// recurrence writes a recurrence.
func (l *lineStep) recurrence(k kernel.Code) nest.Nest {
	s := l.step
	rows := len(s.Axes) - 1
	if rows == l.line {
		rows--
	}
	w := newWalk(s.Axes).cutAll(l.line, rows).cut(rows, max(l.t.RecurrenceRows, l.t.LineElems/s.Axes[l.line].Extent))
	views := []view{viewOf(0, &s.In[0]), viewOf(1, &s.In[1]), viewOf(2, &s.Out[0].Access)}
	var args []nest.Arg
	var across []nest.Size
	for i := range views {
		args = append(args, w.arg(&views[i], rows))
		across = append(across, nest.Fixed(views[i].strides[l.line]*s.Body.In[0].DType.Size()))
	}
	return w.part([]nest.Item{call(k, w.size[rows], w.size[l.line], args, across...)})
}
