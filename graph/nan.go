package graph

import "math"

// Reductions of floats that ignore NaN, as NumPy's of the same names. The test for NaN is part of the reduction's loop.

// NanSum returns the sum along axes of the elements that are not NaN, or 0 if all are NaN.
func (x Node) NanSum(axes ...any) Node {
	return Where(x.IsNaN(), 0, x).Sum(axes...)
}

// NanMean returns the mean along axes of the elements that are not NaN, or NaN if all are NaN.
func (x Node) NanMean(axes ...any) Node {
	return x.inComputeType(func(x Node) Node { return x.NanSum(axes...).Div(x.NanCount(axes...)) })
}

// NanCount returns the number of elements along axes that are not NaN, in the type of x. Float32 counts exactly up to
// 1<<24.
func (x Node) NanCount(axes ...any) Node {
	return Where(x.IsNaN(), x.Scalar(0), 1).Sum(axes...)
}

// NanMin returns the least element along axes that is not NaN, or NaN if all are NaN. Like Min it is an error if there
// are no elements.
func (x Node) NanMin(axes ...any) Node {
	return x.unlessNaN(axes, Where(x.IsNaN(), math.Inf(1), x).Min(axes...))
}

// NanMax returns the greatest element along axes that is not NaN, or NaN if all are NaN. Like Max it is an error if
// there are no elements.
func (x Node) NanMax(axes ...any) Node {
	return x.unlessNaN(axes, Where(x.IsNaN(), math.Inf(-1), x).Max(axes...))
}

// unlessNaN returns y, but NaN where all elements of x along axes are NaN.
func (x Node) unlessNaN(axes []any, y Node) Node {
	return Where(x.IsNaN().All(axes...), math.NaN(), y)
}
