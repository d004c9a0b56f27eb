package ir

import "slices"

// The fast tier of the logistic family: float32 lanes alone. y/(1+exp(-x)) is
// computed as y times gateUnit/(gateUnit + exp(-x)*gateUnit), by which neither
// exp(-x) nor its inverse leaves the normal range while the result is above 0.

const (
	gateExp  = 32
	gateUnit = 0x1p-32
)

// log(1+e)/e for 0 <= e <= 1, relative error 2^-24.8.
var log1pPolyFast = []float64{0x1.fffffep-1, -0x1.fffe86p-2, 0x1.552cf8p-2, -0x1.fc9966p-3, 0x1.869496p-3, -0x1.1655e2p-3, 0x1.3cf396p-4, -0x1.db0114p-6, 0x1.4e9d8ap-8}

func fastSigmoid(b *Builder, a []Ref) Ref {
	x := a[0]
	if b.DType(x) == Float64 {
		return b.plainSigmoid64(b.clamp(x, -750, 40))
	}
	return b.Op(OpDiv, b.f32(gateUnit), b.gateNative(b.expMinusParts(b.clamp(x, -104, 40))))
}

// plainSigmoid64 is sigmoid64 without its pairs.
func (b *Builder) plainSigmoid64(x Ref) Ref {
	unit := b.f64(gateUnit64)
	k, kf := b.scale(b.Op(OpNeg, x))
	r := b.Op(OpFMA, kf, b.f64(-ln2Lo), b.reduce(b.Op(OpNeg, x), kf))
	p := b.horner(r, []float64{1, 1}, b.tailHorner(r, expPoly64))
	power := b.toExponent(b.Op(OpAdd, k, b.Int(Int64, bias-gateExp64)))
	return b.Op(OpDiv, unit, b.Op(OpFMA, p, b.Bitcast(Float64, power), unit))
}

func fastSiLU(b *Builder, a []Ref) Ref {
	if b.DType(a[0]) == Float64 {
		return expandSiLU(b, a)
	}
	x := b.atLeast(a[0], -109)
	return b.gatedNative(x, 18, b.gateNative(b.expMinusParts(x)))
}

// fastGELUTanh computes 2u/log(2) = x*(line + cube*x^2) with twice the bits:
// its error is multiplied by itself, which is up to 156.
func fastGELUTanh(b *Builder, a []Ref) Ref {
	if b.DType(a[0]) == Float64 {
		return expandGELUTanh(b, a)
	}
	x := b.atLeast(a[0], -10.83)
	s := b.twoProd(x, x)
	w := b.Op(OpFMA, s.hi, b.f32(cube32[0]), b.f32(line32[0]))
	// The first of line32 is short, so that the difference is exact.
	lo := b.Op(OpFMA, s.hi, b.f32(cube32[0]), b.Op(OpSub, b.f32(line32[0]), w))
	s.lo = b.Op(OpFMA, s.hi, b.f32(cube32[1]/cube32[0]), s.lo)
	lo = b.Op(OpAdd, lo, b.Op(OpFMA, s.lo, b.f32(cube32[0]), b.f32(line32[1])))
	// The product is made twice, and rounded only where k is taken from it.
	t := b.Op(OpFMA, b.Op(OpNeg, x), w, b.f32(magic32+bias32-gateExp))
	r := b.Op(OpFMA, x, w, b.Op(OpSub, t, b.f32(magic32+bias32-gateExp)))
	r = b.Op(OpFMA, x, lo, r)
	return b.gatedNative(x, 6, b.gateNative(b.Bitcast(Int32, t), b.polyNative(r, ofMinus(exp2PolyNative))))
}

// geluLine/log(2) and geluCube/log(2) as pairs.
var (
	line32 = [2]float64{0x1.26bp1, -0x1.3de432p-15}
	cube32 = [2]float64{0x1.a5a7dp-4, -0x1.151aaep-29}
)

// expMinusParts returns exp(-x)*gateUnit as a polynomial and a power of 2.
func (b *Builder) expMinusParts(x Ref) (k, p Ref) {
	k, r := b.reduceNative(x, -1, bias32-gateExp)
	return k, b.polyNative(r, ofMinus(expPolyNative))
}

// ofMinus returns the coefficients of a polynomial in -x.
func ofMinus(c []float64) []float64 {
	c = slices.Clone(c)
	for i := 1; i < len(c); i += 2 {
		c[i] = -c[i]
	}
	return c
}

// gateNative returns gateUnit + p*2^(k-127).
func (b *Builder) gateNative(k, p Ref) Ref {
	return b.Op(OpFMA, p, b.powerNative(k), b.f32(gateUnit))
}

// gatedNative returns x*gateUnit/gate, and x from a limit on, where gate is no
// more than its unit.
func (b *Builder) gatedNative(x Ref, limit float64, gate Ref) Ref {
	y := b.Op(OpMul, b.Op(OpDiv, x, gate), b.f32(gateUnit))
	return b.Op(OpSelect, b.Op(OpLt, b.f32(limit), x), x, y)
}

func fastSoftplus(b *Builder, a []Ref) Ref {
	x := a[0]
	if b.DType(x) == Float64 {
		return expandSoftplus(b, a)
	}
	e := b.expNative(b.atLeast(b.Op(OpNeg, b.Op(OpAbs, x)), -104))
	return b.Op(OpFMA, e, b.estrin(e, log1pPolyFast), b.positivePart(x))
}

// fastMish keeps exp(x)/gateUnit in the normal range.
func fastMish(b *Builder, a []Ref) Ref {
	if b.DType(a[0]) == Float64 {
		return expandMish(b, a)
	}
	x := b.atLeast(a[0], -109)
	k, r := b.reduceNative(x, 1, bias32+gateExp)
	e := b.scaleOnce(b.polyNative(r, expPolyNative), k)
	n := b.Op(OpFMA, e, b.Op(OpMul, e, b.f32(gateUnit)), b.Op(OpAdd, e, e)) // one rounding
	q := b.Op(OpDiv, n, b.Op(OpFMA, n, b.f32(gateUnit), b.f32(2)))
	y := b.Op(OpMul, b.Op(OpMul, x, q), b.f32(gateUnit))
	return b.Op(OpSelect, b.Op(OpLt, b.f32(10), x), x, y)
}
