package cmplx

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// Inverse functions (Kahan, Branch cuts for complex elementary functions, 1987), and logarithms and exponentials near 1.
// Branch cuts are those of package math/cmplx, continuous from the side that the sign of a zero part says.

// Asin returns the arcsines.
func (z Node) Asin() Node { return z.unary(asin, arcSlope) }

// Acos returns the arccosines, with real parts from 0 to pi.
func (z Node) Acos() Node {
	return z.unary(func(z Node, had graph.DType) Node {
		below, above := roots(z, had)
		re := graph.Where(z.re.Eq(0), math.Pi/2, below.re.Atan2(above.re).Mul(2))
		return Node{graph.Where(isInfinite(z), z.im.Abs().Atan2(z.re), re), imaginary(z, above, below, had).Neg()}
	}, func(z, y Node) Node { return arcSlope(z, y).Neg() })
}

// Atan returns the arctangents.
func (z Node) Atan() Node { return z.turned(Node.Atanh) }

// Asinh returns the inverse hyperbolic sines.
func (z Node) Asinh() Node { return z.turned(Node.Asin) }

// Acosh returns the inverse hyperbolic cosines, with real parts of at least 0.
func (z Node) Acosh() Node {
	return z.unary(func(z Node, had graph.DType) Node {
		below, above := sqrt(Node{z.re.Sub(1), z.im}, had), sqrt(Node{z.re.Add(1), z.im}, had)
		size := below.re.Mul(above.re).Add(below.im.Mul(above.im)).Asinh()
		re := graph.Where(isHuge(z), twice(z, had), size)
		im := graph.Where(z.re.Eq(0), z.im.Scalar(math.Pi/2).CopySign(z.im), below.im.Atan2(above.re).Mul(2))
		infinite := isInfinite(z)
		return Node{graph.Where(infinite, math.Inf(1), re), graph.Where(infinite, z.im.Atan2(z.re), im)}
	}, func(z, _ Node) Node { return one(z).Div(z.Sub(1).Sqrt().Mul(z.Add(1).Sqrt())) })
}

// Atanh returns the inverse hyperbolic tangents.
func (z Node) Atanh() Node {
	return z.unary(atanh, func(z, _ Node) Node { return one(z).Div(one(z).Sub(z).Mul(z.Add(1))) })
}

// Expm1 returns e^z - 1, accurate for z near 0.
func (z Node) Expm1() Node {
	return z.unary(func(z Node, had graph.DType) Node {
		e, half := exp(z, had), z.im.Mul(0.5).Sin()
		near := z.re.Expm1().Mul(z.im.Cos()).Sub(half.Mul(half).Mul(2))
		return Node{graph.Where(z.re.Abs().Lt(1), near, e.re.Sub(1)), e.im}
	}, func(z, _ Node) Node { return z.Exp() })
}

// Log1p returns log(1+z), accurate for z near 0.
func (z Node) Log1p() Node {
	return z.unary(func(z Node, had graph.DType) Node {
		x, y := z.re, z.im
		p, q := x.Mul(x), y.Mul(y)
		lost := x.FMA(x, p.Neg()).Add(y.FMA(y, q.Neg())) // what the squares lost by rounding
		near := x.Mul(2).Add(q).Add(p).Add(lost).Log1p().Mul(0.5)
		one := Node{x.Add(1), y}
		far := log(one, had)
		return Node{graph.Where(x.Abs().Maximum(y.Abs()).Lt(0.25), near, far.re), one.Arg()}
	}, func(z, _ Node) Node { return one(z).Div(z.Add(1)) })
}

// Log2 returns the logarithms to base 2.
func (z Node) Log2() Node { return z.logarithm(1 / math.Ln2) }

// Log10 returns the logarithms to base 10.
func (z Node) Log10() Node { return z.logarithm(1 / math.Ln10) }

