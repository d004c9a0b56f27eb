package cmplx

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// Elementary functions. They are computed in float64; Float32 results are rounded at the end. Results for infinities and NaN are those of
// the Python array API standard, which are C's (ISO C 2024, annex G.6).

// unary computes a function of one operand in float64. The function receives the original type of the parts, because
// Float32 numbers can't leave the range of float64. slope is its derivative, given the operand and the result; it is nil
// for a function that is not holomorphic, whose ops have the derivative.
func (z Node) unary(f func(z Node, had graph.DType) Node, slope func(z, y Node) Node) Node {
	y := inFloat64(z, z, func(x, _ Node) Node { return f(x, z.re.DType()) })
	if slope == nil {
		return y
	}
	return y.holomorphic(z, slope)
}

// holomorphic returns y = f(z) with a rule for its derivative p + qi. By the equations of Cauchy and Riemann the real
// part changes by p along z's real part and by -q along its imaginary part, and the imaginary part by q and p.
func (y Node) holomorphic(z Node, slope func(z, y Node) Node) Node {
	if z.re.Err() != nil || z.im.Err() != nil {
		return y
	}
	result := &Node{}
	*result = Node{
		graph.WithVJP(y.re, func(_, g graph.Node) []graph.Node {
			d := slope(z, *result)
			return []graph.Node{g.Mul(d.re), g.Mul(d.im).Neg()}
		}, z.re, z.im),
		graph.WithVJP(y.im, func(_, g graph.Node) []graph.Node {
			d := slope(z, *result)
			return []graph.Node{g.Mul(d.im), g.Mul(d.re)}
		}, z.re, z.im),
	}
	return *result
}

// Exp returns e^z.
func (z Node) Exp() Node { return z.unary(exp, func(_, y Node) Node { return y }) }

// Log returns the natural logarithms, with angles from -pi to pi.
func (z Node) Log() Node { return z.unary(log, func(z, _ Node) Node { return one(z).Div(z) }) }

// Sqrt returns the square roots in the right half plane (Kahan, Branch cuts for complex
// elementary functions, 1987).
func (z Node) Sqrt() Node { return z.unary(sqrt, func(z, y Node) Node { return one(z).Div(y.Mul(2)) }) }

// Sin returns the sines.
func (z Node) Sin() Node {
	return z.unary(func(z Node, had graph.DType) Node { return hyperbolic(z.im, z.re.Sin(), z.re.Cos(), had, false) }, func(z, _ Node) Node { return z.Cos() })
}

// Cos returns the cosines.
func (z Node) Cos() Node {
	return z.unary(func(z Node, had graph.DType) Node { return hyperbolic(z.im, z.re.Cos(), z.re.Sin().Neg(), had, true) }, func(z, _ Node) Node { return z.Sin().Neg() })
}

// Sinh returns the hyperbolic sines.
func (z Node) Sinh() Node {
	return z.unary(func(z Node, had graph.DType) Node {
		i := hyperbolic(z.re, z.im.Sin(), z.im.Cos(), had, false)
		return Node{i.im, i.re}
	}, func(z, _ Node) Node { return z.Cosh() })
}

// Cosh returns the hyperbolic cosines.
func (z Node) Cosh() Node {
	return z.unary(func(z Node, had graph.DType) Node { return hyperbolic(z.re, z.im.Cos(), z.im.Sin(), had, true) }, func(z, _ Node) Node { return z.Sinh() })
}

// one returns 1 in the type of z.
func one(z Node) Node { return Node{z.re.Scalar(1), z.re.Scalar(0)} }

// Tan returns the tangents.
func (z Node) Tan() Node { // -i tanh(iz)
	t := Node{z.im.Neg(), z.re}.Tanh()
	return Node{t.im, t.re.Neg()}
}

// Tanh returns the hyperbolic tangents (Kahan 1987).
func (z Node) Tanh() Node { return z.unary(tanh, func(z, y Node) Node { return one(z).Sub(y.Mul(y)) }) }

// Pow returns z^w. An int w from 1 to 64 is computed by multiplication; any other operand, as those of Mul, by e^(w*log
// z), whose relative error grows with the magnitude of w*log z. 0^w is 1 for w = 0, 0 if w has a positive real part,
// and otherwise infinite.
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
		p := w.Mul(z.Log()).Exp()
		isZero, none := z.Eq(0), w.Eq(0)
		atZero := graph.Where(w.re.Gt(0), 0, p.re.Scalar(math.Inf(1)))
		return Node{
			graph.Where(none, 1, graph.Where(isZero, atZero, p.re)),
			graph.Where(none.Or(isZero), 0, p.im),
		}
	})
}

// raised returns z^n by repeated squaring, for n >= 1.
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

// exp returns e^x cos y and e^x sin y.
func exp(z Node, had graph.DType) Node {
	x, times := grown(z.re, z.re, had)
	e := x.Exp()
	atInfinity := z.re.IsInf().And(z.im.IsFinite().Not()) // where the angle is unknown
	limit := graph.Where(z.re.Gt(0), z.re, 0)
	re := graph.Where(atInfinity, limit, times(z.im.Cos(), e))
	im := graph.Where(z.im.Eq(0), z.im, times(z.im.Sin(), e))
	return Node{re, graph.Where(atInfinity.And(limit.Eq(0)), 0, im)}
}

