package oracle

import (
	"math"
	"math/big"
	"slices"
)

// Complex is a function of one or two complex numbers.
type Complex struct {
	Name  string
	Arity int
	exact func(c *calc, z, w parts) parts
}

// parts are the real and the imaginary part of a number.
type parts struct{ re, im *big.Float }

var complexFuncs = []Complex{
	{"mul", 2, (*calc).complexMul},
	{"div", 2, (*calc).complexQuo},
	{"abs", 1, func(c *calc, z, _ parts) parts { return parts{c.hypot(z.re, z.im), c.new()} }},
	{"arg", 1, func(c *calc, z, _ parts) parts { return parts{c.atan2(z.im, z.re), c.new()} }},
	{"exp", 1, func(c *calc, z, _ parts) parts { return c.complexExp(z) }},
	{"log", 1, func(c *calc, z, _ parts) parts { return c.complexLog(z) }},
	{"sqrt", 1, (*calc).complexSqrt},
	{"pow", 2, (*calc).complexPow},
	{"sin", 1, func(c *calc, z, _ parts) parts {
		return parts{c.mul(c.sin(z.re), c.cosh(z.im)), c.mul(c.cos(z.re), c.oddSinh(z.im))}
	}},
	{"cos", 1, func(c *calc, z, _ parts) parts {
		return parts{c.mul(c.cos(z.re), c.cosh(z.im)), c.neg(c.mul(c.sin(z.re), c.oddSinh(z.im)))}
	}},
	{"tan", 1, func(c *calc, z, _ parts) parts { return c.complexTan(z) }},
	{"tanh", 1, func(c *calc, z, _ parts) parts { // -i tan(iz)
		t := c.complexTan(parts{c.neg(z.im), z.re})
		return parts{t.im, c.neg(t.re)}
	}},
}

// LookupComplex returns a function of complex numbers by its name.
func LookupComplex(name string) (*Complex, bool) {
	i := slices.IndexFunc(complexFuncs, func(f Complex) bool { return f.Name == name })
	if i < 0 {
		return nil, false
	}
	return &complexFuncs[i], true
}

// ComplexValue is a finite value of a function, with many bits in each part.
type ComplexValue struct{ parts }

// Complex evaluates f. At a pole the value is meaningless.
func (o *Oracle) Complex(f *Complex, z, w complex128) ComplexValue {
	var v parts
	o.calc.result(func(c *calc, _, _ *big.Float) *big.Float {
		v = f.exact(c, parts{toBig(real(z)), toBig(imag(z))}, parts{toBig(real(w)), toBig(imag(w))})
		return v.re
	}, nil, nil)
	return ComplexValue{v}
}

func (c *calc) complexMul(z, w parts) parts {
	return parts{
		c.sub(c.mul(z.re, w.re), c.mul(z.im, w.im)),
		c.add(c.mul(z.re, w.im), c.mul(z.im, w.re)),
	}
}

func (c *calc) complexQuo(z, w parts) parts {
	square := c.add(c.mul(w.re, w.re), c.mul(w.im, w.im))
	p := c.complexMul(z, parts{w.re, c.neg(w.im)})
	return parts{c.quo(p.re, square), c.quo(p.im, square)}
}

func (c *calc) complexExp(z parts) parts {
	e := c.exp(z.re)
	return parts{c.mul(e, c.cos(z.im)), c.mul(e, c.sin(z.im))}
}

// complexLog uses half of log1p of (h-1)*(h+1) + l^2 near the unit circle, where h is the larger part and l the
// smaller.
func (c *calc) complexLog(z parts) parts {
	h, l := c.abs(z.re), c.abs(z.im)
	if h.Cmp(l) < 0 {
		h, l = l, h
	}
	angle := c.atan2(z.im, z.re)
	if f, _ := h.Float64(); f < 0.5 || f > 2 {
		return parts{c.log(c.hypot(h, l)), angle}
	}
	t := c.mul(c.new().Sub(h, c.num(1)), c.new().Add(h, c.num(1)))
	return parts{c.half(c.log1p(c.add(t, c.mul(l, l)))), angle}
}

