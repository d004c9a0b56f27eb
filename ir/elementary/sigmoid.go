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
		return b.gated(b.f32(1), b.gate(b.gateParts(b.clamp(x, -104, 40))))
	}
	return b.sigmoid64(b.clamp(x, -750, 40))
}

// expandSiLU bounds x from below, where the result is -0 already, so that it
// is not the product of an infinity and 0.
func expandSiLU(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		x = b.atLeast(x, -109)
		y := b.gated(x, b.gate(b.gateParts(x)))
		return b.Op(ir.OpSelect, b.Op(ir.OpLt, b.f32(18), x), x, y)
	}
	x = b.atLeast(x, -760)
	return b.gated64(x, pair{b.upTo(x, 41), b.f64(0)})
}

// expandGELUTanh uses (1 + tanh(u))/2 = 1/(1 + exp(-2u)). For float32 it computes
// 2u = x*(line + cube*x^2) with twice the bits, as in fastGELUTanh.
func expandGELUTanh(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		x = b.atLeast(x, -10.83)
		u := b.geluGate(x)
		r, k := b.gateParts(u.hi)
		r.lo = b.Op(ir.OpAdd, r.lo, u.lo)
		y := b.gated(x, b.gate(r, k))
		return b.Op(ir.OpSelect, b.Op(ir.OpLt, b.f32(6), x), x, y)
	}
	x = b.atLeast(x, -21.6)
	return b.geluTanh64(x, b.upTo(x, 9))
}

// 2*sqrt(2/pi) and 0.044715 times that.
const (
	geluLine = 0x1.9884533d43651p0
	geluCube = 0x1.2444f2a4d8b4bp-4
)

// gateParts returns x + k*ln2, and k - gateExp plus the bias of the exponent.
func (b *builder) gateParts(x kernel.Ref) (r pair, k kernel.Ref) {
	t := b.scaleNative(x, -1, bias32-gateExp)
	return b.reduceParts(x, t, -1, bias32-gateExp), b.Bitcast(ir.Int32, t)
}

// gate returns (1+exp(-x))*gateUnit of what gateParts returns.
func (b *builder) gate(r pair, k kernel.Ref) pair {
	e, unit := b.powerNative(k), b.f32(gateUnit)
	r = b.expParts(r, -1)
	p := b.Op(ir.OpSub, b.f32(1), b.sum(r))
	rest := b.Op(ir.OpSub, b.Op(ir.OpSub, b.Op(ir.OpSub, b.f32(1), p), r.hi), r.lo)
	p = b.Op(ir.OpMul, p, e)
	less := b.Op(ir.OpLt, p, unit)
	d := b.fastTwoSum(b.Op(ir.OpSelect, less, unit, p), b.Op(ir.OpSelect, less, p, unit))
	return pair{d.hi, b.Op(ir.OpFMA, e, rest, d.lo)}
}

// gated returns x*gateUnit/gate. With these signs it keeps that of 0.
func (b *builder) gated(x kernel.Ref, gate pair) kernel.Ref {
	one := b.f32(1)
	inv := b.Op(ir.OpDiv, one, gate.hi)
	q := inv
	if x != one {
		q = b.Op(ir.OpMul, x, inv)
	}
	above := b.Op(ir.OpFMA, q, gate.lo, b.Op(ir.OpFMA, q, gate.hi, b.Op(ir.OpNeg, x)))
	return b.Op(ir.OpMul, b.Op(ir.OpFMA, b.Op(ir.OpNeg, above), inv, q), b.f32(gateUnit))
}

// The parts of geluLine and geluCube in float32; the first of the line is short.
var (
	geluLineParts = [2]float64{0x1.988p0, 0x1.14cf5p-14}
	geluCubeParts = [2]float64{0x1.2444f2p-4, 0x1.49b16ap-29}
)

// geluGate returns x*(geluLine + geluCube*x^2).
func (b *builder) geluGate(x kernel.Ref) pair {
	w := b.geluSlope(x, geluLineParts, geluCubeParts)
	u := b.twoProd(x, w.hi)
	return pair{u.hi, b.Op(ir.OpFMA, x, w.lo, u.lo)}
}

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
		x = b.atLeast(x, -120)
		e := b.exp32(b.Cast(ir.Float64, b.upTo(x, 40)))
		n := b.Op(ir.OpMul, e, b.Op(ir.OpAdd, e, b.f64(2)))
		x = b.Op(ir.OpMul, b.Cast(ir.Float64, x), n)
		return b.Cast(ir.Float32, b.Op(ir.OpDiv, x, b.Op(ir.OpAdd, n, b.f64(2))))
	}
	x = b.atLeast(x, -760)
	return b.mish64(x, b.upTo(x, 40))
}

// atLeast bounds x from below; NaN stays.
func (b *builder) atLeast(x kernel.Ref, lo float64) kernel.Ref {
	least := b.Float(b.DType(x), lo)
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, least), least, x)
}
