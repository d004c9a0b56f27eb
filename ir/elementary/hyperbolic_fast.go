package elementary

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The fast tier of the hyperbolic functions, in float32 lanes only.

// tanh(x/2) is sine/cosine/2 with two polynomials, |x| <= 9.02, whose first terms are x and 1. With these coefficients no result exceeds 1
// and the error is below 4 ULP; few other coefficients achieve that.
var (
	tanhSine   = []float64{0x1.e7e35ep-6, 0x1.dfa872p-14} // (sine-x)/x^3
	tanhCosine = []float64{1, 0x1.cf4e2ap-4, 0x1.3c6b56p-10, 0x1.4a6898p-20}
)

// fastTanh is 2t/(1+t^2) with t = tanh(x/2) = s/(2c), which is s*c/(c^2+(s/2)^2). Where s/2 is almost c, their errors hardly
// matter. In a plain quotient of polynomials they matter in full, and add up to more than 4 ULP.
func fastTanh(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if !b.isSingle(x) {
		return expandTanh(b, a)
	}
	x = b.clamp(x, -9.02, 9.02)
	y := b.Op(ir.OpMul, x, x)
	s := b.Op(ir.OpFMA, b.Op(ir.OpMul, x, y), b.polyNative(y, tanhSine), x)
	c := b.polyNative(y, tanhCosine)
	h := b.Op(ir.OpMul, s, b.f32(0.5))
	return b.Op(ir.OpDiv, b.Op(ir.OpMul, s, c), b.Op(ir.OpFMA, c, c, b.Op(ir.OpMul, h, h)))
}

func fastSinh(b *builder, a []kernel.Ref) kernel.Ref {
	if !b.isSingle(a[0]) {
		return expandSinh(b, a)
	}
	x := b.Op(ir.OpAbs, a[0])
	y := b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.f32(0x1p-30)), x, b.hyperbolicNative(x, true))
	return b.withSign(y, a[0])
}

func fastCosh(b *builder, a []kernel.Ref) kernel.Ref {
	if !b.isSingle(a[0]) {
		return expandCosh(b, a)
	}
	return b.hyperbolicNative(b.Op(ir.OpAbs, a[0]), false)
}

// hyperbolicNative is sinh or cosh of a float32 x >= 0, by the addition theorem. It computes half the result and doubles it, as 2^k may be
// out of range; 2^-k is 0 where it would be below the range.
func (b *builder) hyperbolicNative(x kernel.Ref, odd bool) kernel.Ref {
	k, r := b.reduceNative(b.upTo(x, 89.42), 1, bias32-2)
	y := b.Op(ir.OpMul, r, r)
	c := b.Op(ir.OpFMA, y, b.polyNative(y, coshPolyNative), b.f32(1))
	s := b.Op(ir.OpFMA, b.Op(ir.OpMul, r, y), b.polyNative(y, sinhPolyNative), r)

	up := b.powerNative(k)
	down := b.Op(ir.OpSub, b.Int(ir.Int32, (2*bias32-4)<<expLen32), b.Bitcast(ir.Int32, up))
	downF := b.Bitcast(ir.Float32, b.Op(ir.OpMax, down, b.Int(ir.Int32, 0)))
	same, other := oddFirst(b.Op(ir.OpSub, up, downF), b.Op(ir.OpAdd, up, downF), odd)
	h := b.Op(ir.OpFMA, c, same, b.Op(ir.OpMul, s, other))
	return b.Op(ir.OpAdd, h, h)
}
