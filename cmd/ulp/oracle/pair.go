package oracle

import (
	"math"
	"math/big"
)

// Double-double arithmetic: a number is the unevaluated sum of two float64. Functions use tables made by the oracle,
// and are right to at least 68 bits: 1e-5 of float64's last place. They take a tenth of a microsecond, those in
// math/big tens, so a search can try tens of millions of arguments. The sums and products are those of Dekker 1971, and
// Hida, Li and Bailey 2001.

type pair struct{ hi, lo float64 }

// nan is the result beyond the domain of a function.
var nan = pair{math.NaN(), math.NaN()}

func single(x float64) pair { return pair{x, 0} }

// fastSum adds exactly if |a| >= |b|.
func fastSum(a, b float64) pair {
	s := a + b
	return pair{s, b - (s - a)}
}

func twoSum(a, b float64) pair {
	s := a + b
	t := s - a
	return pair{s, (a - (s - t)) + (b - t)}
}

func twoProd(a, b float64) pair {
	p := a * b
	return pair{p, math.FMA(a, b, -p)}
}

func (a pair) add(b pair) pair {
	s, t := twoSum(a.hi, b.hi), twoSum(a.lo, b.lo)
	s = fastSum(s.hi, s.lo+t.hi)
	return fastSum(s.hi, s.lo+t.lo)
}

func (a pair) plus(x float64) pair {
	s := twoSum(a.hi, x)
	return fastSum(s.hi, s.lo+a.lo)
}

func (a pair) neg() pair       { return pair{-a.hi, -a.lo} }
func (a pair) sub(b pair) pair { return a.add(b.neg()) }

func (a pair) mul(b pair) pair {
	p := twoProd(a.hi, b.hi)
	return fastSum(p.hi, p.lo+(a.hi*b.lo+a.lo*b.hi))
}

func (a pair) times(x float64) pair {
	p := twoProd(a.hi, x)
	return fastSum(p.hi, p.lo+a.lo*x)
}

func (a pair) quo(b pair) pair {
	q := a.hi / b.hi
	r := a.sub(b.times(q))
	return fastSum(q, (r.hi+r.lo)/b.hi)
}

// sqrt returns the square root of a positive number.
func (a pair) sqrt() pair {
	s := math.Sqrt(a.hi)
	r := a.sub(twoProd(s, s))
	return fastSum(s, (r.hi+r.lo)/(2*s))
}

// scale multiplies by a power of 2.
func (a pair) scale(power float64) pair { return pair{a.hi * power, a.lo * power} }

func (a pair) abs() pair {
	if a.hi < 0 {
		return a.neg()
	}
	return a
}

// poly evaluates c[0] + c[1]*x + ...; the terms after the first two in float64.
func (x pair) poly(c []pair, doubled int) pair {
	tail := 0.0
	for i := len(c) - 1; i >= doubled; i-- {
		tail = tail*x.hi + c[i].hi
	}
	sum := single(tail)
	for i := min(doubled, len(c)) - 1; i >= 0; i-- {
		sum = x.mul(sum).add(c[i])
	}
	return sum
}

// toPair rounds to a pair.
func toPair(x *big.Float) pair {
	hi, _ := x.Float64()
	lo, _ := new(big.Float).SetPrec(200).Sub(x, big.NewFloat(hi)).Float64()
	return pair{hi, lo}
}

// third returns what toPair leaves.
func third(x *big.Float) float64 {
	p := toPair(x)
	rest := new(big.Float).SetPrec(300).Sub(x, big.NewFloat(p.hi))
	z, _ := rest.Sub(rest, big.NewFloat(p.lo)).Float64()
	return z
}

// fixed computes the constants.
var fixed = &calc{prec: 256}

// wide is a pair times 2^exp, for numbers out of float64's range.
type wide struct {
	pair
	exp int
}

func narrow(a pair) wide { return wide{a, 0} }

// split moves the exponent of x, which must not be 0, into exp.
func split(x float64) (m float64, exp int) { return math.Frexp(x) }

// times multiplies by any float64.
func (a wide) times(x float64) wide {
	m, e := split(x)
	return wide{a.pair.times(m), a.exp + e}
}

// beyond is an exponent out of every range, for results that overflow or underflow.
const beyond = 1 << 20

// ulps is [Value.ULPs]. ok is false if the value is NaN or beyond, and for results out of range that should be in
// range.
func (a wide) ulps(f Format, got float64) (ulps float64, ok bool) {
	m, e := split(a.hi)
	if math.Abs(m) == 0.5 && a.lo/a.hi < -0x1p-128 {
		e-- // just below a power of 2
	}
	e += a.exp
	known := e < beyond/2 && e > -beyond/2 && math.Abs(a.hi) > 0 && math.Signbit(got) == math.Signbit(a.hi)
	switch {
	case known && math.IsInf(got, 0) && e > f.Most:
		return 0, true
	case known && got == 0 && e < f.Least:
		return math.Ldexp(math.Abs(a.hi), a.exp-f.Least), true
	}
	if got == 0 || got-got != 0 || !(math.Abs(a.hi) > 0x1p-500 && math.Abs(a.hi) < 0x1p500) || e > f.Most || e < f.Least {
		return 0, false
	}
	last := max(e-f.Bits, f.Least)
	g, eg := split(got)
	unit := math.Ldexp(1, eg-a.exp)
	if unit == 0 || unit > 0x1p1000 {
		return math.Inf(1), true
	}
	d := single(g * unit).sub(a.pair)
	return math.Abs(math.Ldexp(d.hi+d.lo, a.exp-last)), true
}
