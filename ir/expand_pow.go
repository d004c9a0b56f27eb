package ir

import "math"

// pow is 2^(y*log2|x|), in float64 for float32 and with log2|x| to 2^-65 for
// float64. What C's Annex F asks for beside that comes out of line.

var (
	// 2*atanh(s/2)/s in s^2, to base 2, for |s| <= 0.344: relative error below 2^-45.
	log2Poly32 = []float64{0x1.71547652b8251p0, 0x1.ec709dc53c4a9p-4, 0x1.2776c2936e3ffp-6, 0x1.a61a2e9cbe6bfp-9, 0x1.47955e522d17dp-11, 0x1.21b06bddc8304p-13}
	// (2*atanh(s/2) - s - s^3/12)/s^5, to base 2: relative error below 2^-53.
	log2Tail64 = []float64{0x1.2776c50ef9bfep-6, 0x1.a61762a7ae41fp-9, 0x1.484b13d735a4p-11, 0x1.0c9a85003d155p-13, 0x1.c68f04d646c19p-16, 0x1.8a0627adef197p-18, 0x1.593a53ec6eb0cp-20, 0x1.60435721888efp-22}
	// 2^r for |r| <= 0.5, relative error below 2^-30.
	exp2Poly32 = []float64{0x1p0, 0x1.62e42ff18ba02p-1, 0x1.ebfbe079ce7ccp-3, 0x1.c6b089c2d1aa4p-5, 0x1.3b29f1eecf8a8p-7, 0x1.5d8b5d94725f2p-10, 0x1.445dabd588138p-13, 0x1.fd0840b903c95p-17}
)

func expandPow(b *Builder, a []Ref) Ref {
	x, y := a[0], a[1]
	t := b.Op(OpAbs, x)
	var z Ref
	if b.DType(x) == Float32 {
		z = b.Cast(Float32, b.pow32(b.Cast(Float64, t), b.Cast(Float64, y)))
	} else {
		z = b.pow64(t, y)
	}
	infinity := fromFloat(b.DType(x), math.Inf(1))
	seldom := b.Op(OpOr, b.outside(x, 1, infinity), b.outside(b.Op(OpAbs, y), 0, infinity))
	return b.Op(OpSeldom, seldom, b.powEdges(x, y, z), z)
}

// powEdges returns x^y given z = |x|^y, which holds for finite y and for |x|
// neither 0 nor infinite.
func (b *Builder) powEdges(x, y, z Ref) Ref {
	dt := b.DType(x)
	c := func(v float64) Ref { return b.Float(dt, v) }
	inf, zero, unit := c(math.Inf(1)), c(0), c(1)
	t := b.Op(OpAbs, x)
	yInf := b.Op(OpEq, b.Op(OpAbs, y), inf)

	grows := b.Op(OpEq, b.Op(OpLt, unit, t), b.Op(OpLt, zero, y))
	limit := b.Op(OpSelect, grows, inf, zero)
	limit = b.Op(OpSelect, b.Op(OpAnd, yInf, b.Op(OpEq, t, unit)), unit, limit)
	end := b.Op(OpOr, b.Op(OpEq, t, zero), b.Op(OpEq, t, inf))
	z = b.Op(OpSelect, b.Op(OpOr, end, yInf), limit, z)

	half := b.Op(OpMul, y, c(0.5))
	broken := b.Op(OpNe, b.Op(OpTrunc, y), y)
	odd := b.Op(OpAnd, b.Op(OpNe, b.Op(OpTrunc, half), half), b.Op(OpNot, broken))
	z = b.Op(OpSelect, odd, b.withSign(z, x), z)
	finite := b.Op(OpLt, c(math.Inf(-1)), x)
	nan := b.Op(OpAnd, b.Op(OpAnd, b.Op(OpLt, x, zero), finite), broken)
	z = b.Op(OpSelect, nan, c(math.NaN()), z)

	sum := b.Op(OpAdd, x, y)
	missing := b.Op(OpOr, b.Op(OpNe, x, x), b.Op(OpNe, y, y))
	z = b.Op(OpSelect, missing, sum, z)
	return b.Op(OpSelect, b.Op(OpOr, b.Op(OpEq, y, zero), b.Op(OpEq, x, unit)), unit, z)
}

