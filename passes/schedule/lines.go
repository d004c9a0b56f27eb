package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// What the strategies of ops on lines share. They take elements side by side in one call, along an axis where all of them
// have one index.

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

// offer returns the offers of a strategy that takes so many additions for an element, most
// of them in one kernel, and writes the loops and calls.
func (l *lineStep) offer(cost float64, k kernel.Code, write func(k kernel.Code) nest.Nest) []offer {
	cost *= float64(elems(l.step))
	return offering(cost, func() (*Draft, string) {
		engine, ok := l.t.lib.Engine(k.Signature())
		if !ok {
			return nil, "no kernel is registered for " + k.Signature()
		}
		l.draft = newDraft(l.t, l.step)
		l.draft.Choice = nest.Choice{Kernel: k.Signature(), Engine: engine, Kernels: 1, Cost: cost}
		l.draft.Parts = []nest.Nest{write(k)}
		return l.draft, ""
	})
}

// lineKernel returns the canonical form of a micro-kernel.
func lineKernel(row kernel.MicroKind, op ir.Op, d ir.DType) kernel.Code {
	return microKernel(kernel.Micro{Kind: row, Op: op, Type: d})
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
