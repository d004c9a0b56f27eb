package oracle

import "math/big"

// Activation functions, by their formulas in calc's precision.

func (c *calc) sigmoid(x *big.Float) *big.Float {
	return c.inverse(c.plus(c.exp(c.neg(x)), 1))
}

func (c *calc) silu(x *big.Float) *big.Float { return c.mul(x, c.sigmoid(x)) }

func (c *calc) softplus(x *big.Float) *big.Float {
	if x.Sign() > 0 {
		return c.add(x, c.log1p(c.exp(c.neg(x))))
	}
	return c.log1p(c.exp(x))
}

func (c *calc) gelu(x *big.Float) *big.Float {
	u := c.quo(x, c.sqrt(c.num(2)))
	return c.mul(c.half(x), c.erfc(c.neg(u)))
}

// geluTanh takes its constants as the decimals that define it.
func (c *calc) geluTanh(x *big.Float) *big.Float {
	cube := c.mul(x, c.mul(x, x))
	u := c.add(x, c.mul(c.decimal("0.044715"), cube))
	u = c.mul(u, c.sqrt(c.quo(c.num(2), c.pi())))
	return c.mul(x, c.sigmoid(c.double(u)))
}

// mish is x*n/(n+2) with n = e*(e+2), e = exp(x).
func (c *calc) mish(x *big.Float) *big.Float {
	e := c.exp(x)
	n := c.mul(e, c.plus(e, 2))
	return c.mul(x, c.quo(n, c.plus(n, 2)))
}

func (c *calc) elu(x, alpha *big.Float) *big.Float {
	if x.Sign() > 0 {
		return x
	}
	return c.mul(alpha, c.expm1(x))
}

// celu returns a finite x for an infinite alpha: the limit.
func (c *calc) celu(x, alpha *big.Float) *big.Float {
	if x.Sign() > 0 || isFar(alpha) {
		return x
	}
	return c.mul(alpha, c.expm1(c.quo(x, alpha)))
}

// selu takes the constants of Klambauer et al., Self-Normalizing Neural Networks.
func (c *calc) selu(x *big.Float) *big.Float {
	alpha := c.decimal("1.6732632423543772848170429916717")
	return c.mul(c.decimal("1.0507009873554804934193349852946"), c.elu(x, alpha))
}

func (c *calc) hardSwish(x *big.Float) *big.Float {
	up := c.plus(x, 3)
	switch {
	case up.Sign() <= 0:
		return signed(c.num(0), x)
	case up.Cmp(c.num(6)) >= 0:
		return x
	}
	return c.quo(c.mul(x, up), c.num(6))
}

func (c *calc) softsign(x *big.Float) *big.Float { return c.quo(x, c.plus(c.abs(x), 1)) }

// logit is log1p((2x-1)/(1-x)) near 1/2.
func (c *calc) logit(x *big.Float) *big.Float {
	rest := c.sub(c.num(1), x)
	odds := c.quo(x, rest)
	if d := c.quo(c.plus(c.double(x), -1), rest); below(d, -2) {
		return c.log1p(d)
	}
	return c.log(odds)
}
