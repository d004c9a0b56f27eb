package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// lineStep is a step on lines. Its strategies take elements side by side in one call, along an axis where all of them have one index.
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
	if !s.OnLines() || !slices.Contains(ops, s.Out[0].Combine) {
		return nil, otherStep
	}
	return &lineStep{t: t, step: s, by: s.Out[0].Combine, line: s.Along(), cols: -1}, ""
}

// rows returns the last axis that is not the lines.
func (l *lineStep) rows() int {
	if last := len(l.step.Axes) - 1; last != l.line {
		return last
	}
	return l.line - 1
}

// columns finds the axis along which elements have one index and are next to each other in operands and result. An operand that
// is only copied may also have one element for all.
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

// tableColumns finds the columns of the rows of a table, the first operand. Each other operand has one element for all of them.
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

// place returns the place inside loops over all axes but the lines, which takes so many columns at a time.
func (l *lineStep) place(cols int) *walk {
	w := newWalk(l.step.Axes)
	if l.cols < 0 {
		return w.cutAll(l.line)
	}
	return w.cutAll(l.line, l.cols).cut(l.cols, cols)
}

// width returns the number of columns at a place.
func (l *lineStep) width(w *walk) nest.Size {
	if l.cols < 0 {
		return nest.Fixed(1)
	}
	return w.size[l.cols]
}

// offer returns the offer of a strategy that writes loops and calls of mostly one kernel. cost is that of an element, in additions.
func (l *lineStep) offer(cost float64, k kernel.Code, write func(k kernel.Code) nest.Nest) []offer {
	cost *= float64(elems(l.step))
	return offering(cost, func() (*Draft, string) {
		engine, why := l.t.engine(k)
		if why != "" {
			return nil, why
		}
		l.draft = l.t.drafting(l.step, k, engine, cost)
		l.draft.Parts = []nest.Nest{write(k)}
		return l.draft, ""
	})
}

// lineKernel returns the canonical form of a micro-kernel.
func lineKernel(row kernel.MicroKind, op ir.Op, d ir.DType) kernel.Code {
	return microKernel(kernel.Micro{Kind: row, Op: op, Type: d})
}

// whole returns a view as an argument whose lines are complete in each call: loops over lines do not move it.
func (l *lineStep) whole(w *walk, v *view, line int) nest.Arg {
	a := w.arg(v, line)
	for i, axis := range w.axis {
		if axis == l.line {
			a.Strides[i] = 0
		}
	}
	return a
}
