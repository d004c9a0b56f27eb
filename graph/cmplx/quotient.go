package cmplx

import "github.com/stridefuse/stridefuse/graph"

// Quotients (a + bi) / (c + di) = (ac+bd + (bc-ad)i) / (cc+dd), in float64. The relative errors of the numerators and
// the denominator are at most 2^-52, and that of the division 2^-53: in total below 5 units in the last place.

// quotient divides numbers that were Float32: no product of their parts leaves the range.
func quotient(z, w Node) Node {
	square := productSum(w.re, w.re, w.im, w.im)
	return divided(z, w, square, productSum(z.re, w.re, z.im, w.im).Div(square), productSum(z.im, w.re, z.re.Neg(), w.im).Div(square))
}

// scaledQuotient divides any numbers, with exponents computed separately.
func scaledQuotient(z, w Node) Node {
	a, b, c, d := exactOf(z.re), exactOf(z.im), exactOf(w.re), exactOf(w.im)
	square := c.productSum(c, d, d)
	part := func(x exact) graph.Node { return x.m.Div(square.m).Ldexp(x.e.Sub(square.e)) }
	return divided(z, w, square.m, part(a.productSum(c, b, d)), part(b.productSum(c, exact{a.m.Neg(), a.e}, d)))
}

// divided returns a quotient by its parts, or z with its parts divided by 0 where w is 0.
func divided(z, w Node, square, re, im graph.Node) Node {
	none := square.Eq(0)
	return Node{graph.Where(none, z.re.Div(w.re), re), graph.Where(none, z.im.Div(w.re), im)}
}

// productSum returns a*c + b*d with a relative error of at most 2^-52, if no product leaves the range (Kahan's
// algorithm; Jeannerod, Louvet and Muller 2013).
func productSum(a, c, b, d graph.Node) graph.Node {
	p := b.Mul(d)
	lost := b.FMA(d, p.Neg())
	return a.FMA(c, p).Add(lost)
}

// exact is the float64 number m * 2^e: 1 <= |m| < 2, or m is 0 and e is below the exponent of any product.
type exact struct{ m, e graph.Node }

func exactOf(x graph.Node) exact {
	const none = -10000
	return exact{x.Significand(), graph.Where(x.Eq(0), none, x.Exponent())}
}

// productSum returns a*c + b*d. It scales the smaller product by at least 2^-1000, where it no longer matters.
func (a exact) productSum(c, b, d exact) exact {
	p, q := a.e.Add(c.e), b.e.Add(d.e)
	e := p.Maximum(q)
	return exact{productSum(a.m.Mul(power(p.Sub(e).Maximum(-1000))), c.m, b.m.Mul(power(q.Sub(e).Maximum(-1000))), d.m), e}
}

// power returns 2^k for integers k from -1022 to 1023: it places the exponent into the bits by an addition.
func power(k graph.Node) graph.Node {
	const bias, last = 1023, 0x1.8p52
	return k.Add(bias + last).Bitcast(graph.Int64).Shl(52).Bitcast(graph.Float64)
}
