package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

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

// PolyFit returns the coefficients of the polynomial in x of a degree from 0 to 32 that fits y best in the least-squares
// sense, as NumPy's polyfit(x, y, degree): that of the highest power first, for PolyVal. x is a vector of samples, and y, a
// Node or Tensor of x's type, has a slice along its first axis for each; a column of y has a column of coefficients. All is
// computed in float64, with polynomials that are orthogonal on the samples (Forsythe, Generation and use of orthogonal
// polynomials for data-fitting with a digital computer, 1957). With fewer different samples than coefficients the result
// is NaN, or what rounding leaves.
func (x Node) PolyFit(y any, degree int) Node {
	if degree < 0 || degree > mostDegree {
		return fail("a degree of %d: give one from 0 to %d", degree, mostDegree)
	}
	return x.withOperands(func(x Node, operands []Node) Node {
		y, dt := operands[0], x.DType()
		switch {
		case !ir.Reals.Has(dt):
			return fail("does not take %s: Cast to float32 or float64", dt)
		case x.Rank() != 1 || y.Rank() == 0 || !y.Shape()[:1].Equal(x.Shape()):
			return fail("samples of shape %s and values of shape %s: give a vector, and a value or slice for each of its elements", x.Shape(), y.Shape())
		}
		return polyFit(x.Cast(Float64), y.Cast(Float64), degree).Cast(dt)
	}, y)
}

// mostDegree bounds the nodes that PolyFit makes.
const mostDegree = 32

// polyFit adds the projection on each orthogonal polynomial p, and subtracts it from the rest of y. The recurrence p[k+1] =
// (x-a)*p[k] - b*p[k-1] makes the values of p at the samples, and from the powers' coefficients of p those of the next.
func polyFit(x, y Node, degree int) Node {
	zero := x.Scalar(0)
	p, before := x.Scalar(1).BroadcastTo(x.Shape()), zero
	powers := make(Nodes, degree+1) // coefficients of p, that of the lowest power first
	earlier, sum := slices.Repeat(Nodes{zero}, degree+1), make(Nodes, degree+1)
	for i := range powers {
		powers[i] = zero
	}
	powers[0] = x.Scalar(1)
	var size Node
	for k := 0; ; k++ {
		squares := p.Square()
		norm := squares.Sum()
		lined := p
		for range y.Rank() - 1 {
			lined = lined.Unsqueeze(-1)
		}
		c := y.Mul(lined).Sum(0).Div(norm)
		y = y.Sub(lined.Mul(c))
		for i := range k + 1 {
			if part := c.Mul(powers[i]); i < k {
				sum[i] = sum[i].Add(part)
			} else {
				sum[i] = part
			}
		}
		if k == degree {
			break
		}
		a, b := squares.Mul(x).Sum().Div(norm), zero
		if k > 0 {
			b = norm.Div(size)
		}
		p, before, size = x.Sub(a).Mul(p).Sub(before.Mul(b)), p, norm
		next := make(Nodes, degree+1)
		for i := range next {
			next[i] = powers[i].Mul(a).Neg().Sub(earlier[i].Mul(b))
			if i > 0 {
				next[i] = next[i].Add(powers[i-1])
			}
		}
		powers, earlier = next, powers
	}
	slices.Reverse(sum)
	return Stack(0, sum...)
}
