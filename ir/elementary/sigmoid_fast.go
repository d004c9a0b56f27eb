package elementary

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The fast tier of the logistic family, in float32 lanes only. y/(1+exp(-x)) is computed as y times gateUnit/(gateUnit + exp(-x)*gateUnit), so
// that neither exp(-x) nor its inverse leaves the normal range while the result is positive.

const (
	gateExp  = 32
	gateUnit = 0x1p-32
)

// log(1+e)/e for 0 <= e <= 1, relative error 2^-24.8.
var log1pPolyFast = []float64{0x1.fffffep-1, -0x1.fffe86p-2, 0x1.552cf8p-2, -0x1.fc9966p-3, 0x1.869496p-3, -0x1.1655e2p-3, 0x1.3cf396p-4, -0x1.db0114p-6, 0x1.4e9d8ap-8}

func fastSigmoid(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if !b.isSingle(x) {
		return b.plainSigmoid64(b.clamp(x, -750, 40))
	}
	return b.Op(ir.OpDiv, b.f32(gateUnit), b.gateNative(b.expMinusParts(b.clamp(x, -104, 40))))
}

// plainSigmoid64 is sigmoid64 without its pairs.
func (b *builder) plainSigmoid64(x kernel.Ref) kernel.Ref {
	unit := b.f64(gateUnit64)
	k, kf := b.scale(b.Op(ir.OpNeg, x))
	r := b.Op(ir.OpFMA, kf, b.f64(-ln2Lo), b.reduce(b.Op(ir.OpNeg, x), kf))
	p := b.horner(r, []float64{1, 1}, b.tailHorner(r, expPoly64))
	power := b.toExponent(b.Op(ir.OpAdd, k, b.Int(ir.Int64, bias-gateExp64)))
	return b.Op(ir.OpDiv, unit, b.Op(ir.OpFMA, p, b.Bitcast(ir.Float64, power), unit))
}

func fastSiLU(b *builder, a []kernel.Ref) kernel.Ref {
	if !b.isSingle(a[0]) {
		return expandSiLU(b, a)
	}
	x := b.zeroBelow(a[0], -109)
	return b.gatedNative(x, 18, b.gateNative(b.expMinusParts(b.upTo(x, 18))))
}

// fastGELUTanh is the default expansion without the corrections of the sum and the quotient.
func fastGELUTanh(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if !b.isSingle(x) {
		return expandGELUTanh(b, a)
	}
	y := b.upTo(b.Op(ir.OpAbs, x), 11.2)
	g := b.geluPower(y)
	d := b.Op(ir.OpFMA, g.power, g.rest, b.Op(ir.OpAdd, g.power, b.f32(closedUnit)))
	return b.minusClosed(b.atLeast(x, negativeZero), b.Op(ir.OpDiv, y, d))
}

// expMinusParts returns exp(-x)*gateUnit as a polynomial and a power of 2.
func (b *builder) expMinusParts(x kernel.Ref) (k, p kernel.Ref) {
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
func (b *builder) gateNative(k, p kernel.Ref) kernel.Ref {
	return b.Op(ir.OpFMA, p, b.powerNative(k), b.f32(gateUnit))
}

// gatedNative returns x*gateUnit/gate, or x if x is at least limit, where gate equals its unit.
func (b *builder) gatedNative(x kernel.Ref, limit float64, gate kernel.Ref) kernel.Ref {
	y := b.Op(ir.OpMul, b.Op(ir.OpDiv, x, gate), b.f32(gateUnit))
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, b.f32(limit), x), x, y)
}

func fastSoftplus(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if !b.isSingle(x) {
		return expandSoftplus(b, a)
	}
	e := b.expNative(b.atLeast(b.Op(ir.OpNeg, b.Op(ir.OpAbs, x)), -104))
	return b.Op(ir.OpFMA, e, b.estrin(e, log1pPolyFast), b.positivePart(x))
}

// fastMish keeps exp(x)/gateUnit in the normal range.
func fastMish(b *builder, a []kernel.Ref) kernel.Ref {
	if !b.isSingle(a[0]) {
		return expandMish(b, a)
	}
	x := b.zeroBelow(a[0], -109)
	k, r := b.reduceNative(x, 1, bias32+gateExp)
	e := b.scaleOnce(b.polyNative(r, expPolyNative), k)
	n := b.Op(ir.OpFMA, e, b.Op(ir.OpMul, e, b.f32(gateUnit)), b.Op(ir.OpAdd, e, e)) // one rounding
	q := b.Op(ir.OpDiv, n, b.Op(ir.OpFMA, n, b.f32(gateUnit), b.f32(2)))
	y := b.Op(ir.OpMul, b.Op(ir.OpMul, x, q), b.f32(gateUnit))
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, b.f32(10), x), x, y)
}
