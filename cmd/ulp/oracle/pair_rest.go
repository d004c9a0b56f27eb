package oracle

import (
	"math"
	"sync"
)

// Roots, the error function and the activations of double-double arguments.

func closeCbrt(x, _ float64) wide {
	m, e := split(x)
	third := int(math.Floor(float64(e) / 3))
	m = math.Ldexp(m, e-3*third)
	y := math.Cbrt(m)
	d := single(m).sub(twoProd(y, y).times(y))
	return wide{fastSum(y, (d.hi+d.lo)/(3*y*y)), third}
}

func closeRsqrt(x, _ float64) wide {
	m, e := split(x)
	half := int(math.Floor(float64(e) / 2))
	m = math.Ldexp(m, e-2*half)
	return wide{single(1).quo(single(m).sqrt()), -half}
}

func closeHypot(x, y float64) wide {
	mx, ex := split(x)
	my, ey := split(y)
	e := max(ex, ey)
	mx, my = math.Ldexp(mx, ex-e), math.Ldexp(my, ey-e)
	return wide{twoProd(mx, mx).add(twoProd(my, my)).sqrt(), e}
}

const (
	erfcGrid  = 256
	erfcMost  = 30
	erfcTerms = 9
)

// erfcTable has W(c+h) = erfc(c+h)*exp((c+h)^2) as polynomials in h, for each c of a grid. W' = 2aW - 2/sqrt(pi) gives
// the coefficients one after the other. The values go from point to point in the direction in which errors shrink.
var erfcTable = sync.OnceValue(func() [][erfcTerms]pair {
	c := &calc{prec: 192}
	minusSlope := c.quo(c.num(-2), c.sqrt(c.pi()))
	table := make([][erfcTerms]pair, erfcMost*erfcGrid+2)
	last := c.num(float64(len(table)-1) / erfcGrid)
	value := c.mul(c.erfcFar(last), c.exp(c.mul(last, last)))
	for i := len(table) - 1; i >= 0; i-- {
		at := c.num(float64(i) / erfcGrid)
		before, now, step := c.num(0), value, c.num(1)
		value = c.num(0)
		for n := range 24 {
			if n < erfcTerms {
				table[i][n] = toPair(now)
			}
			value = c.new().Add(value, c.mul(now, step))
			step = c.mul(step, c.num(-1./erfcGrid))
			next := c.double(c.new().Add(c.mul(at, now), before))
			if n == 0 {
				next = c.new().Add(next, minusSlope)
			}
			before, now = now, c.quo(next, c.num(float64(n+1)))
		}
	}
	return table
})

// erfcWide returns erfc of x >= 0, and 0 for large x; square is x^2.
func erfcWide(x, square pair) wide {
	if !(x.hi <= erfcMost) {
		return wide{single(1), -beyond}
	}
	i := math.RoundToEven(x.hi * erfcGrid)
	h := fastSum(x.hi-i/erfcGrid, x.lo)
	w := &erfcTable()[int(i)]
	tail := h.hi * h.hi * (w[2].hi + h.hi*(w[3].hi+h.hi*(w[4].hi+h.hi*(w[5].hi+h.hi*(w[6].hi+h.hi*(w[7].hi+h.hi*w[8].hi))))))
	e := expWide(square.neg())
	e.pair = e.mul(w[0].add(w[1].mul(h).plus(tail)))
	return e
}

var twoOverRootPi = toPair(fixed.quo(fixed.num(2), fixed.sqrt(fixed.pi())))

// erfTaylor has the coefficients of the powers of x^2 in erf(x)*sqrt(pi)/(2x).
var erfTaylor = func() (c [16]pair) {
	over := fixed.overFactorial(len(c))
	for n := range c {
		v := fixed.quo(over[n], fixed.num(float64(2*n+1)))
		if n%2 == 1 {
			v = fixed.neg(v)
		}
		c[n] = toPair(v)
	}
	return c
}()

func closeErf(x, _ float64) wide {
	a := math.Abs(x)
	switch {
	case a < 0.5: // here 1 - erfc would lose digits
		m, e := split(x)
		s := twoProd(x, x)
		sum := s.poly(erfTaylor[:], 6)
		return wide{twoOverRootPi.mul(sum).times(m), e}
	case a > 9:
		return narrow(pair{1, -math.Erfc(a)}.withSign(x))
	}
	z := erfcWide(single(a), twoProd(a, a))
	return narrow(single(1).sub(z.scale(math.Ldexp(1, z.exp))).withSign(x))
}

