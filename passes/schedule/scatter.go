package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// scatter stores or combines elements side by side with one index in one call, one index after the other: the order does not
// depend on the workers.
//
//	for each index of the other axes, block of columns
//	  copy the operand to the result
//	  scatter
func scatter(t *target, s *plan.Step) []offer {
	l, why := newLineStep(t, s, kernel.Scatter.Ops()...)
	if why != "" {
		return refused(why)
	}
	d := s.Body.In[0].DType
	bits := d
	if l.by.MovesBits() {
		bits = kernel.BitsType(d)
	}
	l.columns(1, 0)
	if why = t.lacks(l.copies()); why != "" {
		return refused(why)
	}
	cost := t.LineWork * (1 + float64(s.LineOf(s.In[1]))/float64(s.Axes[l.line].Extent)) // copied, and combined with updates
	kind := kernel.Scatter
	if s.Body.In[1].DType == ir.Uint8 {
		kind = kernel.ScatterBytes
	}
	return l.offer(cost, lineKernel(kind, l.by, bits), l.scatter)
}

// copies returns the kernel that copies columns of the first operand.
func (l *lineStep) copies() kernel.Code {
	return copyKernel(l.step.Body.In[0].DType, l.cols >= 0 && l.step.In[0].Strides[l.cols] == 0)
}

// scatter writes the loops and calls of a scatter. Rows of the result that are far apart, and are combined with several updates each,
// are collected in local memory: as many columns at a time as stay in the second-level cache.
func (l *lineStep) scatter(k kernel.Code) nest.Nest {
	s, d := l.step, l.step.Body.In[0].DType
	rows, updates := s.Axes[l.line].Extent, s.LineOf(s.In[1])
	wide, collect := max(l.t.ScatterCols, l.t.GatherBytes/d.Size()), false
	if fit := l.t.NearBytes / d.Size() / max(1, rows) / l.t.ScatterCols * l.t.ScatterCols; fit > 0 {
		wide = fit
	}
	for wide > l.t.ScatterCols && elems(s)/max(1, rows)/wide < l.t.pieces(l.draft.Choice.Cost) {
		wide = max(l.t.ScatterCols, wide/2)
	}
	if l.cols >= 0 {
		collect = s.Axes[l.cols].Extent > wide && rows*wide*d.Size() <= l.t.NearBytes && updates >= 2*rows
	}
	w := l.place(wide)
	data, index, from, to := viewOf(0, &s.In[0]), viewOf(1, &s.In[1]), viewOf(2, &s.In[2]), viewOf(3, &s.Out[0].Access)
	table := to
	if collect {
		table = w.local(l.draft.scratch(d, rows*wide), l.line, wide, l.cols, 1)
	}
	items := []nest.Item{call(l.copies(), w.size[l.line], l.width(w), w.args(l.line, data, table))}
	if updates > 0 {
		items = append(items, call(k, nest.Fixed(updates), l.width(w), w.args(l.line, index, from, table), nest.Fixed(rows)))
	}
	if collect {
		items = append(items, call(copyKernel(d, false), w.size[l.line], l.width(w), w.args(l.line, table, to)))
	}
	return w.part(items)
}
