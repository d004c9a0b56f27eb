package oracle

import "math"

// Exponentials and logarithms of double-double arguments.

var (
	ln2Pair  = toPair(fixed.ln2())
	ln2Third = third(fixed.ln2())
	ln10Pair = toPair(fixed.ln10())
)

// isTiny reports whether series is accurate.
func isTiny(x float64) bool { return math.Abs(x) < 0x1p-40 }

// series returns x + a*x^2 + b*x^3, for tiny x.
func series(x, a, b float64) wide {
	m, e := split(x)
	return wide{fastSum(m, m*(a*x+b*x*x)), e}
}

// Tables have arguments that are multiples of 1/grid. The rest of an argument is below 2^-8, so three terms of a series
// matter beyond the first float64.
const grid = 128

// powerOf2 returns 2^n in the normal range.
func powerOf2(n int) float64 { return math.Float64frombits(uint64(n+1023) << 52) }

// expTable has exp(i/grid) - 1 for |i| <= grid/2.
var expTable = func() (t [grid + 1]pair) {
	for i := range t {
		t[i] = toPair(fixed.expm1(fixed.num(float64(i-grid/2) / grid)))
	}
	return t
}()

// expm1Small returns exp(r)-1 for |r| <= 1/2.
func expm1Small(r pair) pair {
	if !(math.Abs(r.hi) <= 0.5) {
		return nan
	}
	i := math.RoundToEven(r.hi * grid)
	h := r.hi - i/grid // exact
	square := twoProd(h, h*0.5)
	cube := h * square.hi * (1./3 + h*(1./12+h*(1./60+h*(1./360+h*(1./2520)))))
	m := fastSum(h, r.lo*(1+h)+cube+square.lo)
	m = m.plus(square.hi)
	if i == 0 {
		return m
	}
	e := expTable[int(i)+grid/2]
	return e.add(m.add(e.mul(m)))
}

// expPair returns exp of |x| < 2000, as 1+m times 2^k.
func expPair(x pair) (m pair, k int) {
	n := math.RoundToEven(x.hi * math.Log2E)
	if n != 0 {
		p := twoProd(n, ln2Pair.hi)
		x = twoSum(x.hi-p.hi, x.lo-p.lo-n*ln2Pair.lo) // the first difference is exact
	}
	return expm1Small(x), int(n)
}

func expWide(x pair) wide {
	m, k := expPair(x)
	return wide{m.plus(1), k}
}

// bounded clips arguments that overflow or underflow to the range of expPair.
func bounded(x float64) float64 { return min(max(x, -1900), 1900) }

func closeExp(x, _ float64) wide { return expWide(single(bounded(x))) }

func closeExp2(x, _ float64) wide {
	x = min(max(x, -2700), 2700)
	n := math.RoundToEven(x)
	return wide{expm1Small(ln2Pair.times(x - n)).plus(1), int(n)}
}

// expm1Wide returns exp(x)-1.
func expm1Wide(x pair) wide {
	if isTiny(x.hi) {
		return series(x.hi, 0.5, 1./6).addTo(x.lo)
	}
	m, k := expPair(x)
	switch {
	case k == 0:
		return narrow(m)
	case k > 200:
		return wide{m.plus(1), k}
	case k < -200:
		return narrow(pair{-1, math.Exp(x.hi)})
	}
	power := powerOf2(k)
	return narrow(m.scale(power).add(twoSum(power, -1)))
}

// addTo adds a number below the last place of hi.
func (a wide) addTo(lo float64) wide {
	a.pair = fastSum(a.hi, a.lo+math.Ldexp(lo, -a.exp))
	return a
}

func closeExpm1(x, _ float64) wide { return expm1Wide(single(bounded(x))) }

// log1pPair returns log(1+f) for f > -1: a float64 start y, then a Newton step log1p((f - expm1(y)) / exp(y)).
func log1pPair(f pair) pair {
	if isTiny(f.hi) {
		return fastSum(f.hi, f.lo+f.hi*f.hi*(f.hi/3-0.5))
	}
	y := math.Log1p(f.hi)
	m, k := expPair(single(y))
	e := m
	if k != 0 {
		power := powerOf2(k)
		e = m.scale(power).plus(power).plus(-1)
	}
	d := f.sub(e)
	u := (d.hi + d.lo) / (1 + e.hi)
	return fastSum(y, u-u*u/2)
}

