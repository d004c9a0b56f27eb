package oracle

import (
	"math"
	"math/big"
)

// Exponential and logarithm of a calc, by argument reduction and series. Intermediates have guard more bits than the
// result.

const (
	mostExp   = 1 << 20 // larger exponents overflow or vanish in every use
	halvings  = 8       // halvings of an argument before its series
	smallLog  = -8      // log2 of the greatest argument for which log1p sums a series
	tinyArg   = -40     // log2 of the greatest argument for which two terms of an odd series suffice
	newtonLen = 53      // bits of a float64 start
)

// reduced splits x into k*ln2 + r with |r| <= ln2/2.
func (c *calc) reduced(x *big.Float) (k int, r *big.Float) {
	f, _ := x.Float64()
	k = int(math.RoundToEven(min(max(f, -mostExp), mostExp) / math.Ln2))
	if k == 0 {
		return 0, x
	}
	return k, c.finely(guard, func() *big.Float {
		return c.new().Sub(x, c.mul(c.ln2(), c.num(float64(k))))
	})
}

// smallExpm1 returns exp(r) - 1 for |r| <= 1/2, by the series of a fraction of r and (m+1)^2 - 1 = m*(m+2).
func (c *calc) smallExpm1(r *big.Float) *big.Float {
	if r.Sign() == 0 {
		return r
	}
	return c.finely(guard, func() *big.Float {
		t := c.shift(r, -halvings)
		n := c.terms(min(-t.MantExp(nil), int(c.prec)))
		over := c.overFactorial(n)
		s := over[n]
		for i := n - 1; i >= 1; i-- {
			s = c.new().Add(c.mul(s, t), over[i])
		}
		m := c.mul(s, t)
		for range halvings {
			m = c.mul(m, c.new().Add(m, c.num(2)))
		}
		return m
	})
}

func (c *calc) exp(x *big.Float) *big.Float {
	if !below(x, 20) {
		return c.shift(c.num(1), x.Sign()*mostExp*2)
	}
	k, r := c.reduced(x)
	return c.shift(c.plus(c.smallExpm1(r), 1), k)
}

func (c *calc) expm1(x *big.Float) *big.Float {
	if below(x, -2) {
		return c.smallExpm1(x)
	}
	return c.plus(c.exp(x), -1)
}

func (c *calc) exp2(x *big.Float) *big.Float {
	if !below(x, 20) {
		return c.exp(x)
	}
	f, _ := x.Float64()
	k := math.RoundToEven(f)
	rest := c.new().Sub(x, c.num(k)) // exact
	return c.shift(c.exp(c.mul(rest, c.ln2())), int(k))
}

// log corrects a float64 start y by log(x) = y + log1p(x*exp(-y) - 1).
func (c *calc) log(x *big.Float) *big.Float {
	if d := new(big.Float).SetPrec(c.prec+guard).Sub(x, c.num(1)); below(d, smallLog) {
		return c.log1p(d)
	}
	m := c.new()
	e := x.MantExp(m)
	if f, _ := m.Float64(); f < math.Sqrt2/2 {
		m, e = c.double(m), e-1
	}
	f, _ := m.Float64()
	y := c.num(math.Log(f))
	t := c.finely(guard, func() *big.Float {
		return c.new().Sub(c.mul(m, c.exp(c.neg(y))), c.num(1))
	})
	y = c.add(y, c.log1p(t))
	if e == 0 {
		return y
	}
	return c.add(c.mul(c.ln2(), c.num(float64(e))), y)
}

// log1p is 2*atanh(x/(2+x)) near 0.
func (c *calc) log1p(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return x
	}
	if !below(x, smallLog) {
		return c.log(new(big.Float).SetPrec(c.prec+guard).Add(x, c.num(1)))
	}
	s := c.quo(x, c.plus(x, 2))
	square, power, sum := c.mul(s, s), s, s
	for n := 3; power.MantExp(nil) > s.MantExp(nil)-int(c.prec); n += 2 {
		power = c.mul(power, square)
		sum = c.new().Add(sum, c.quo(power, c.num(float64(n))))
	}
	return c.double(sum)
}

func (c *calc) log2(x *big.Float) *big.Float  { return c.quo(c.log(x), c.ln2()) }
func (c *calc) log10(x *big.Float) *big.Float { return c.quo(c.log(x), c.ln10()) }

// pow returns x^y; for negative x, y must be an integer.
func (c *calc) pow(x, y *big.Float) *big.Float {
	z := c.finely(guard, func() *big.Float { return c.exp(c.mul(y, c.log(c.abs(x)))) })
	if x.Sign() < 0 && isOdd(y) {
		return c.neg(z)
	}
	return z
}

func isOdd(y *big.Float) bool {
	i, acc := y.Int(nil)
	return acc == big.Exact && i.Bit(0) == 1
}

// cbrt takes Newton steps from a float64 start.
func (c *calc) cbrt(x *big.Float) *big.Float {
	m := c.new()
	e := x.MantExp(m)
	third := int(math.Floor(float64(e) / 3))
	m = c.shift(m, e-3*third)
	f, _ := m.Float64()
	y := c.num(math.Cbrt(f))
	for bits := uint(newtonLen - 3); bits < c.prec; bits *= 2 {
		d := c.quo(c.new().Sub(m, c.mul(y, c.mul(y, y))), c.mul(c.num(3), c.mul(y, y)))
		y = c.new().Add(y, d)
	}
	return c.shift(y, third)
}

func (c *calc) rsqrt(x *big.Float) *big.Float { return c.inverse(c.sqrt(x)) }

func (c *calc) hypot(x, y *big.Float) *big.Float {
	return c.sqrt(c.add(c.mul(x, x), c.mul(y, y)))
}

func (c *calc) sinh(x *big.Float) *big.Float {
	m := c.expm1(x)
	return c.half(c.add(m, c.quo(m, c.plus(m, 1))))
}

func (c *calc) cosh(x *big.Float) *big.Float {
	e := c.exp(x)
	return c.half(c.add(e, c.inverse(e)))
}

func (c *calc) tanh(x *big.Float) *big.Float {
	m := c.expm1(c.double(c.abs(x)))
	return signed(c.quo(m, c.plus(m, 2)), x)
}

// asinh is log1p(a + a^2/(1+sqrt(1+a^2))).
func (c *calc) asinh(x *big.Float) *big.Float {
	a := c.abs(x)
	square := c.mul(a, a)
	q := c.quo(square, c.plus(c.sqrt(c.plus(square, 1)), 1))
	return signed(c.log1p(c.add(a, q)), x)
}

// acosh is log1p(d + sqrt(d*(d+2))) with d = x-1.
func (c *calc) acosh(x *big.Float) *big.Float {
	d := new(big.Float).SetPrec(c.prec+guard).Sub(x, c.num(1))
	return c.log1p(c.add(d, c.sqrt(c.mul(d, c.plus(d, 2)))))
}

// atanh is log1p(2x/(1-x))/2.
func (c *calc) atanh(x *big.Float) *big.Float {
	a := c.abs(x)
	return signed(c.half(c.log1p(c.quo(c.double(a), c.sub(c.num(1), a)))), x)
}

// signed returns z with the sign of x.
func signed(z, x *big.Float) *big.Float {
	if x.Signbit() != z.Signbit() {
		z.Neg(z)
	}
	return z
}
