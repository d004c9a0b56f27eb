package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The logistic function and what is made of it. sigmoid, silu and gelutanh of float32
// are x times gateUnit/(gateUnit + exp(-u)*gateUnit), as in the fast tier, with both parts
// of that sum. softplus and mish compute in float64 with the accuracy of float32 and
// round once.

var negativeZero = math.Copysign(0, -1)

// log(1+e)/e for 0 <= e <= 1, relative error 2^-30.3.
var log1pPoly32 = []float64{0x1.fffffff99dbbap-1, -0x1.fffff38a538fdp-2, 0x1.55534e1b7e7afp-2, -0x1.ffbd43465b112p-3, 0x1.975ccdd9de705p-3, -0x1.49d835ded0e92p-3, 0x1.fca8c01a9eadbp-4, -0x1.51ae74bc81aabp-4, 0x1.53ca2ab354b5dp-5, -0x1.b7568c410a03fp-7, 0x1.0a1b9ebbd623ep-9}

func expandSigmoid(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		return b.gated(b.f32(1), b.expMinus(b.clamp(x, -104, 40)))
	}
	return b.sigmoid64(b.clamp(x, -750, 40))
}

func expandSiLU(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		x = b.zeroBelow(x, -109)
		y := b.gated(x, b.expMinus(b.upTo(x, 18)))
		return b.Op(ir.OpSelect, b.Op(ir.OpLt, b.f32(18), x), x, y)
	}
	x = b.zeroBelow(x, -760)
	return b.gated64(x, pair{b.upTo(x, 41), b.f64(0)})
}

// expandGELUTanh uses (1 + tanh(u))/2 = 1/(1 + exp(-2u)). For float32 it computes
// 2u/log(2) = x*(line + cube*x^2) with twice the bits, as in fastGELUTanh.
func expandGELUTanh(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		x = b.zeroBelow(x, -10.83)
		u := b.upTo(x, 6)
		t, r := b.geluPower(u)
		e := b.powerNative(b.Bitcast(ir.Int32, t))
		r.lo = b.Op(ir.OpMul, u, r.lo)
		y := b.gated(x, gate{e, b.Op(ir.OpMul, e, b.f32(-ln2)), b.curved(r, exp2Curve)})
		return b.Op(ir.OpSelect, b.Op(ir.OpLt, b.f32(6), x), x, y)
	}
	x = b.zeroBelow(x, -21.6)
	return b.geluTanh64(x, b.upTo(x, 9))
}

// 2*sqrt(2/pi) and 0.044715 times that.
const (
	geluLine = 0x1.9884533d43651p0
	geluCube = 0x1.2444f2a4d8b4bp-4
)

// gate is exp(-u)*gateUnit: power, a power of 2, and factor*(rest.hi+rest.lo), with factor a multiple of power.
type gate struct {
	power, factor kernel.Ref
	rest          pair
}

// expMinus returns exp(-x)*gateUnit.
func (b *builder) expMinus(x kernel.Ref) gate {
	t := b.scaleNative(x, -1, bias32-gateExp)
	e := b.powerNative(b.Bitcast(ir.Int32, t))
	kf := b.Op(ir.OpSub, t, b.f32(magic32+bias32-gateExp))
	r := pair{b.Op(ir.OpFMA, kf, b.f32(ln2Hi32), x), b.Op(ir.OpMul, kf, b.f32(ln2Lo32))} // the first part is exact
	return gate{e, b.Op(ir.OpNeg, e), b.curved(r, expCurve)}
}

// Polynomials c: with r + r^2*c(r) = 1 - exp(-r) for |r| <= 0.3475, and (1 - 2^-r)/log(2) for
// |r| <= 0.501. Error relative to the exponential below 2^-28.2.
var (
	expCurve  = []float64{-0x1.fffffcp-2, 0x1.555492p-3, -0x1.5558bep-5, 0x1.1239e0p-7, -0x1.6a3fb8p-10}
	exp2Curve = []float64{-0x1.62e42cp-2, 0x1.47fc86p-4, -0x1.c6b676p-7, 0x1.fa6668p-10, -0x1.cee4e6p-13}
)

// curved returns r + r^2*c(r): r.hi, and what is up to a fifth of it. The terms of c are taken in pairs,
// which shortens the chain of dependent operations.
func (b *builder) curved(r pair, c []float64) pair {
	sum := b.sum(r)
	square := b.Op(ir.OpMul, sum, sum)
	last := len(c) - 1
	top := b.f32(c[last])
	for i := last - 2; i >= 0; i -= 2 {
		top = b.Op(ir.OpFMA, square, top, b.Op(ir.OpFMA, sum, b.f32(c[i+1]), b.f32(c[i])))
	}
	return pair{r.hi, b.Op(ir.OpFMA, square, top, r.lo)}
}

