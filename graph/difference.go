package graph

import (
	"fmt"
	"math"

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
	later, earlier := x.SliceAxis(axis, 1, math.MaxInt, 1), x.SliceAxis(axis, 0, -1, 1)
	if later.Err() == nil && x.DType() == Bool {
		return later.Ne(earlier)
	}
	return later.Sub(earlier)
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
		at := func(y Node, begin, end int) Node { return y.SliceAxis(k, begin, end, 1) }
		slopes := x.diff(k).Div(h)
		middle := at(slopes, 1, math.MaxInt).Add(at(slopes, 0, -1)).Div(2)
		if h.Rank() > 0 { // the slope of each side counts by the other side's length
			before, after := at(h, 0, -1), at(h, 1, math.MaxInt)
			middle = at(slopes, 0, -1).Mul(after).Add(at(slopes, 1, math.MaxInt).Mul(before)).Div(before.Add(after))
		}
		return Concat(k, at(slopes, 0, 1), middle, at(slopes, -1, math.MaxInt))
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
		pairs := x.SliceAxis(k, 1, math.MaxInt, 1).Add(x.SliceAxis(k, 0, -1, 1))
		return pairs.Mul(h).Sum(k).Div(2)
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
	shape := make([]any, x.Rank())
	for i := range shape {
		shape[i] = 1
	}
	have, want := spacing.Shape()[0], x.Shape()[k]
	if a, ok := have.Int(); ok {
		if b, known := want.Int(); known && a != b {
			return x, fmt.Errorf("%d coordinates for the %d elements of axis %d of %s", a, b, k, x.get().text())
		}
	}
	h := spacing.diff(0)
	if h.Err() != nil {
		return h, nil
	}
	shape[k] = h.Shape()[0]
	return h.Reshape(shape...), nil
}
