package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The logistic function and functions derived from it. sigmoid, silu and gelutanh of float32 use
//
// 	s(y, u) = y/(1+exp(u)), u >= 0
//
// silu(x) is max(x, 0) - s(|x|, |x|), and 1/(1+exp(-x)) is s(1, |x|) for negative x, else 1 less that. exp(u) is a power of 2 times an entry
// of a table times 1+rest, with a small rest. softplus and mish compute in float64 with the accuracy of float32 and round once.

var negativeZero = math.Copysign(0, -1)

// log(1+e)/e for 0 <= e <= 1, relative error 2^-30.3.
var log1pPoly32 = []float64{0x1.fffffff99dbbap-1, -0x1.fffff38a538fdp-2, 0x1.55534e1b7e7afp-2, -0x1.ffbd43465b112p-3, 0x1.975ccdd9de705p-3, -0x1.49d835ded0e92p-3, 0x1.fca8c01a9eadbp-4, -0x1.51ae74bc81aabp-4, 0x1.53ca2ab354b5dp-5, -0x1.b7568c410a03fp-7, 0x1.0a1b9ebbd623ep-9}

func expandSigmoid(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		above := b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.f32(0)), b.f32(0), b.f32(1))
		s := b.closed(b.f32(1), b.expOf(b.upTo(b.Op(ir.OpAbs, x), 116)))
		return b.Op(ir.OpAbs, b.minusClosed(above, s))
	}
	return b.sigmoid64(b.clamp(x, -750, 40))
}

func expandSiLU(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		y := b.upTo(b.Op(ir.OpAbs, x), 118)
		return b.minusClosed(b.atLeast(x, negativeZero), b.closed(y, b.expOf(y)))
	}
	x = b.zeroBelow(x, -760)
	return b.gated64(x, pair{b.upTo(x, 41), b.f64(0)})
}

// expandGELUTanh uses (1 + tanh(u))/2 = 1/(1 + exp(-2u)).
func expandGELUTanh(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		y := b.upTo(b.Op(ir.OpAbs, x), 11.2)
		return b.minusClosed(b.atLeast(x, negativeZero), b.closed(y, b.geluPower(y)))
	}
	x = b.zeroBelow(x, -21.6)
	return b.geluTanh64(x, b.upTo(x, 9))
}

// 2*sqrt(2/pi) and 0.044715 times that.
const (
	geluLine = 0x1.9884533d43651p0
	geluCube = 0x1.2444f2a4d8b4bp-4
)

// gate is exp(u)*closedUnit, u >= 0: power*(1+rest), with a power of few bits.
type gate struct{ power, rest kernel.Ref }

// closedUnit is chosen so that neither a gate nor its inverse leaves the normal range while the result is positive. The functions bound u
// where results are below 2^-158: products that small are 0 at once, while products that may round to a subnormal number take
// processors a hundred cycles.
const (
	closedExp  = 60
	closedUnit = 0x1p-60
)

// 2^(j/8) to 21 bits, less j at the place of the eighths of an exponent, and what that lacks of 2^(j/8), relative to it.
var (
	eighthPowers = ir.NewTable([ir.TableLen]float32{0x1p0, 0x1.f72b80p-1, 0x1.f06fe0p-1, 0x1.ebfdb0p-1, 0x1.ea09e0p-1, 0x1.eace50p-1, 0x1.ee8a00p-1, 0x1.f58190p-1})
	eighthRests  = ir.NewTable([ir.TableLen]float32{0, 0x1.bbc0d2p-23, 0x1.125002p-25, -0x1.07f47cp-23, 0x1.21e7c8p-22, 0x1.573ac0p-23, -0x1.e843fap-23, -0x1.317d9ap-24})

	// Polynomials c with 1 + r*c(r) = exp(r), |r| <= log(2)/16, and 2^(r/8), |r| <= 0.5.
	expEighth  = []float64{1, 0x1p-1, 0x1.555c80p-3, 0x1.555a80p-5}
	exp2Eighth = []float64{0x1.62e430p-4, 0x1.ebfbe0p-9, 0x1.c6b8d2p-14, 0x1.3b2ef8p-19}
)

