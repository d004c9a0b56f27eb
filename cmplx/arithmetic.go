package cmplx

import "github.com/stridefuse/stridefuse/graph"

// Operands of arithmetic are a Node, a graph.Node of real numbers, or a Go number: complex or
// real. A tensor is From(graph.Const(t)). Shapes broadcast. With a real operand the parts are computed apart.

// operand returns the parts of an operand, and whether it is real: then im is of no use.
func (z Node) operand(w any) (re, im graph.Node, isReal bool) {
	switch w := w.(type) {
	case Node:
		return w.re, w.im, false
	case graph.Node:
		return w, w, true
	case complex128:
		return z.re.Scalar(real(w)), z.re.Scalar(imag(w)), false
	case complex64:
		return z.re.Scalar(real(w)), z.re.Scalar(imag(w)), false
	}
	r := z.re.Scalar(w)
	return r, r, true
}

// Add returns z + w.
func (z Node) Add(w any) Node {
	re, im, isReal := z.operand(w)
	if isReal {
		return Make(z.re.Add(re), z.im)
	}
	return Node{z.re.Add(re), z.im.Add(im)}
}

// Sub returns z - w.
func (z Node) Sub(w any) Node {
	re, im, isReal := z.operand(w)
	if isReal {
		return Make(z.re.Sub(re), z.im)
	}
	return Node{z.re.Sub(re), z.im.Sub(im)}
}

// Mul returns z * w: four products, a difference and a sum, each rounded.
func (z Node) Mul(w any) Node {
	re, im, isReal := z.operand(w)
	if isReal {
		return Node{z.re.Mul(re), z.im.Mul(re)}
	}
	return bilinear(z, Node{re, im}, func(x, y graph.Node) graph.Node { return x.Mul(y) })
}

// Div returns z / w. Each part is within 4 units in the last place, whatever the magnitudes
// of the operands, unless it is subnormal or less than 2^-500 of the other part: then it may
// lose digits, or be 0. Division of a number by 0 divides its parts by 0.
func (z Node) Div(w any) Node {
	re, im, isReal := z.operand(w)
	if isReal {
		return Node{z.re.Div(re), z.im.Div(re)}
	}
	return inFloat64(z, Node{re, im}, quotient)
}

// Neg returns -z.
func (z Node) Neg() Node { return Node{z.re.Neg(), z.im.Neg()} }

// Conj returns the conjugates.
func (z Node) Conj() Node { return Node{z.re, z.im.Neg()} }

// Eq returns where z and w are equal.
func (z Node) Eq(w any) graph.Node {
	re, im, isReal := z.operand(w)
	if isReal {
		im = z.im.Scalar(0)
	}
	return z.re.Eq(re).And(z.im.Eq(im))
}

// Abs returns the magnitudes, as graph.Node.Hypot: they overflow only where the exact ones do.
func (z Node) Abs() graph.Node { return z.re.Hypot(z.im) }

// Arg returns the angles, from -pi to pi.
func (z Node) Arg() graph.Node { return z.im.Atan2(z.re) }

// quotient divides numbers of float64 that have been scaled by powers of two to about 1, so
// that no square overflows or vanishes, and puts the powers back.
func quotient(z, w Node) Node {
	up, down := z.scale(), w.scale()
	a, b := z.re.Mul(power(up)), z.im.Mul(power(up))
	c, d := w.re.Mul(power(down)), w.im.Mul(power(down))
	square := productSum(c, c, d, d)
	k := down.Sub(up)
	half := k.Shr(1)
	back := func(numerator, part graph.Node) graph.Node {
		q := numerator.Div(square).Mul(power(half)).Mul(power(k.Sub(half)))
		return graph.Where(square.Eq(0), part.Div(w.re), q)
	}
	return Node{back(productSum(a, c, b, d), z.re), back(productSum(b, c, a.Neg(), d), z.im)}
}

// productSum returns a*c + b*d with an error of 1.5 units in the last place (Kahan's
// algorithm, Jeannerod, Louvet and Muller 2013).
func productSum(a, c, b, d graph.Node) graph.Node {
	p := b.Mul(d)
	lost := b.FMA(d, p.Neg())
	return a.FMA(c, p).Add(lost)
}

// scale returns k with 2^k times the greater part between 1 and 2, as far as 2^k is a normal
// number.
func (z Node) scale() graph.Node {
	const bias, mantissa = 1023, 52
	exponent := z.re.Abs().Maximum(z.im.Abs()).Bitcast(graph.Int64).Shr(mantissa)
	return exponent.Neg().Add(bias).Maximum(1 - bias)
}

// power returns 2^k in float64, for k from -1022 to 1023.
func power(k graph.Node) graph.Node { return k.Add(1023).Shl(52).Bitcast(graph.Float64) }

// inFloat64 computes in float64: numbers of fewer bits are converted, and so is the result.
func inFloat64(z, w Node, f func(z, w Node) Node) Node {
	dt := z.re.DType()
	to := func(dt graph.DType) func(graph.Node) graph.Node {
		return func(x graph.Node) graph.Node { return x.Cast(dt) }
	}
	if dt == graph.Float64 {
		return f(z, w)
	}
	return f(z.View(to(graph.Float64)), w.View(to(graph.Float64))).View(to(dt))
}
