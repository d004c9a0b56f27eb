package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// pow is 2^(y*log2|x|), in float64 for float32, and with log2|x| to 2^-65 for float64. The special cases of C's Annex F are handled out of
// line.

var (
	// 2*atanh(s/2)/s in s^2, to base 2, for |s| <= 0.344: relative error below 2^-45.
	log2Poly32 = []float64{0x1.71547652b8251p0, 0x1.ec709dc53c4a9p-4, 0x1.2776c2936e3ffp-6, 0x1.a61a2e9cbe6bfp-9, 0x1.47955e522d17dp-11, 0x1.21b06bddc8304p-13}
	// (2*atanh(s/2) - s - s^3/12)/s^5, to base 2: relative error below 2^-53.
	log2Tail64 = []float64{0x1.2776c50ef9bfep-6, 0x1.a61762a7ae41fp-9, 0x1.484b13d735a4p-11, 0x1.0c9a85003d155p-13, 0x1.c68f04d646c19p-16, 0x1.8a0627adef197p-18, 0x1.593a53ec6eb0cp-20, 0x1.60435721888efp-22}
	// 2^r for |r| <= 0.5, relative error below 2^-30.
	exp2Poly32 = []float64{0x1p0, 0x1.62e42ff18ba02p-1, 0x1.ebfbe079ce7ccp-3, 0x1.c6b089c2d1aa4p-5, 0x1.3b29f1eecf8a8p-7, 0x1.5d8b5d94725f2p-10, 0x1.445dabd588138p-13, 0x1.fd0840b903c95p-17}
)

func expandPow(b *builder, a []kernel.Ref) kernel.Ref {
	x, y := a[0], a[1]
	t := b.Op(ir.OpAbs, x)
	var z kernel.Ref
	if b.isSingle(x) {
		z = b.Cast(ir.Float32, b.pow32(b.Cast(ir.Float64, t), b.Cast(ir.Float64, y)))
	} else {
		z = b.pow64(t, y)
	}
	infinity := ir.FromFloat(b.DType(x), math.Inf(1))
	seldom := b.Op(ir.OpOr, b.outside(x, 1, infinity), b.outside(b.Op(ir.OpAbs, y), 0, infinity))
	return b.Op(ir.OpUnlikely, seldom, b.powEdges(x, y, z), z)
}

// powEdges returns x^y given z = |x|^y. z is valid for finite y and for |x| that is neither 0 nor infinite.
func (b *builder) powEdges(x, y, z kernel.Ref) kernel.Ref {
	dt := b.DType(x)
	c := func(v float64) kernel.Ref { return b.Float(dt, v) }
	inf, zero, unit := c(math.Inf(1)), c(0), c(1)
	t := b.Op(ir.OpAbs, x)
	yInf := b.Op(ir.OpEq, b.Op(ir.OpAbs, y), inf)

	grows := b.Op(ir.OpEq, b.Op(ir.OpLt, unit, t), b.Op(ir.OpLt, zero, y))
	limit := b.Op(ir.OpSelect, grows, inf, zero)
	limit = b.Op(ir.OpSelect, b.Op(ir.OpAnd, yInf, b.Op(ir.OpEq, t, unit)), unit, limit)
	end := b.Op(ir.OpOr, b.Op(ir.OpEq, t, zero), b.Op(ir.OpEq, t, inf))
	z = b.Op(ir.OpSelect, b.Op(ir.OpOr, end, yInf), limit, z)

	half := b.Op(ir.OpMul, y, c(0.5))
	broken := b.Op(ir.OpNe, b.Op(ir.OpTrunc, y), y)
	odd := b.Op(ir.OpAnd, b.Op(ir.OpNe, b.Op(ir.OpTrunc, half), half), b.Op(ir.OpNot, broken))
	z = b.Op(ir.OpSelect, odd, b.withSign(z, x), z)
	finite := b.Op(ir.OpLt, c(math.Inf(-1)), x)
	nan := b.Op(ir.OpAnd, b.Op(ir.OpAnd, b.Op(ir.OpLt, x, zero), finite), broken)
	z = b.Op(ir.OpSelect, nan, c(math.NaN()), z)

	sum := b.Op(ir.OpAdd, x, y)
	missing := b.Op(ir.OpOr, b.Op(ir.OpNe, x, x), b.Op(ir.OpNe, y, y))
	z = b.Op(ir.OpSelect, missing, sum, z)
	return b.Op(ir.OpSelect, b.Op(ir.OpOr, b.Op(ir.OpEq, y, zero), b.Op(ir.OpEq, x, unit)), unit, z)
}