// eighth returns a gate. t is a sum with eighthMagic that has the eighths of the exponent in its low bits. r is the rest of the
// exponent, the argument of the polynomial c.
func (b *builder) eighth(t, r kernel.Ref, c []float64) gate {
	bits := b.Bitcast(ir.Int32, t)
	power := b.Op(ir.OpAdd, b.Op(ir.OpShl, bits, b.Int(ir.Int32, expLen32-3)), b.Bitcast(ir.Int32, b.Table(eighthPowers, bits)))
	return gate{b.Bitcast(ir.Float32, power), b.Op(ir.OpFMA, r, b.polyNative(r, c), b.Table(eighthRests, bits))}
}

const eighthMagic = magic32 - 8*closedExp

// expOf returns exp(x)*closedUnit for x >= 0.
func (b *builder) expOf(x kernel.Ref) gate {
	t := b.Op(ir.OpFMA, x, b.f32(8*log2e), b.f32(eighthMagic))
	k := b.Op(ir.OpSub, t, b.f32(eighthMagic))
	r := b.Op(ir.OpFMA, k, b.f32(-ln2Hi32/8), x)
	return b.eighth(t, b.Op(ir.OpFMA, k, b.f32(-ln2Lo32/8), r), expEighth)
}

// closed returns y*closedUnit/(closedUnit + g), except for its last rounding.
func (b *builder) closed(y kernel.Ref, g gate) kernel.Ref {
	unit := b.f32(closedUnit)
	d := b.Op(ir.OpFMA, g.power, g.rest, b.Op(ir.OpAdd, g.power, unit))
	lo := b.Op(ir.OpFMA, g.power, g.rest, b.Op(ir.OpAdd, b.Op(ir.OpSub, g.power, d), unit)) // what d lacks
	inv := b.Op(ir.OpDiv, b.f32(1), d)
	q := inv
	if y != b.f32(1) {
		q = b.Op(ir.OpMul, y, inv)
	}
	above := b.Op(ir.OpFMA, q, lo, b.Op(ir.OpFMA, q, d, b.Op(ir.OpNeg, y)))
	return b.Op(ir.OpFMA, b.Op(ir.OpNeg, above), inv, q)
}

// minusClosed returns x - s*closedUnit.
func (b *builder) minusClosed(x, s kernel.Ref) kernel.Ref {
	return b.Op(ir.OpFMA, b.Op(ir.OpNeg, s), b.f32(closedUnit), x)
}

// geluPower returns exp(2u)*closedUnit for u = sqrt(2/pi)*(x + 0.044715*x^3), x >= 0. The exponent is x times a slope of twice the precision, as
// its error is multiplied by up to 118. The product is computed twice, and rounded only where the whole number is taken
// from it.
func (b *builder) geluPower(x kernel.Ref) gate {
	w := b.geluSlope(x, geluLine8, geluCube8)
	t := b.Op(ir.OpFMA, x, w.hi, b.f32(eighthMagic))
	r := b.Op(ir.OpFMA, x, w.hi, b.Op(ir.OpSub, b.f32(eighthMagic), t))
	return b.eighth(t, b.Op(ir.OpFMA, x, w.lo, r), exp2Eighth)
}

// 8*geluLine/log(2) and 8*geluCube/log(2) as pairs; the first part of the line is short.
var (
	geluLine8 = [2]float64{0x1.26bp4, -0x1.3de432p-12}
	geluCube8 = [2]float64{0x1.a5a7dp-1, -0x1.151aaep-26}
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

// zeroBelow replaces x below lo by -0. Its callers compute x times a factor, which rounds to -0 there. With x itself they would compute a product
// that underflows, which takes processors a hundred cycles, or the product of an infinity and 0.
func (b *builder) zeroBelow(x kernel.Ref, lo float64) kernel.Ref {
	d := b.DType(x)
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.Float(d, lo)), b.Float(d, negativeZero), x)
}

// atLeast bounds x from below; NaN stays.
func (b *builder) atLeast(x kernel.Ref, lo float64) kernel.Ref {
	least := b.Float(b.DType(x), lo)
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, least), least, x)
}
