package graph

import "math"

// Reductions of floats that pass over NaN, as NumPy's of the same names. The test for NaN
// is in the loop of the reduction.

// NanSum returns the sum of the elements along axes that are not NaN, 0 of none.
func (x Node) NanSum(axes ...any) Node {
	return Where(x.IsNaN(), 0, x).Sum(axes...)
}

// NanMean returns the mean of the elements along axes that are not NaN: NaN of none.
func (x Node) NanMean(axes ...any) Node {
	return x.inComputeType(func(x Node) Node { return x.NanSum(axes...).Div(x.NanCount(axes...)) })
}

// NanCount returns how many elements along axes are not NaN, in the type of x. Float32
// counts exactly up to 1<<24.
func (x Node) NanCount(axes ...any) Node {
	return Where(x.IsNaN(), x.Scalar(0), 1).Sum(axes...)
}

// NanMin returns the least of the elements along axes that are not NaN: NaN of none. Where
// there are no elements at all it is an error, as Min is.
func (x Node) NanMin(axes ...any) Node {
	return x.unlessNaN(axes, Where(x.IsNaN(), math.Inf(1), x).Min(axes...))
}

// NanMax returns the greatest of the elements along axes that are not NaN: NaN of none.
func (x Node) NanMax(axes ...any) Node {
	return x.unlessNaN(axes, Where(x.IsNaN(), math.Inf(-1), x).Max(axes...))
}

// unlessNaN returns y, and NaN where all elements of x along axes are NaN.
func (x Node) unlessNaN(axes []any, y Node) Node {
	return Where(x.IsNaN().All(axes...), math.NaN(), y)
}