func (c *calc) complexSqrt(z, _ parts) parts {
	t := c.sqrt(c.half(c.add(c.abs(z.re), c.hypot(z.re, z.im))))
	if t.Sign() == 0 {
		return parts{t, z.im}
	}
	u := c.quo(z.im, c.double(t))
	if z.re.Signbit() {
		return parts{c.abs(u), signed(t, z.im)}
	}
	return parts{t, u}
}

// complexPow records as lost the bits that the exponential and the sine lose by the error of a large exponent.
func (c *calc) complexPow(z, w parts) parts {
	p := c.complexMul(w, c.complexLog(z))
	c.lost += uint(max(p.re.MantExp(nil), p.im.MantExp(nil), 0)) + guard
	return c.complexExp(p)
}

// oddSinh returns sinh of |x| with the sign of x, so that nothing cancels.
func (c *calc) oddSinh(x *big.Float) *big.Float { return signed(c.sinh(c.abs(x)), x) }

// complexTan computes (sin x cos x + i sinh y cosh y) / (cos^2 x + sinh^2 y).
func (c *calc) complexTan(z parts) parts {
	sin, cos, sinh, cosh := c.sin(z.re), c.cos(z.re), c.oddSinh(z.im), c.cosh(z.im)
	d := c.add(c.mul(cos, cos), c.mul(sinh, sinh))
	return parts{c.quo(c.mul(sin, cos), d), c.quo(c.mul(sinh, cosh), d)}
}

// Exponent returns the exponent of the last place of the value's magnitude in a format.
func (v ComplexValue) Exponent(f Format) int { return lastPlace(f, v.re, v.im) }

// lastPlace returns the exponent of the last place of a number's magnitude.
func lastPlace(f Format, re, im *big.Float) int {
	p := func(x *big.Float) *big.Float { return new(big.Float).SetPrec(256).Mul(x, x) }
	square := p(re)
	if square.Add(square, p(im)); square.Sign() == 0 {
		return f.Least
	}
	return max(min(new(big.Float).Sqrt(square).MantExp(nil), f.Most)-f.Bits, f.Least)
}

// ULPs returns the error of a result in units of the last place of the value's magnitude, and the larger of the two
// parts' errors in units of their own. Infinities are treated as in [Value.ULPs]; the sign of a zero part is ignored.
func (v ComplexValue) ULPs(f Format, got complex128) (magnitude, byParts float64) {
	re, im := difference(f, v.re, real(got)), difference(f, v.im, imag(got))
	if re == nil || im == nil {
		return math.Inf(1), math.Inf(1)
	}
	both := new(big.Float).SetPrec(256)
	both.Sqrt(both.Add(new(big.Float).SetPrec(256).Mul(re, re), new(big.Float).SetPrec(256).Mul(im, im)))
	in := func(d *big.Float, last int) float64 {
		ulps, _ := new(big.Float).SetMantExp(d, -last).Float64()
		return math.Abs(ulps)
	}
	zero := new(big.Float)
	return in(both, lastPlace(f, v.re, v.im)), max(in(re, lastPlace(f, v.re, zero)), in(im, lastPlace(f, v.im, zero)))
}

// difference returns got - want, or nil for a NaN or a wrong infinity.
func difference(f Format, want *big.Float, got float64) *big.Float {
	if got != got || math.IsInf(got, 0) && math.Signbit(got) != want.Signbit() {
		return nil
	}
	have := new(big.Float).SetPrec(256)
	switch {
	case !math.IsInf(got, 0):
		have.SetFloat64(got)
	case want.MantExp(nil) > f.Most:
		return have
	default:
		have.SetMantExp(big.NewFloat(math.Copysign(1, got)), f.Most)
	}
	return have.Sub(have, want)
}

// Near returns the nearest float64 of each part, and the differences of the exact parts from those in units of the last
// place of the magnitude.
func (v ComplexValue) Near(f Format) (near, above complex128) {
	last := lastPlace(f, v.re, v.im)
	rest := func(x *big.Float) (r, d float64) {
		if r, _ = x.Float64(); !math.IsInf(r, 0) {
			rest := new(big.Float).SetPrec(256).Sub(x, big.NewFloat(r))
			d, _ = rest.SetMantExp(rest, -last).Float64()
		}
		return r, d
	}
	a, c := rest(v.re)
	b, d := rest(v.im)
	return complex(a, b), complex(c, d)
}
