package graph

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Checks of a graph as a whole, and the errors of its nodes.

// report records an error, unless it was recorded before.
func (l *lowering) report(err *Error) {
	if text := err.Error(); !l.told[text] {
		if l.told == nil {
			l.told = map[string]bool{}
		}
		l.told[text] = true
		l.errs = append(l.errs, err)
	}
}

func (l *lowering) reportf(n *node, format string, args ...any) {
	op := cmp.Or(n.call.String(), n.op.Method())
	if n.input != "" {
		op = "input " + n.input
	}
	l.report(&Error{Pos: n.pos, Op: op, Msg: fmt.Sprintf(format, args...)})
}

// err returns the reported errors: one as it is, several joined.
func (l *lowering) err() error {
	if len(l.errs) == 1 {
		return l.errs[0]
	}
	return errors.Join(l.errs...)
}

// check reports what is wrong with the graph as a whole.
func (l *lowering) check(s *settings) {
	l.named = map[string]*node{}
	if s.noBroadcast {
		l.kept = map[axisOf]bool{}
	}
	var last *Error
	for _, n := range l.order {
		switch {
		case n.err != nil:
			if n.err != last { // a chain of poisoned nodes shares one error
				l.report(n.err)
			}
			last = n.err
		case n.input != "":
			if m := l.named[n.input]; m != nil {
				l.reportf(n, "the input at %s has this name too: rename one, or use one Node for both", m.pos)
			}
			l.named[n.input] = n
			l.inputs = append(l.inputs, n)
		case s.noBroadcast:
			l.noteKept(n)
			if n.op.IsElementwise() {
				l.checkShapes(n)
			}
		}
	}
	slices.SortFunc(l.inputs, func(a, b *node) int { return cmp.Compare(a.order, b.order) })
	if last == nil { // a poisoned node has no operands, so the inputs below it are missing here
		l.checkSizes()
	}
}

// checkShapes reports operands of unequal shapes. Axes kept by a reduction may repeat.
func (l *lowering) checkShapes(n *node) {
	for _, a := range n.args {
		if a.op != ir.OpConst && a.op != ir.OpExtent && !a.typ.Shape.Equal(n.typ.Shape) && !l.repeatsKept(a, n.typ.Shape) {
			l.reportf(n, "an operand of shape %s would broadcast to %s, and WithoutBroadcast is set: BroadcastTo that shape",
				a.typ.Shape, n.typ.Shape)
			return
		}
	}
}

// repeatsKept reports whether shape a equals another shape, except for axes that a reduction kept.
func (l *lowering) repeatsKept(a *node, shape ir.Shape) bool {
	if len(a.typ.Shape) != len(shape) {
		return false
	}
	for k, d := range shape {
		if a.typ.Shape[k] != d && !l.kept[axisOf{a.value(), k}] {
			return false
		}
	}
	return true
}

type axisOf struct {
	*node
	axis int
}

// noteKept records the axes of a node that a reduction kept (KeepDims).
func (l *lowering) noteKept(n *node) {
	for k := range n.typ.Shape {
		is := false
		switch {
		case n.op == ir.OpUnsqueeze && slices.Contains(n.attr.Axes, k):
			is = n.args[0].op.Info().Kind == ir.Reduce
		case n.op.IsElementwise():
			is = slices.ContainsFunc(n.args, func(a *node) bool {
				return len(a.typ.Shape) == len(n.typ.Shape) && l.kept[axisOf{a.value(), k}]
			})
		}
		if is {
			l.kept[axisOf{n, k}] = true
		}
	}
}

// checkSizes reports sizes that no input determines.
func (l *lowering) checkSizes() {
	var known map[string]bool
	for _, in := range l.inputs {
		for _, d := range in.typ.Shape {
			if name, _, _, ok := d.Linear(); ok && !known[name] {
				if known == nil {
					known = map[string]bool{}
				}
				known[name] = true
				l.sizes = append(l.sizes, name)
			}
		}
	}
	for _, n := range l.order {
		for _, d := range n.ownExtents() {
			if _, fixed := d.Int(); fixed {
				continue
			}
			for _, name := range d.Names() {
				if known[name] || len(n.args) > 0 && mentions(n.args[0].typ.Shape, name) {
					continue
				}
				l.reportf(n, "no input tells the size %q of %s: one must have an axis Dim(%q); WithInputs declares one that nothing reads", name, n.whatExtents(), name)
			}
		}
	}
}

// ownExtents returns the extents of an op that may contain a size that its operands do not have.
func (n *node) ownExtents() Shape {
	if n.err != nil {
		return nil
	}
	switch n.op {
	case ir.OpParam, ir.OpReshape, ir.OpExpand, ir.OpIota:
		return n.typ.Shape
	case ir.OpExtent, ir.OpIndex:
		return Shape{n.attr.Begin}
	case ir.OpSlice:
		return Shape{n.attr.Begin, n.attr.Len}
	}
	return nil
}

// whatExtents describes ownExtents in an error.
func (n *node) whatExtents() string {
	switch n.op {
	case ir.OpExtent, ir.OpIndex:
		return "the number " + n.attr.Begin.String()
	case ir.OpSlice:
		return "the slice"
	}
	return "shape " + n.typ.Shape.String()
}

func mentions(s Shape, name string) bool {
	return slices.ContainsFunc(s, func(d Extent) bool { return slices.Contains(d.Names(), name) })
}