func closeErfc(x, _ float64) wide {
	a := math.Abs(x)
	switch {
	case x < -9:
		return narrow(pair{2, -math.Erfc(a)})
	case a > erfcMost:
		return wide{single(1), -beyond}
	}
	z := erfcWide(single(a), twoProd(a, a))
	if x > 0 {
		return z
	}
	return narrow(single(2).sub(z.scale(math.Ldexp(1, z.exp))))
}

var rootHalf = toPair(fixed.sqrt(fixed.num(0.5)))

// closeGELU computes x/2*erfc(-x/sqrt(2)).
func closeGELU(x, _ float64) wide {
	a := min(math.Abs(x), 1e3)
	z := erfcWide(rootHalf.times(a), twoProd(a, a).scale(0.5))
	if x > 0 {
		z = narrow(single(2).sub(z.scale(math.Ldexp(1, z.exp))))
	}
	z.exp--
	return z.times(x)
}

// gateWide computes 1/(1+exp(-x)).
func gateWide(x pair) wide {
	x.hi = bounded(x.hi)
	if x.hi < -200 {
		return expWide(x)
	}
	e := expWide(x.neg())
	return narrow(single(1).quo(e.scale(math.Ldexp(1, e.exp)).plus(1)))
}

func closeSigmoid(x, _ float64) wide { return gateWide(single(x)) }
func closeSiLU(x, _ float64) wide    { return gateWide(single(x)).times(x) }

var (
	geluTanhLine = toPair(fixed.double(fixed.sqrt(fixed.quo(fixed.num(2), fixed.pi()))))
	geluTanhCube = toPair(fixed.decimal("0.044715"))
)

func closeGELUTanh(x, _ float64) wide {
	if a := math.Abs(x); a > 1e3 {
		return wide{single(1), beyond}
	}
	u := twoProd(x, x).mul(geluTanhCube).plus(1).times(x).mul(geluTanhLine)
	return gateWide(u).times(x)
}

func closeSoftplus(x, _ float64) wide {
	e := expWide(single(bounded(-math.Abs(x))))
	switch {
	case e.exp > -150:
		y := log1pPair(e.scale(math.Ldexp(1, e.exp)))
		return narrow(y.plus(max(x, 0)))
	case x > 0:
		return wide{single(1), 0}.times(x)
	}
	return e
}

func closeMish(x, _ float64) wide {
	if x > 300 {
		return wide{single(1), 0}.times(x)
	}
	e := expWide(single(bounded(x)))
	if e.exp < -150 {
		return e.times(x)
	}
	p := e.scale(math.Ldexp(1, e.exp))
	n := p.mul(p.plus(2))
	return narrow(n.quo(n.plus(2))).times(x)
}

func closeELU(x, alpha float64) wide {
	if x > 0 {
		return wide{single(1), 0}.times(x)
	}
	return closeExpm1(x, 0).times(alpha)
}

func closeCELU(x, alpha float64) wide {
	if x > 0 {
		return wide{single(1), 0}.times(x)
	}
	mx, ex := split(x)
	ma, ea := split(alpha)
	q := single(mx).quo(single(ma))
	d := ex - ea
	switch {
	case d < -100:
		return wide{single(mx), ex}
	case d > 11:
		d = 11
	}
	q = q.scale(math.Ldexp(1, d))
	if q.hi > 1900 {
		return wide{single(1), beyond}
	}
	return expm1Wide(pair{max(q.hi, -1900), q.lo}).times(alpha)
}

var (
	seluLambda = toPair(fixed.decimal("1.0507009873554804934193349852946"))
	seluBoth   = toPair(fixed.mul(fixed.decimal("1.0507009873554804934193349852946"), fixed.decimal("1.6732632423543772848170429916717")))
)

func closeSELU(x, _ float64) wide {
	if x > 0 {
		return narrow(seluLambda).times(x)
	}
	z := closeExpm1(x, 0)
	z.pair = z.mul(seluBoth)
	return z
}

func closeHardSwish(x, _ float64) wide {
	if x >= 3 {
		return wide{single(1), 0}.times(x)
	}
	return narrow(twoSum(x, 3).quo(single(6))).times(x)
}

func closeSoftsign(x, _ float64) wide {
	m, e := split(x)
	if e > 200 {
		return narrow(pair{1, -1 / math.Abs(x)}.withSign(x))
	}
	return wide{single(m).quo(twoSum(math.Abs(x), 1)), e}
}

func closeLogit(x, _ float64) wide {
	rest := twoSum(1, -x)
	if x > 0.25 && x < 0.75 {
		return narrow(log1pPair(single(2*x - 1).quo(rest)))
	}
	m, e := split(x)
	return narrow(logPairOf(single(m).quo(rest), e))
}