// pow32 is x^y with the accuracy of float32, for normal positive x.
func (b *Builder) pow32(x, y Ref) Ref {
	minusE, f := b.binade(x)
	s := b.Op(OpDiv, f, b.Op(OpFMA, f, b.f64(0.5), b.f64(1)))
	p := b.estrin(b.Op(OpMul, s, s), log2Poly32)
	t := b.Op(OpMul, y, b.Op(OpFMA, s, p, b.Op(OpNeg, minusE)))
	t = b.Op(OpMax, b.Op(OpMin, t, b.f64(130)), b.f64(-152))
	k := b.Op(OpAdd, t, b.f64(magic))
	r := b.Op(OpSub, t, b.Op(OpSub, k, b.f64(magic)))
	q := b.estrin(r, exp2Poly32)
	return b.Bitcast(Float64, b.Op(OpAdd, b.toExponent(b.Bitcast(Int64, k)), b.Bitcast(Int64, q)))
}

// pow64 is x^y for positive finite x.
func (b *Builder) pow64(x, y Ref) Ref {
	l := b.log2Pair(x)
	t := b.twoProd(y, l.hi)
	t.lo = b.Op(OpFMA, y, l.lo, t.lo)
	return b.exp2Pair(t)
}

// log2Pair is log2 for positive finite x, with an error below 2^-64.
func (b *Builder) log2Pair(x Ref) pair {
	minusE, f := b.anyBinade(x)
	s := b.divPair(pair{f, b.f64(0)}, b.half1p(f))
	z := b.twoProd(s.hi, s.hi)
	z.lo = b.Op(OpFMA, b.Op(OpAdd, s.hi, s.hi), s.lo, z.lo)
	twelfth := b.constPair(0x1.ec709dc3a03fdp-4, 0x1.d27f05548af0cp-58) // log2(e)/12
	tail := b.horner(z.hi, log2Tail64[:2], b.estrin(z.hi, log2Tail64[2:]))
	p := b.addPair(twelfth, b.scalePair(z, tail))
	p = b.addPair(b.constPair(log2e, log2eLo), b.mulPair(z, p))
	l := b.mulPair(s, p)
	t := b.fastTwoSum(b.Op(OpNeg, minusE), l.hi)
	t.lo = b.Op(OpAdd, t.lo, l.lo)
	return t
}

// exp2Pair returns 2^t, rounded once below the normal range too.
func (b *Builder) exp2Pair(t pair) Ref {
	// Beyond these bounds the result is 0 or +Inf; t.lo may have overflowed.
	hi := b.Op(OpMax, b.Op(OpMin, t.hi, b.f64(1100)), b.f64(-1200))
	lo := b.Op(OpMax, b.Op(OpMin, t.lo, b.f64(1)), b.f64(-1))
	k := b.Op(OpAdd, hi, b.f64(magic))
	kf := b.Op(OpSub, k, b.f64(magic))
	r := b.Op(OpSub, hi, kf)

	u := b.twoProd(r, b.f64(ln2))
	u.lo = b.Op(OpFMA, r, b.f64(ln2Lo), u.lo)
	u.lo = b.Op(OpFMA, lo, b.f64(ln2), u.lo)
	s := b.fastTwoSum(b.f64(1), u.hi)
	upper := b.estrin(u.hi, expPoly64[2:])
	q := b.horner(u.hi, expPoly64[:2], upper)
	v := b.Op(OpFMA, b.Op(OpMul, u.hi, u.hi), q, s.lo)
	v = b.Op(OpFMA, u.lo, b.Op(OpAdd, s.hi, v), v)
	return b.scaleBy(b.Op(OpAdd, s.hi, v), k, kf)
}

// scaleBy returns p * 2^k in two steps, the second of which may round. k is an
// integer in the low bits of a float64, and kf the same as its value.
func (b *Builder) scaleBy(p, k, kf Ref) Ref {
	half := b.Op(OpFMA, kf, b.f64(0.5), b.f64(magic))
	h, rest := b.toExponent(b.Bitcast(Int64, half)), b.toExponent(b.Op(OpSub, b.Bitcast(Int64, k), b.Bitcast(Int64, half)))
	return b.Op(OpMul, b.Op(OpMul, p, b.powerOf2(h)), b.powerOf2(rest))
}