// gated returns x*gateUnit/(gateUnit + g). With these signs it keeps that of 0. Of a power below
// 2^-24*gateUnit rest alone is added: from there on the result is x within 0.71 ULP.
func (b *builder) gated(x kernel.Ref, g gate) kernel.Ref {
	one, unit := b.f32(1), b.f32(gateUnit)
	whole := b.Op(ir.OpAdd, unit, g.power)
	lost := b.Op(ir.OpSub, unit, b.Op(ir.OpSub, whole, g.power))
	d := b.Op(ir.OpFMA, g.factor, b.sum(g.rest), whole)
	lo := b.Op(ir.OpFMA, g.factor, g.rest.hi, b.Op(ir.OpSub, whole, d))
	lo = b.Op(ir.OpAdd, b.Op(ir.OpFMA, g.factor, g.rest.lo, lo), lost)

	inv := b.Op(ir.OpDiv, one, d)
	q := inv
	if x != one {
		q = b.Op(ir.OpMul, x, inv)
	}
	above := b.Op(ir.OpFMA, q, lo, b.Op(ir.OpFMA, q, d, b.Op(ir.OpNeg, x)))
	return b.Op(ir.OpMul, b.Op(ir.OpFMA, b.Op(ir.OpNeg, above), inv, q), unit)
}

// geluPower returns 2u/log(2) less a whole number, which is in the low bits of t: the sum of
// hi and x*lo. The product is made twice, and rounded only where the whole number is taken from it.
func (b *builder) geluPower(x kernel.Ref) (t kernel.Ref, r pair) {
	const large = magic32 + bias32 - gateExp
	w := b.geluSlope(x, geluLine32, geluCube32)
	t = b.Op(ir.OpFMA, b.Op(ir.OpNeg, x), w.hi, b.f32(large))
	return t, pair{b.Op(ir.OpFMA, x, w.hi, b.Op(ir.OpSub, t, b.f32(large))), w.lo}
}

// geluLine/log(2) and geluCube/log(2) as pairs; the first of the line is short.
var (
	geluLine32 = [2]float64{0x1.26bp1, -0x1.3de432p-15}
	geluCube32 = [2]float64{0x1.a5a7dp-4, -0x1.151aaep-29}
)

// geluSlope returns line + cube*x^2. line[0] is short, so that a difference is exact.
func (b *builder) geluSlope(x kernel.Ref, line, cube [2]float64) pair {
	s := b.twoProd(x, x)
	w := b.Op(ir.OpFMA, s.hi, b.f32(cube[0]), b.f32(line[0]))
	lo := b.Op(ir.OpFMA, s.hi, b.f32(cube[0]), b.Op(ir.OpSub, b.f32(line[0]), w))
	s.lo = b.Op(ir.OpFMA, s.hi, b.f32(cube[1]/cube[0]), s.lo)
	return pair{w, b.Op(ir.OpAdd, lo, b.Op(ir.OpFMA, s.lo, b.f32(cube[0]), b.f32(line[1])))}
}

// expandSoftplus is max(x, 0) + log(1 + exp(-|x|)).
func expandSoftplus(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	minus := b.Op(ir.OpNeg, b.Op(ir.OpAbs, x))
	if b.isSingle(x) {
		e := b.exp32(b.Cast(ir.Float64, b.atLeast(minus, -110)))
		x = b.positivePart(b.Cast(ir.Float64, x))
		return b.Cast(ir.Float32, b.Op(ir.OpFMA, e, b.estrin(e, log1pPoly32), x))
	}
	return b.softplus64(x, b.atLeast(minus, -760))
}

// expandMish uses tanh(log(1+e)) = n/(n+2), n = e*(e+2).
func expandMish(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		x = b.zeroBelow(x, -120)
		e := b.exp32(b.Cast(ir.Float64, b.upTo(x, 40)))
		n := b.Op(ir.OpMul, e, b.Op(ir.OpAdd, e, b.f64(2)))
		x = b.Op(ir.OpMul, b.Cast(ir.Float64, x), n)
		return b.Cast(ir.Float32, b.Op(ir.OpDiv, x, b.Op(ir.OpAdd, n, b.f64(2))))
	}
	x = b.zeroBelow(x, -760)
	return b.mish64(x, b.upTo(x, 40))
}

// zeroBelow replaces x below lo by -0. The functions that call it are x times something, and round to -0 there. Of x
// itself they would compute a product that underflows, for which processors take a hundred cycles, or of an infinity and 0.
func (b *builder) zeroBelow(x kernel.Ref, lo float64) kernel.Ref {
	d := b.DType(x)
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.Float(d, lo)), b.Float(d, negativeZero), x)
}

// atLeast bounds x from below; NaN stays.
func (b *builder) atLeast(x kernel.Ref, lo float64) kernel.Ref {
	least := b.Float(b.DType(x), lo)
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, least), least, x)
}
