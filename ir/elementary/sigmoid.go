package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The logistic function and what is made of it. The float32 forms compute in
// float64 with the accuracy of float32 and round once.

var negativeZero = math.Copysign(0, -1)

// log(1+e)/e for 0 <= e <= 1, relative error 2^-30.3.
var log1pPoly32 = []float64{0x1.fffffff99dbbap-1, -0x1.fffff38a538fdp-2, 0x1.55534e1b7e7afp-2, -0x1.ffbd43465b112p-3, 0x1.975ccdd9de705p-3, -0x1.49d835ded0e92p-3, 0x1.fca8c01a9eadbp-4, -0x1.51ae74bc81aabp-4, 0x1.53ca2ab354b5dp-5, -0x1.b7568c410a03fp-7, 0x1.0a1b9ebbd623ep-9}

func expandSigmoid(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		x = b.Cast(ir.Float64, b.clamp(x, -110, 110))
		return b.Cast(ir.Float32, b.gate32(b.f64(1), x))
	}
	return b.sigmoid64(b.clamp(x, -750, 40))
}

// expandSiLU bounds x from below, where the result is -0 already, so that it
// is not the product of an infinity and 0.
func expandSiLU(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		x = b.atLeast(x, -120)
		w := b.Cast(ir.Float64, x)
		return b.Cast(ir.Float32, b.gate32(w, b.Cast(ir.Float64, b.upTo(x, 120))))
	}
	x = b.atLeast(x, -760)
	return b.gated64(x, pair{b.upTo(x, 41), b.f64(0)})
}

// expandGELUTanh uses (1 + tanh(u))/2 = 1/(1 + exp(-2u)).
func expandGELUTanh(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		x = b.atLeast(x, -11)
		w := b.Cast(ir.Float64, b.upTo(x, 11))
		inner := b.Op(ir.OpFMA, b.Op(ir.OpMul, w, w), b.f64(geluCube), b.f64(geluLine))
		return b.Cast(ir.Float32, b.gate32(b.Cast(ir.Float64, x), b.Op(ir.OpMul, w, inner)))
	}
	x = b.atLeast(x, -21.6)
	return b.geluTanh64(x, b.upTo(x, 9))
}

// 2*sqrt(2/pi) and 0.044715 times that.
const (
	geluLine = 0x1.9884533d43651p0
	geluCube = 0x1.2444f2a4d8b4bp-4
)

// gate32 is y/(1+exp(-x)) with the accuracy of float32.
func (b *builder) gate32(y, x kernel.Ref) kernel.Ref {
	return b.Op(ir.OpDiv, y, b.Op(ir.OpAdd, b.exp32(b.Op(ir.OpNeg, x)), b.f64(1)))
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
