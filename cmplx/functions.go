package cmplx

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// Elementary functions. They are computed in float64, and of Float32 rounded at the end.

// unary computes a function of one operand in float64.
func (z Node) unary(f func(z Node) Node) Node {
	return inFloat64(z, z, func(z, _ Node) Node { return f(z) })
}

// Exp returns e^z.
func (z Node) Exp() Node { return z.unary(exp) }

// Log returns the natural logarithms, with angles from -pi to pi.
func (z Node) Log() Node { return z.unary(log) }

// Sqrt returns the square roots in the right half plane (Kahan, Branch cuts for complex
// elementary functions, 1987).
func (z Node) Sqrt() Node { return z.unary(sqrt) }

// Sin returns the sines.
func (z Node) Sin() Node {
	return z.unary(func(z Node) Node {
		return Node{z.re.Sin().Mul(z.im.Cosh()), z.re.Cos().Mul(z.im.Sinh())}
	})
}

// Cos returns the cosines.
func (z Node) Cos() Node {
	return z.unary(func(z Node) Node {
		return Node{z.re.Cos().Mul(z.im.Cosh()), z.re.Sin().Mul(z.im.Sinh()).Neg()}
	})
}

// Sinh returns the hyperbolic sines.
func (z Node) Sinh() Node {
	return z.unary(func(z Node) Node {
		return Node{z.re.Sinh().Mul(z.im.Cos()), z.re.Cosh().Mul(z.im.Sin())}
	})
}

// Cosh returns the hyperbolic cosines.
func (z Node) Cosh() Node {
	return z.unary(func(z Node) Node {
		return Node{z.re.Cosh().Mul(z.im.Cos()), z.re.Sinh().Mul(z.im.Sin())}
	})
}

// Tanh returns the hyperbolic tangents (Kahan 1987).
func (z Node) Tanh() Node { return z.unary(tanh) }

// Pow returns z^w, where w is an operand as those of Mul: an int from 1 to 64 by multiplication,
// else e^(w*log z), whose relative error grows with the magnitude of w*log z. 0^w is 1 for
// w = 0, 0 where w has a positive real part, else infinite.
func (z Node) Pow(w any) Node {
	const most = 64
	if n, ok := w.(int); ok && n >= 1 && n <= most {
		return z.raised(n)
	}
	re, im, isReal := z.operand(w)
	if isReal {
		im = z.im.Scalar(0)
	}
	return inFloat64(z, Make(re, im), func(z, w Node) Node {
		p := w.Mul(log(z))
		p = exp(p)
		isZero, none := z.Eq(0), w.Eq(0)
		atZero := graph.Where(w.re.Gt(0), 0, p.re.Scalar(math.Inf(1)))
		return Node{
			graph.Where(none, 1, graph.Where(isZero, atZero, p.re)),
			graph.Where(none.Or(isZero), 0, p.im),
		}
	})
}

// raised returns z^n by squaring, for n from 1 on.
func (z Node) raised(n int) Node {
	if n == 1 {
		return z
	}
	half := z.raised(n / 2)
	square := half.Mul(half)
	if n%2 > 0 {
		return square.Mul(z)
	}
	return square
}

// exp splits e^x where it is large, as the cosine or the sine may be small.
func exp(z Node) Node {
	const large, split = 700, 100
	isLarge := z.re.Gt(large)
	e := graph.Where(isLarge, z.re.Sub(split), z.re).Exp()
	rest := graph.Where(isLarge, e.Scalar(math.Exp(split)), 1)
	return Node{e.Mul(z.im.Cos()).Mul(rest), e.Mul(z.im.Sin()).Mul(rest)}
}

// log takes the logarithm of magnitudes near 1 from what their squares differ from 1 by.
func log(z Node) Node {
	const large = 0x1p1000
	h, l := z.re.Abs().Maximum(z.im.Abs()), z.re.Abs().Minimum(z.im.Abs())
	p, q := h.Mul(h), l.Mul(l)
	lost := h.FMA(h, p.Neg()).Add(l.FMA(l, q.Neg())) // by the squares
	near := p.Sub(1).Add(q).Add(lost).Log1p().Mul(0.5)
	scale := graph.Where(h.Gt(large), h.Scalar(0.5), 1)
	far := z.re.Mul(scale).Hypot(z.im.Mul(scale)).Log().Add(graph.Where(h.Gt(large), h.Scalar(math.Ln2), 0))
	return Node{graph.Where(h.Gt(0.5).And(h.Lt(2)), near, far), z.Arg()}
}

// sqrt scales by an even power of two.
func sqrt(z Node) Node {
	k := z.scale().And(-2)
	back := power(k.Neg().Shr(1))
	x, y := z.re.Mul(power(k)), z.im.Mul(power(k))
	t := x.Abs().Add(x.Hypot(y)).Mul(0.5).Sqrt()
	u := graph.Where(t.Eq(0), y, y.Div(t.Mul(2)))
	isRight := z.re.Ge(0)
	re := graph.Where(isRight, t, u.Abs())
	im := graph.Where(isRight, u, copySign(t, y))
	return Node{re.Mul(back), im.Mul(back)}
}

// tanh is 1 but for a term of e^(-2|x|) where |x| is large.
func tanh(z Node) Node {
	const large = 20
	t, s := z.im.Tan(), z.re.Sinh()
	beta := t.Mul(t).Add(1)
	rho := s.Mul(s).Add(1).Sqrt()
	d := beta.Mul(s).Mul(s).Add(1)
	x := z.re.Abs()
	isLarge := x.Gt(large)
	tail := z.im.Sin().Mul(z.im.Cos()).Mul(4).Mul(x.Mul(-2).Exp())
	return Node{
		graph.Where(isLarge, copySign(x.Scalar(1), z.re), beta.Mul(rho).Mul(s).Div(d)),
		graph.Where(isLarge, tail, t.Div(d)),
	}
}

// copySign returns float64 x >= 0 with the sign of y.
func copySign(x, y graph.Node) graph.Node {
	sign := y.Bitcast(graph.Int64).And(int64(math.MinInt64))
	return x.Bitcast(graph.Int64).Or(sign).Bitcast(graph.Float64)
}
