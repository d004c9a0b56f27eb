package oracle

import (
	"math"
	"math/big"
)

// quadrant returns k mod 4 and r with x = k*pi/2 + r, |r| <= pi/4. The precision follows the exponent of x, and that of
// r where it is near 0.
func (c *calc) quadrant(x *big.Float) (int, *big.Float) {
	if below(x, -1) {
		return 0, x
	}
	var k big.Int
	need := uint(max(x.MantExp(nil), 0)) + guard
	for {
		r := c.finely(need, func() *big.Float {
			quarter := c.half(c.pi())
			q := c.quo(x, quarter)
			q.Add(q, c.num(math.Copysign(0.5, float64(x.Sign()))))
			q.Int(&k)
			return c.new().Sub(x, c.mul(quarter, c.new().SetInt(&k)))
		})
		if r.Sign() != 0 && -r.MantExp(nil) < int(need)-max(x.MantExp(nil), 0) {
			return int(new(big.Int).And(&k, big.NewInt(3)).Int64()), r
		}
		need += 2 * guard
	}
}

// sinCos returns the sine and the cosine of |r| <= pi/4 by their series.
func (c *calc) sinCos(r *big.Float, which int) *big.Float {
	if r.Sign() == 0 {
		if which == 0 {
			return r
		}
		return c.num(1)
	}
	n := c.terms(min(-r.MantExp(nil), int(c.prec))) + 2
	over := c.overFactorial(n)
	minusSquare := c.neg(c.mul(r, r))
	first := n - (n+which+1)%2 // sin has odd powers, cos even ones
	s := over[first]
	for i := first - 2; i >= 0; i -= 2 {
		s = c.new().Add(c.mul(s, minusSquare), over[i])
	}
	if which == 0 {
		return c.mul(s, r)
	}
	return s
}

// turned returns the sine of x + k quarters of a turn.
func (c *calc) turned(x *big.Float, quarters int) *big.Float {
	k, r := c.quadrant(x)
	k += quarters
	z := c.finely(guard, func() *big.Float { return c.sinCos(r, k&1) })
	if k&2 != 0 {
		return c.neg(z)
	}
	return z
}

func (c *calc) sin(x *big.Float) *big.Float { return c.turned(x, 0) }
func (c *calc) cos(x *big.Float) *big.Float { return c.turned(x, 1) }

func (c *calc) tan(x *big.Float) *big.Float {
	k, r := c.quadrant(x)
	s, t := c.sinCos(r, 0), c.sinCos(r, 1)
	if k&1 == 0 {
		return c.quo(s, t)
	}
	return c.neg(c.quo(t, s))
}

// atan corrects a float64 start y by the arc tangent of the remainder: tan(atan(x) - y) = (x*cos(y) - sin(y)) / (cos(y)
// + x*sin(y)).
func (c *calc) atan(x *big.Float) *big.Float {
	if !below(x, 1) {
		rest := c.atan(c.inverse(c.abs(x)))
		return signed(c.new().Sub(c.half(c.pi()), rest), x)
	}
	if below(x, tinyArg) {
		return c.atanSeries(x)
	}
	f, _ := x.Float64()
	y := c.num(math.Atan(f))
	s, t := c.sinCos(y, 0), c.sinCos(y, 1)
	q := c.quo(c.new().Sub(c.mul(x, t), s), c.new().Add(t, c.mul(x, s)))
	return c.new().Add(y, c.atanSeries(q))
}

// atanSeries sums x - x^3/3 + ..., for small x.
func (c *calc) atanSeries(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return x
	}
	minusSquare, power, sum := c.neg(c.mul(x, x)), x, x
	for n := 3; power.MantExp(nil) > x.MantExp(nil)-int(c.prec); n += 2 {
		power = c.mul(power, minusSquare)
		sum = c.new().Add(sum, c.quo(power, c.num(float64(n))))
	}
	return sum
}

// leg returns sqrt(1 - x^2).
func (c *calc) leg(x *big.Float) *big.Float {
	return c.sqrt(c.mul(c.sub(c.num(1), x), c.plus(x, 1)))
}

func (c *calc) asin(x *big.Float) *big.Float { return c.atan2(x, c.leg(x)) }
func (c *calc) acos(x *big.Float) *big.Float { return c.atan2(c.leg(x), x) }

// atan2 returns the angle of the point (x, y), from the quotient that is at most 1.
func (c *calc) atan2(y, x *big.Float) *big.Float {
	a, b := c.abs(y), c.abs(x)
	z := a
	switch {
	case a.Sign() == 0: // also for zeros
	case a.Cmp(b) <= 0:
		z = c.atan(c.quo(a, b))
	default:
		z = c.sub(c.half(c.pi()), c.atan(c.quo(b, a)))
	}
	if x.Signbit() {
		z = c.sub(c.pi(), z)
	}
	return signed(z, y)
}