// hyperbolic returns a*cosh(x) + b*sinh(x)*i for the sine and cosine a and b of an angle. If they are NaN and x is infinite, the first part
// is infinite if even is set, and else the second.
func hyperbolic(x, a, b graph.Node, had graph.DType, even bool) Node {
	near, times := grown(x, x.Abs(), had)
	unknown := a.IsNaN()
	cosh := graph.Where(a.Eq(0), a, times(a, near.Cosh()))
	sinh := times(b, near.Sinh())
	sinh = graph.Where(x.IsNaN().And(b.Eq(0)), b, graph.Where(unknown.And(x.Eq(0)), x, sinh))
	if atInfinity := unknown.And(x.IsInf()); even {
		cosh = graph.Where(atInfinity, math.Inf(1), cosh)
	} else {
		sinh = graph.Where(atInfinity, x, sinh)
	}
	return Node{cosh, sinh}
}

// isInfinite reports whether a part is infinite.
func isInfinite(z Node) graph.Node { return z.re.IsInf().Or(z.im.IsInf()) }

// grown prevents overflow in the product of a small sine or cosine with an exponential that may be infinite. Where size
// (x or its magnitude) is large, it returns an x nearer to 0, and a function that multiplies by the factor left out.
func grown(x, size graph.Node, had graph.DType) (graph.Node, func(sine, exponential graph.Node) graph.Node) {
	const (
		most    = 1456                             // e^most times the smallest sine is infinite
		less, e = 683.390625, 0x1.e5d0d9f69b08p985 // e is e^less, chosen close to a float64
	)
	if had == graph.Float32 { // in float64 e^700 is finite, and its product with any nonzero sine overflows float32
		return x.Minimum(700).Maximum(-700), func(sine, exponential graph.Node) graph.Node { return sine.Mul(exponential) }
	}
	once, twice := size.Gt(709), size.Gt(1392)
	cut := size.Minimum(most).Sub(graph.Where(twice, x.Scalar(2*less), graph.Where(once, x.Scalar(less), 0)))
	first, second := graph.Where(once, x.Scalar(e), 1), graph.Where(twice, x.Scalar(e), 1)
	return cut.CopySign(x), func(sine, exponential graph.Node) graph.Node {
		return sine.Mul(first).Mul(exponential).Mul(second)
	}
}

// log returns the logarithm. For magnitudes near 1 it uses the difference of their squares from 1.
func log(z Node, had graph.DType) Node {
	h, l := z.re.Abs().Maximum(z.im.Abs()), z.re.Abs().Minimum(z.im.Abs())
	p, q := h.Mul(h), l.Mul(l)
	lost := h.FMA(h, p.Neg()).Add(l.FMA(l, q.Neg())) // what the squares lost by rounding
	near := p.Sub(1).Add(q).Add(lost).Log1p().Mul(0.5)
	x, choose := scaled(z, had)
	far := x.re.Hypot(x.im).Log().Add(choose(2*math.Ln2, -200*math.Ln2, 0))
	return Node{graph.Where(h.Gt(0.5).And(h.Lt(2)), near, far), z.Arg()}
}

func sqrt(z Node, had graph.DType) Node {
	x, choose := scaled(z, had)
	t := x.re.Abs().Add(x.re.Hypot(x.im)).Mul(0.5).Sqrt().Mul(choose(0x1p1, 0x1p-100, 1))
	u := graph.Where(t.Eq(0), z.im, z.im.Div(t.Mul(2)))
	isRight := z.re.Ge(0)
	return Node{graph.Where(isRight, t, u.Abs()), graph.Where(isRight, u, t.CopySign(z.im))}
}

// scaled multiplies large numbers by 2^-2, so that no magnitude is infinite, and small ones by 2^200, so that none is
// subnormal. It also returns a function that chooses between constants for large, small and other numbers.
func scaled(z Node, had graph.DType) (Node, func(large, small, other float64) graph.Node) {
	if had == graph.Float32 {
		return z, func(_, _, other float64) graph.Node { return z.re.Scalar(other) }
	}
	h := z.re.Abs().Maximum(z.im.Abs())
	isLarge, isSmall := h.Gt(0x1p1000), h.Lt(0x1p-900)
	choose := func(large, small, other float64) graph.Node {
		return graph.Where(isLarge, h.Scalar(large), graph.Where(isSmall, h.Scalar(small), other))
	}
	scale := choose(0x1p-2, 0x1p200, 1)
	return Node{z.re.Mul(scale), z.im.Mul(scale)}, choose
}

// tanh uses that the result differs from 1 by a term of e^(-2|x|) where |x| is large.
func tanh(z Node, _ graph.DType) Node {
	const large = 20
	t, s := z.im.Tan(), z.re.Sinh()
	beta := t.Mul(t).Add(1)
	rho := s.Mul(s).Add(1).Sqrt()
	d := beta.Mul(s).Mul(s).Add(1)
	x := z.re.Abs()
	isLarge := x.Gt(large)
	tail := z.im.Sin().Mul(z.im.Cos()).Mul(4).Mul(x.Mul(-2).Exp())
	re := graph.Where(isLarge, x.Scalar(1).CopySign(z.re), beta.Mul(rho).Mul(s).Div(d))
	im := graph.Where(isLarge, tail, t.Div(d))
	unknown := x.IsInf().Or(z.im.IsFinite()).Not()
	return Node{
		graph.Where(unknown, graph.Where(x.Eq(0), z.re, math.NaN()), re),
		graph.Where(x.IsInf(), x.Scalar(0).CopySign(z.im), graph.Where(z.im.Eq(0), z.im, im)),
	}
}
