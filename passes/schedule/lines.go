package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The strategies of ops on lines. Gather and scatter take elements side by side that have
// one index in one call, down the lines:
//
//	for each index of the other axes, block of columns, block of the result's lines
//	  gather
//
//	for each index of the other axes, block of columns
//	  copy the operand to the result
//	  scatter, one index after the other: the order is the same whatever the workers
//
// sort.go orders short lines, merge_sort.go long ones.

var (
	gatherLines  = strategy{name: "gather", offer: offerGather}
	scatterLines = strategy{name: "scatter", offer: offerScatter}
)

// lineStep is a step on lines.
type lineStep struct {
	draft *Draft
	t     *target
	step  *plan.Step
	by    ir.Op
	line  int // axis of the lines
	cols  int // axis of elements side by side, -1 if there is none
}

// newLineStep returns the step of an op on lines that is among ops.
func newLineStep(t *target, s *plan.Step, ops ...ir.Op) (*lineStep, string) {
	line := s.Along()
	if !s.OnLines() {
		return nil, otherStep
	}
	by := s.Out[0].Combine
	for _, op := range ops {
		if op == by {
			return &lineStep{t: t, step: s, by: by, line: line, cols: -1}, ""
		}
	}
	return nil, otherStep
}

// columns finds the axis along which elements have one index and are next to each other
// in operands and result. An operand that is only copied may also have one element for all.
func (l *lineStep) columns(index, copied int) {
	for k, a := range l.step.Axes {
		side := k != l.line && a.Extent > 1 && l.step.Out[0].Strides[k] == 1
		for i, in := range l.step.In {
			repeats, unit := i == index || i == copied, i != index
			side = side && (repeats && in.Strides[k] == 0 || unit && in.Strides[k] == 1)
		}
		if side {
			l.cols = k
		}
	}
}

// tableColumns finds the columns of rows of a table, the first operand: each of the others has one element for all of them.
func (l *lineStep) tableColumns() {
	for k, a := range l.step.Axes {
		side := k != l.line && a.Extent > 1 && l.step.Out[0].Strides[k] == 1
		for i, in := range l.step.In {
			side = side && in.Strides[k] == min(1, max(0, 1-i))
		}
		if side {
			l.cols = k
		}
	}
}

// place returns the place inside loops over all axes but the lines and the columns, of
// which it takes so many at a time.
func (l *lineStep) place(cols int) *walk {
	w := newWalk(l.step.Axes)
	if l.cols < 0 {
		return w.cutAll(l.line)
	}
	return w.cutAll(l.line, l.cols).cut(l.cols, cols)
}

// width returns how many columns there are at a place.
func (l *lineStep) width(w *walk) nest.Size {
	if l.cols < 0 {
		return nest.Fixed(1)
	}
	return w.size[l.cols]
}

// offer returns the offer of a strategy that takes so many additions for an element, most
// of them in one kernel, and writes the loops and calls.
func (l *lineStep) offer(cost float64, k kernel.Code, write func(k kernel.Code) nest.Nest) offer {
	cost *= float64(elems(l.step))
	return offer{cost, func() (*Draft, string) {
		engine, ok := l.t.lib.Engine(k.Signature())
		if !ok {
			return nil, "no kernel is registered for " + k.Signature()
		}
		l.draft = newDraft(l.t, l.step)
		l.draft.Choice = nest.Choice{Kernel: k.Signature(), Engine: engine, Kernels: 1, Cost: cost}
		l.draft.Parts = []nest.Nest{write(k)}
		return l.draft, ""
	}}
}

// lineKernel returns the canonical form of a micro-kernel.
func lineKernel(row kernel.MicroKind, op ir.Op, d ir.DType) kernel.Code {
	return microKernel(kernel.Micro{Kind: row, Op: op, Type: d})
}

func offerGather(t *target, s *plan.Step) (offer, string) {
	l, why := newLineStep(t, takeTogether(s), ir.OpGather)
	if why != "" {
		return offer{}, why
	}
	k := lineKernel(kernel.Gather, ir.OpInvalid, kernel.BitsType(s.Body.In[0].DType))
	return l.offer(t.LineWork, k, l.gather), ""
}

// takeTogether returns a gather that takes a single line for each index of an axis, always from
// the same ones, as one that takes them all at once, along the longest such axis. It returns any
// other step as it is.
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

// gather writes a gather.
func (l *lineStep) gather(k kernel.Code) nest.Nest {
	l.columns(1, -1)
	s, w := l.step, l.place(l.t.LineElems)
	cols := 1
	if l.cols >= 0 {
		cols = w.most[l.cols]
	}
	w = w.cut(l.line, max(1, l.t.LineElems/cols))
	from, index, to := viewOf(0, &s.In[0]), viewOf(1, &s.In[1]), viewOf(2, &s.Out[0].Access)
	args := []nest.Arg{l.whole(w, &from), w.arg(&index, l.line), w.arg(&to, l.line)}
	return w.part([]nest.Item{call(k, w.size[l.line], l.width(w), args, nest.Fixed(s.LineOf(s.In[0])))})
}

// whole returns a view as an argument whose lines are complete in each call: loops over
// them do not move it.
func (l *lineStep) whole(w *walk, v *view) nest.Arg {
	a := w.arg(v, l.line)
	for i, axis := range w.axis {
		if axis == l.line {
			a.Strides[i] = 0
		}
	}
	return a
}

func offerScatter(t *target, s *plan.Step) (offer, string) {
	l, why := newLineStep(t, s, kernel.Scatter.Ops()...)
	if why != "" {
		return offer{}, why
	}
	d := s.Body.In[0].DType
	bits := d
	if l.by.MovesBits() {
		bits = kernel.BitsType(d)
	}
	l.columns(1, 0)
	copies := l.copies().Signature()
	if _, ok := t.lib.Engine(copies); !ok {
		return offer{}, "no kernel is registered for " + copies
	}
	cost := t.LineWork * (1 + float64(s.LineOf(s.In[1]))/float64(s.Axes[l.line].Extent)) // copied, and combined with updates
	kind := kernel.Scatter
	if s.Body.In[1].DType == ir.Uint8 {
		kind = kernel.ScatterBytes
	}
	return l.offer(cost, lineKernel(kind, l.by, bits), l.scatter), ""
}

// copies returns the kernel that copies columns of the first operand.
func (l *lineStep) copies() kernel.Code {
	return copyKernel(l.step.Body.In[0].DType, l.cols >= 0 && l.step.In[0].Strides[l.cols] == 0)
}

// scatter writes a scatter.
func (l *lineStep) scatter(k kernel.Code) nest.Nest {
	s, w := l.step, l.place(l.t.ScatterCols)
	data, index, updates, to := viewOf(0, &s.In[0]), viewOf(1, &s.In[1]), viewOf(2, &s.In[2]), viewOf(3, &s.Out[0].Access)
	items := []nest.Item{call(l.copies(), w.size[l.line], l.width(w), []nest.Arg{w.arg(&data, l.line), w.arg(&to, l.line)})}
	if n := s.LineOf(s.In[1]); n > 0 {
		args := []nest.Arg{w.arg(&index, l.line), w.arg(&updates, l.line), w.arg(&to, l.line)}
		items = append(items, call(k, nest.Fixed(n), l.width(w), args, nest.Fixed(s.Axes[l.line].Extent)))
	}
	return w.part(items)
}
