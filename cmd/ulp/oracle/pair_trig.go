package oracle

import (
	"math"
	"math/big"
	"math/bits"
)

// Trigonometric functions of double-double arguments. An angle is reduced by the method of Payne and Hanek 1983 with
// integers: for x = m*2^e only those bits of 2/pi are used that make x*2/pi less than 4, and 256 after them.

const (
	window     = 5 // in words of 64 bits
	mostExp2Pi = 1024
)

// twoOverPi has the bits of 2/pi from the most significant on, after words of zeros for small angles.
var twoOverPi = func() []uint64 {
	const words = mostExp2Pi/64 + 2*window + 2
	c := &calc{prec: 64*words + guard}
	q := c.quo(c.num(2), c.pi())
	i, _ := c.shift(q, 64*words).Int(nil)
	out := make([]uint64, window+words)
	for j := range words {
		w := new(big.Int).Rsh(i, uint(64*(words-1-j)))
		out[window+j] = w.And(w, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
	}
	return out
}()

var quarterPair, quarterThird = toPair(fixed.half(fixed.pi())), third(fixed.half(fixed.pi()))

// reduceAngle returns k mod 4 and r with x = k*pi/2 + r, |r| <= pi/4.
func reduceAngle(x float64) (k int, r pair) {
	a := math.Abs(x)
	switch {
	case a < 0.78:
		return 0, single(x)
	case a < 0x1p24:
		n := math.RoundToEven(x * (2 / math.Pi))
		p, q := twoProd(n, quarterPair.hi), twoProd(n, quarterPair.lo)
		r = twoSum(x-p.hi, -p.lo).sub(q).plus(-n * quarterThird) // the first difference is exact
		return int(n) & 3, r
	}
	k, r = reduceFar(a)
	if x < 0 {
		return -k & 3, r.neg()
	}
	return k & 3, r
}

func reduceFar(x float64) (k int, r pair) {
	b := math.Float64bits(x)
	u, e := b&(1<<52-1)|1<<52, int(b>>52)-1075 // x = u * 2^e
	at := e - 2 + 64*window                    // position of the first used bit, whose weight is 2
	word, shift := at/64, uint(at%64)
	var w [window]uint64
	carry := uint64(0)
	for j := window - 1; j >= 0; j-- {
		v := twoOverPi[word+j]<<shift | twoOverPi[word+j+1]>>(64-shift)
		hi, lo := bits.Mul64(v, u)
		var c uint64
		w[j], c = bits.Add64(lo, carry, 0)
		carry = hi + c
	}
	const eighth = 1 << 61
	k = int((w[0] + eighth) >> 62)
	w[0] -= uint64(k) << 62 // now a signed number of quarters
	negative := w[0]>>63 != 0
	if negative {
		c := uint64(1)
		for j := window - 1; j >= 0; j-- {
			w[j], c = bits.Add64(^w[j], 0, c)
		}
	}
	f, unit := single(0), 0x1p-62
	for j := range window - 1 {
		f = f.add(fastSum(float64(w[j]>>32<<32)*unit, float64(w[j]&(1<<32-1))*unit))
		unit *= 0x1p-64
	}
	if r = f.mul(quarterPair); negative {
		r = r.neg()
	}
	return k, r
}

// waveTable has sines and cosines of i/grid up to pi/4.
var waveTable = func() (t [grid][2]pair) {
	for i := range t {
		x := fixed.num(float64(i) / grid)
		t[i] = [2]pair{toPair(fixed.sin(x)), toPair(fixed.cos(x))}
	}
	return t
}()

// sinCosPair returns sine and cosine of |r| <= pi/4.
func sinCosPair(r pair) (sin, cos pair) {
	a := r.abs()
	if !(a.hi < 0.8) {
		return nan, nan
	}
	i := math.RoundToEven(a.hi * grid)
	h := a.hi - i/grid // exact
	square := twoProd(h, h)
	sh := fastSum(h, a.lo-h*square.hi*(1./6-square.hi*(1./120-square.hi/5040)))
	ch := fastSum(-0.5*square.hi, -0.5*square.lo-h*a.lo+square.hi*square.hi*(1./24-square.hi/720)) // minus 1
	t := &waveTable[int(i)]
	if i == 0 {
		sin, cos = sh, ch.plus(1)
	} else {
		sin = t[0].add(t[1].mul(sh).add(t[0].mul(ch)))
		cos = t[1].add(t[1].mul(ch).sub(t[0].mul(sh)))
	}
	if r.hi < 0 {
		sin = sin.neg()
	}
	return sin, cos
}

// closeWave returns the sine of x plus some quarters of a turn.
func closeWave(quarters int) func(x, y float64) wide {
	return func(x, _ float64) wide {
		if quarters == 0 && isTiny(x) {
			return series(x, 0, -1./6)
		}
		k, r := reduceAngle(x)
		k += quarters
		z, cos := sinCosPair(r)
		if k&1 != 0 {
			z = cos
		}
		if k&2 != 0 {
			z = z.neg()
		}
		return narrow(z)
	}
}

func closeTan(x, _ float64) wide {
	if isTiny(x) {
		return series(x, 0, 1./3)
	}
	k, r := reduceAngle(x)
	sin, cos := sinCosPair(r)
	if k&1 == 0 {
		return narrow(sin.quo(cos))
	}
	return narrow(cos.quo(sin).neg())
}

// atanPair returns the arc tangent of x >= 0.
func atanPair(x pair) pair {
	if x.hi > 1 {
		return quarterPair.sub(atanPair(single(1).quo(x)))
	}
	if isTiny(x.hi) {
		return fastSum(x.hi, x.lo-x.hi*x.hi*x.hi/3)
	}
	y := math.Atan(x.hi)
	s, c := sinCosPair(single(y))
	d := x.mul(c).sub(s)
	return fastSum(y, (d.hi+d.lo)/(c.hi+x.hi*s.hi))
}

func closeAtan(x, _ float64) wide {
	if isTiny(x) {
		return series(x, 0, -1./3)
	}
	if math.Abs(x) > 0x1p200 {
		return narrow(quarterPair.withSign(x))
	}
	return narrow(atanPair(single(math.Abs(x))).withSign(x))
}

func closeAsin(x, _ float64) wide {
	if isTiny(x) {
		return series(x, 0, 1./6)
	}
	a := math.Abs(x)
	if a == 1 {
		return narrow(quarterPair.withSign(x))
	}
	root := twoSum(1, -a).mul(twoSum(1, a)).sqrt()
	return narrow(atanPair(single(a).quo(root)).withSign(x))
}

func closeAcos(x, _ float64) wide {
	if x == -1 {
		return narrow(quarterPair.scale(2))
	}
	t := twoSum(1, -x).quo(twoSum(1, x)).sqrt()
	return narrow(atanPair(t).scale(2))
}

// closeAtan2 divides the smaller operand by the larger.
func closeAtan2(y, x float64) wide {
	my, ey := split(math.Abs(y))
	mx, ex := split(math.Abs(x))
	var z wide
	switch d := ey - ex; {
	case d < -60 && x > 0:
		z = wide{single(my).quo(single(mx)), d} // only y/x matters
	case d < -200:
		z = narrow(single(0))
	case d > 200:
		z = narrow(quarterPair)
	default:
		z = narrow(atanPair(single(my).quo(single(mx)).scale(math.Ldexp(1, d))))
	}
	if x < 0 {
		z = narrow(quarterPair.scale(2).sub(z.pair))
	}
	z.pair = z.withSign(y)
	return z
}