// logPairOf returns the logarithm of a positive number, times a constant.
func logPairOf(x pair, exp int) pair {
	m, e := split(x.hi)
	if m < math.Sqrt2/2 {
		e--
	}
	power := math.Ldexp(1, -e)
	if power > 0x1p1000 {
		x, power = x.scale(0x1p600), math.Ldexp(1, -e-600)
	}
	f := pair{x.hi * power, x.lo * power}
	y := log1pPair(f.plus(-1))
	if n := float64(e + exp); n != 0 {
		y = ln2Pair.times(n).plus(ln2Third * n).add(y)
	}
	return y
}

// closeLog divides a logarithm by that of a base.
func closeLog(base pair) func(x, y float64) wide {
	return func(x, _ float64) wide {
		m, e := split(x)
		y := logPairOf(single(m), e)
		if base.hi != 1 {
			y = y.quo(base)
		}
		return narrow(y)
	}
}

func closeLog1p(x, _ float64) wide {
	switch {
	case isTiny(x):
		return series(x, -0.5, 1./3)
	case x > 0x1p200:
		return closeLog(single(1))(x, 0)
	}
	return narrow(log1pPair(single(x)))
}

// closePow is for positive x, and for negative x with integer y.
func closePow(x, y float64) wide {
	if x < 0 && y != math.Trunc(y) {
		return narrow(nan)
	}
	m, e := split(math.Abs(x))
	l := logPairOf(single(m), e)
	if math.Abs(y*l.hi) > 1900 {
		return wide{single(1), beyond} // beyond the range: not ok
	}
	my, ey := split(y)
	p := l.times(my)
	z := expWide(p.scale(math.Ldexp(1, min(ey, 100))))
	if ey < -200 {
		z = wide{single(1), 0}
	}
	if x < 0 && math.Abs(math.Mod(y, 2)) == 1 {
		z.pair = z.neg()
	}
	return z
}

func closeSinh(x, _ float64) wide {
	if isTiny(x) {
		return series(x, 0, 1./6)
	}
	a := single(math.Abs(x))
	z := expWide(pair{bounded(a.hi), 0})
	if a.hi < 40 {
		m := expm1Wide(a).pair
		z = narrow(m.add(m.quo(m.plus(1))))
	}
	return wide{z.withSign(x), z.exp - 1}
}

func closeCosh(x, _ float64) wide {
	z := expWide(pair{bounded(math.Abs(x)), 0})
	if math.Abs(x) < 40 {
		e := z.scale(math.Ldexp(1, z.exp))
		z = narrow(e.add(single(1).quo(e)))
	}
	return wide{z.pair, z.exp - 1}
}

func closeTanh(x, _ float64) wide {
	if isTiny(x) {
		return series(x, 0, -1./3)
	}
	a := math.Abs(x)
	if a > 40 {
		return narrow(pair{1, -2 * math.Exp(-2*a)}.withSign(x))
	}
	m := expm1Wide(single(2 * a)).pair
	return narrow(m.quo(m.plus(2)).withSign(x))
}

func (a pair) withSign(x float64) pair {
	if math.Signbit(x) != math.Signbit(a.hi) {
		return a.neg()
	}
	return a
}

func closeAsinh(x, _ float64) wide {
	a := math.Abs(x)
	switch {
	case isTiny(x):
		return series(x, 0, -1./6)
	case a > 0x1p60:
		m, e := split(a)
		return narrow(logPairOf(single(m), e+1).withSign(x))
	}
	square := twoProd(a, a)
	q := square.quo(square.plus(1).sqrt().plus(1))
	return narrow(log1pPair(q.plus(a)).withSign(x))
}

func closeAcosh(x, _ float64) wide {
	if x > 0x1p60 {
		m, e := split(x)
		return narrow(logPairOf(single(m), e+1))
	}
	d := twoSum(x, -1)
	return narrow(log1pPair(d.add(d.mul(d.plus(2)).sqrt())))
}

func closeAtanh(x, _ float64) wide {
	if isTiny(x) {
		return series(x, 0, 1./3)
	}
	a := math.Abs(x)
	y := log1pPair(single(2 * a).quo(twoSum(1, -a)))
	return narrow(y.scale(0.5).withSign(x))
}
