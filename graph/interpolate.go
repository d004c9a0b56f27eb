package graph

import "github.com/stridefuse/stridefuse/ir"

// Interp returns the piecewise linear function through points at each x, for floats, as NumPy's interp. The points are
// two vectors (Nodes or Tensors) of x's type and one length, at least 1: coordinates in ascending order, and values. An x
// before the first coordinate has the first value, one behind the last coordinate the last value, and NaN gives NaN. At
// a coordinate the result is exactly the value.
//
// The interval of each x is found by binary search.
func (x Node) Interp(coordinates, values any) Node {
	return x.withOperands(func(x Node, points []Node) Node {
		at, value := points[0], points[1]
		if at.Rank() != 1 || value.Rank() != 1 {
			return fail("coordinates of shape %s and values of shape %s: give two vectors of one length", at.Shape(), value.Shape())
		}
		a, known := at.Shape()[0].Int()
		b, knownToo := value.Shape()[0].Int()
		if known && knownToo && a != b || known && a == 0 {
			return fail("%d coordinates and %d values: give as many, and at least one", a, b)
		}
		n := apply(ir.OpExtent, ir.Attr{DType: Int64, Begin: at.Shape()[0]})
		behind := at.SearchSorted(x, true) // the first coordinate behind x
		low, high := behind.Sub(1).Maximum(0), behind.Minimum(n.Sub(1))
		x0, x1 := at.Take(0, low), at.Take(0, high)
		y0, y1 := value.Take(0, low), value.Take(0, high)
		slope := y1.Sub(y0).Div(x1.Sub(x0))
		y := slope.Mul(x.Sub(x0)).Add(y0)
		y = Where(x.Eq(x0).Or(y0.Eq(y1)).And(y.IsNaN()), y0, y) // beside infinities
		y = Where(behind.Eq(0), value.Index(0, 0), y)
		y = Where(behind.Eq(n), value.Index(0, -1), y)
		return Where(x.IsNaN(), x, y)
	}, coordinates, values)
}

// PolyVal returns a polynomial at each x by Horner's rule, for numbers: the coefficients, a vector (Node or Tensor) of
// x's type whose length is known, begin with that of the highest power. Without coefficients it is 0.
func (x Node) PolyVal(coefficients any) Node {
	return x.withOperands(func(x Node, operands []Node) Node {
		c := operands[0]
		if c.Rank() != 1 {
			return fail("coefficients of shape %s: give a vector", c.Shape())
		}
		_, n, err := c.get().knownAxis(0)
		if err != nil {
			return fail("coefficients: %w", err)
		}
		y := x.Scalar(0).BroadcastTo(x.Shape())
		for k := range n {
			if k == 0 {
				y = c.Index(0, 0).BroadcastTo(x.Shape())
			} else {
				y = y.Mul(x).Add(c.Index(0, k))
			}
		}
		return y
	}, coefficients)
}
