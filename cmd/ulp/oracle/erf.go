package oracle

import "math/big"

// fromFraction is where erfc's continued fraction takes over from 1 - erf.
const fromFraction = 3

// erf computes 2x/sqrt(pi) exp(-x^2) sum (2x^2)^n/(2n+1)!!, where nothing cancels, and 1 - erfc for large x.
func (c *calc) erf(x *big.Float) *big.Float {
	a := c.abs(x)
	if a.Cmp(c.num(fromFraction)) > 0 {
		return signed(c.sub(c.num(1), c.erfcFar(a)), x)
	}
	square := c.mul(x, x)
	twice := c.double(square)
	term, sum := c.num(1), c.num(1)
	for n := 3; term.MantExp(nil) > -int(c.prec) && term.Sign() != 0; n += 2 {
		term = c.quo(c.mul(term, twice), c.num(float64(n)))
		sum = c.new().Add(sum, term)
	}
	z := c.mul(c.double(x), c.mul(c.exp(c.neg(square)), sum))
	return c.quo(z, c.sqrt(c.pi()))
}

func (c *calc) erfc(x *big.Float) *big.Float {
	if x.Cmp(c.num(fromFraction)) > 0 {
		return c.erfcFar(x)
	}
	return c.sub(c.num(1), c.erf(x))
}

// erfcFar computes exp(-x^2)/sqrt(pi) times the continued fraction
//
//	1/(x + (1/2)/(x + (2/2)/(x + (3/2)/(x + ...
//
// The value lies between any two successive convergents (Abramowitz and Stegun 7.1.14).
func (c *calc) erfcFar(x *big.Float) *big.Float {
	if !below(x, 12) {
		return c.exp(c.num(-mostExp * 2))
	}
	p0, q0 := c.num(0), c.num(1)
	p1, q1 := c.num(1), c.new().Set(x)
	for n := 1; ; n++ {
		k := c.num(float64(n) / 2)
		p0, p1 = p1, c.new().Add(c.mul(x, p1), c.mul(k, p0))
		q0, q1 = q1, c.new().Add(c.mul(x, q1), c.mul(k, q0))
		if n%16 != 0 {
			continue
		}
		last, now := c.quo(p0, q0), c.quo(p1, q1)
		if last.Sub(last, now); below(last, now.MantExp(nil)-int(c.prec)+8) {
			e := c.exp(c.neg(c.finely(guard, func() *big.Float { return c.mul(x, x) })))
			return c.quo(c.mul(e, now), c.sqrt(c.pi()))
		}
	}
}
