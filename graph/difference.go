package graph

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// Differences along an axis, and what is made of them.

// Diff returns each element minus the one before it along an axis, times over: the axis has one element less each time,
// and at least none. Of bools it returns which elements differ. Times is from 0 to 1024.
func (x Node) Diff(axis any, times int) Node {
	if times < 0 || times > mostDifferences {
		return fail("%d differences of differences: give from 0 to %d", times, mostDifferences)
	}
	return x.inComputeType(func(x Node) Node {
		for range times {
			if x = x.diff(axis); x.Err() != nil || x.Shape().NumElems().Is(0) {
				break
			}
		}
		return x
	})
}

// mostDifferences bounds the nodes that Diff makes.
const mostDifferences = 1024

func (x Node) diff(axis any) Node {
	later, earlier := x.neighbours(axis)
	if later.Err() == nil && x.DType() == Bool {
		return later.Ne(earlier)
	}
	return later.Sub(earlier)
}

// neighbours returns the elements of an axis without the first one, and without the last one. Both are empty if the axis is.
func (x Node) neighbours(axis any) (later, earlier Node) {
	from := func(begin int) Node {
		return x.view(ir.OpSlice, func(n *node) (ir.Attr, bool, error) {
			k, err := n.axis(axis)
			if err != nil {
				return ir.Attr{}, false, err
			}
			count := n.typ.Shape[k].Sub(ir.Fixed(1))
			extent, known := n.typ.Shape[k].Int()
			if known && extent == 0 {
				return ir.Attr{}, true, nil
			}
			return ir.Attr{Axis: k, Begin: ir.Fixed(begin), Len: count, Step: 1, Clip: !known}, false, nil
		})
	}
	return from(1), from(0)
}

// Gradient returns the derivative of samples along an axis of floats, as NumPy's gradient: second-order central
// differences inside, differences of neighbours at the ends. Spacing is the distance between samples, a number, or their
// coordinates, a vector (Node or Tensor) of x's type with an element for each; there the weights are those of Fornberg
// (Generation of finite difference formulas, 1988). The axis must have 2 elements or more. For the derivative of a graph see
// Grad.
func (x Node) Gradient(axis, spacing any) Node {
	return x.withOperands(func(x Node, operands []Node) Node {
		k, err := x.get().axis(axis)
		if err != nil {
			return fail("%w", err)
		}
		if n, known := x.get().typ.Shape[k].Int(); known && n < 2 {
			return fail("axis %d of %s has %d elements: 2 or more have differences", k, x.get().text(), n)
		}
		h, err := steps(x, k, operands[0])
		if err != nil {
			return fail("%w", err)
		}
		few := fmt.Sprintf("axis %d must have 2 elements or more", k)
		at := func(y Node, begin, end any) Node { return y.sliced(k-x.Rank(), begin, end, 1, few) }
		var end any // of the axis
		slopes := x.diff(k).Div(h)
		middle := at(slopes, 1, end).Add(at(slopes, 0, -1)).Div(2)
		if operands[0].Rank() > 0 { // the slope of each side counts by the other side's length
			before, after := at(h, 0, -1), at(h, 1, end)
			middle = at(slopes, 0, -1).Mul(after).Add(at(slopes, 1, end).Mul(before)).Div(before.Add(after))
		}
		return Concat(k, at(slopes, 0, 1), middle, at(slopes, -1, end))
	}, spacing)
}

// Trapezoid returns the integral of samples along an axis of floats by the trapezoidal rule, 0 of fewer than 2. Spacing is
// that of Gradient.
func (x Node) Trapezoid(axis, spacing any) Node {
	return x.withOperands(func(x Node, operands []Node) Node {
		k, err := x.get().axis(axis)
		if err != nil {
			return fail("%w", err)
		}
		h, err := steps(x, k, operands[0])
		if err != nil {
			return fail("%w", err)
		}
		later, earlier := x.neighbours(k)
		return later.Add(earlier).Mul(h).Sum(k).Div(2)
	}, spacing)
}

// steps returns the distances between samples along axis k of x: a scalar, or the differences of coordinates along that
// axis.
func steps(x Node, k int, spacing Node) (Node, error) {
	switch {
	case !ir.Reals.Has(x.DType()):
		return x, fmt.Errorf("does not take %s: Cast to float32 or float64", x.DType())
	case spacing.Rank() == 0:
		return spacing, nil
	case spacing.Rank() > 1:
		return x, fmt.Errorf("a spacing of shape %s: give a number, or a vector of coordinates", spacing.Shape())
	}
	have, want := spacing.Shape()[0], x.Shape()[k]
	if a, ok := have.Int(); ok {
		if b, known := want.Int(); known && a != b {
			return x, fmt.Errorf("%d coordinates for the %d elements of axis %d of %s", a, b, k, x.get().text())
		}
	}
	h := spacing.diff(0)
	for range x.Rank() - 1 - k {
		h = h.Unsqueeze(-1)
	}
	return h, nil
}
