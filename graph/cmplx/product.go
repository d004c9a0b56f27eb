package cmplx

import "github.com/stridefuse/stridefuse/graph"

// Prod returns the products along an axis, computed in float64: it multiplies the two halves of the axis element by
// element until one element is left. Exponents are added separately, so no product of parts overflows or underflows on
// the way. The extent must be known before the program runs. An empty product is 1.
func (z Node) Prod(axis int) Node {
	shape := z.Shape()
	n, given := -1, axis
	if axis < 0 {
		axis += len(shape)
	}
	if axis >= 0 && axis < len(shape) {
		if extent, known := shape[axis].Int(); known {
			n = extent
		}
	}
	switch {
	case n < 0: // not an axis, or of unknown extent: Unstack returns the error
		return z.View(func(x graph.Node) graph.Node { return x.Unstack(given)[0] })
	case n == 0:
		return Node{z.re.Prod(axis), z.im.Sum(axis)}
	case n > 1:
		z = inFloat64(z, z, func(z, _ Node) Node { return product(z, axis, n) })
	}
	return z.View(func(x graph.Node) graph.Node { return x.Squeeze(axis) })
}

// product multiplies the n > 1 elements of an axis.
func product(z Node, axis, n int) Node {
	z, e := z.significand()
	for n > 1 {
		half := n / 2
		part := func(from, to int) func(x graph.Node) graph.Node {
			return func(x graph.Node) graph.Node { return x.SliceAxis(axis, from, to, 1) }
		}
		first, second, rest := part(0, half), part(half, 2*half), part(2*half, n)
		p, k := z.View(first).Mul(z.View(second)).significand()
		k = k.Add(first(e)).Add(second(e))
		if n%2 > 0 {
			p = Node{graph.Concat(axis, p.re, rest(z.re)), graph.Concat(axis, p.im, rest(z.im))}
			k = graph.Concat(axis, k, rest(e))
		}
		z, e, n = p, k, half+n%2
	}
	return Node{z.re.Ldexp(e), z.im.Ldexp(e)}
}

// significand divides numbers by a power of two, so that the larger part is about 1, and returns the exponent.
func (z Node) significand() (Node, graph.Node) {
	e := z.re.Abs().Maximum(z.im.Abs()).Exponent().Maximum(-1000).Minimum(1000)
	p := power(e.Neg())
	return Node{z.re.Mul(p), z.im.Mul(p)}, e
}