func (z Node) logarithm(factor float64) Node {
	return z.unary(func(z Node, had graph.DType) Node {
		l := log(z, had)
		return Node{l.re.Mul(factor), l.im.Mul(factor)}
	}, func(z, _ Node) Node { return one(z).Mul(factor).Div(z) })
}

// Sign returns z/|z|, and 0 for 0.
func (z Node) Sign() Node {
	return z.unary(func(z Node, had graph.DType) Node {
		x, _ := scaled(z, had)
		size := x.re.Hypot(x.im)
		none := size.Eq(0)
		return Node{graph.Where(none, 0, x.re.Div(size)), graph.Where(none, 0, x.im.Div(size))}
	}, nil)
}

// arcSlope returns the derivative of the arcsine, 1/sqrt(1-z*z).
func arcSlope(z, _ Node) Node {
	return one(z).Div(one(z).Sub(z).Sqrt().Mul(z.Add(1).Sqrt()))
}

// turned returns -i f(iz).
func (z Node) turned(f func(Node) Node) Node {
	y := f(Node{z.im.Neg(), z.re})
	return Node{y.im, y.re.Neg()}
}

// roots returns the roots of 1-z and of 1+z.
func roots(z Node, had graph.DType) (below, above Node) {
	return sqrt(Node{z.re.Neg().Add(1), z.im.Neg()}, had), sqrt(Node{z.re.Add(1), z.im}, had)
}

func asin(z Node, had graph.DType) Node {
	below, above := roots(z, had)
	across := below.re.Mul(above.re).Sub(below.im.Mul(above.im))
	re := graph.Where(z.re.Eq(0), z.re, z.re.Atan2(across))
	return Node{graph.Where(isInfinite(z), z.re.Atan2(z.im.Abs()), re), imaginary(z, above, below, had)}
}

// imaginary returns the imaginary part of the arcsine of z, from the roots of 1+z and 1-z.
func imaginary(z, above, below Node, had graph.DType) graph.Node {
	y := below.re.Mul(above.im).Sub(below.im.Mul(above.re)).Asinh()
	y = graph.Where(isHuge(z), twice(z, had).CopySign(z.im), y)
	return graph.Where(isInfinite(z), y.Scalar(math.Inf(1)).CopySign(z.im), y)
}

// huge is a magnitude from which on the inverse functions are logarithms to the last bit.
const huge = 0x1p500

// isHuge reports where products of the roots may overflow.
func isHuge(z Node) graph.Node { return z.re.Abs().Maximum(z.im.Abs()).Gt(huge) }

// twice returns the logarithm of twice the magnitude of z.
func twice(z Node, had graph.DType) graph.Node { return log(z, had).re.Add(math.Ln2) }

// atanh computes in the first quadrant: the signs of both parts are those of z.
func atanh(z Node, had graph.DType) Node {
	x, y := z.re.Abs(), z.im.Abs()
	far := isHuge(z)
	square := x.Neg().Add(1).Mul(x.Neg().Add(1)).Add(y.Mul(y))
	re := x.Mul(4).Div(square).Log1p().Div(4)
	atOne := y.Mul(y).Add(4).Sqrt().Sqrt().Div(y.Sqrt()).Log()
	re = graph.Where(x.Eq(1), atOne, re)
	h := x.Maximum(y)
	u, v := x.Div(h), y.Div(h)
	inverse := u.Div(u.Mul(u).Add(v.Mul(v))).Div(h) // the real part of 1/z
	re = graph.Where(far, inverse, re)
	im := y.Mul(2).Atan2(x.Neg().Add(1).Mul(x.Add(1)).Sub(y.Mul(y))).Div(2)
	im = graph.Where(far, math.Pi/2, im)
	infinite := isInfinite(z)
	re = graph.Where(infinite.Or(x.Eq(0)), 0, re)
	im = graph.Where(infinite.And(y.IsNaN().Not()), math.Pi/2, im)
	return Node{re.CopySign(z.re), im.CopySign(z.im)}
}