// pow32 is x^y with the accuracy of float32, for normal positive x.
func (b *builder) pow32(x, y kernel.Ref) kernel.Ref {
	minusE, f := b.binade(x)
	s := b.Op(ir.OpDiv, f, b.Op(ir.OpFMA, f, b.f64(0.5), b.f64(1)))
	p := b.estrin(b.Op(ir.OpMul, s, s), log2Poly32)
	t := b.Op(ir.OpMul, y, b.Op(ir.OpFMA, s, p, b.Op(ir.OpNeg, minusE)))
	t = b.Op(ir.OpMax, b.Op(ir.OpMin, t, b.f64(130)), b.f64(-152))
	k := b.Op(ir.OpAdd, t, b.f64(magic))
	r := b.Op(ir.OpSub, t, b.Op(ir.OpSub, k, b.f64(magic)))
	q := b.estrin(r, exp2Poly32)
	return b.Bitcast(ir.Float64, b.Op(ir.OpAdd, b.toExponent(b.Bitcast(ir.Int64, k)), b.Bitcast(ir.Int64, q)))
}

// pow64 is x^y for positive finite x.
func (b *builder) pow64(x, y kernel.Ref) kernel.Ref {
	l := b.log2Pair(x)
	t := b.twoProd(y, l.hi)
	t.lo = b.Op(ir.OpFMA, y, l.lo, t.lo)
	return b.exp2Pair(t)
}

// log2Pair is log2 for positive finite x, with an error below 2^-64.
func (b *builder) log2Pair(x kernel.Ref) pair {
	minusE, f := b.anyBinade(x)
	s := b.divPair(pair{f, b.f64(0)}, b.half1p(f))
	z := b.twoProd(s.hi, s.hi)
	z.lo = b.Op(ir.OpFMA, b.Op(ir.OpAdd, s.hi, s.hi), s.lo, z.lo)
	twelfth := b.constPair(0x1.ec709dc3a03fdp-4, 0x1.d27f05548af0cp-58) // log2(e)/12
	tail := b.horner(z.hi, log2Tail64[:2], b.estrin(z.hi, log2Tail64[2:]))
	p := b.addPair(twelfth, b.scalePair(z, tail))
	p = b.addPair(b.constPair(log2e, log2eLo), b.mulPair(z, p))
	l := b.mulPair(s, p)
	t := b.fastTwoSum(b.Op(ir.OpNeg, minusE), l.hi)
	t.lo = b.Op(ir.OpAdd, t.lo, l.lo)
	return t
}

// exp2Pair returns 2^t, rounded once below the normal range too.
func (b *builder) exp2Pair(t pair) kernel.Ref {
	// Beyond these bounds the result is 0 or +Inf; t.lo may have overflowed.
	hi := b.Op(ir.OpMax, b.Op(ir.OpMin, t.hi, b.f64(1100)), b.f64(-1200))
	lo := b.Op(ir.OpMax, b.Op(ir.OpMin, t.lo, b.f64(1)), b.f64(-1))
	kf := b.Op(ir.OpSub, b.Op(ir.OpAdd, hi, b.f64(magic+2*bias)), b.f64(magic+2*bias))
	r := b.Op(ir.OpSub, hi, kf)

	u := b.twoProd(r, b.f64(ln2))
	u.lo = b.Op(ir.OpFMA, r, b.f64(ln2Lo), u.lo)
	u.lo = b.Op(ir.OpFMA, lo, b.f64(ln2), u.lo)
	s := b.fastTwoSum(b.f64(1), u.hi)
	upper := b.estrin(u.hi, expPoly64[2:])
	q := b.horner(u.hi, expPoly64[:2], upper)
	v := b.Op(ir.OpFMA, b.Op(ir.OpMul, u.hi, u.hi), q, s.lo)
	v = b.Op(ir.OpFMA, u.lo, b.Op(ir.OpAdd, s.hi, v), v)
	return b.Op(ir.OpScalb, b.Op(ir.OpAdd, s.hi, v), kf)
}
