package elementary

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The fast tier of erf: float32 lanes alone. erf(a) = 1 - 2^-v where v, which
// is -log2(erfc(a)), is a times a polynomial: less of it is needed than of erf
// itself, as 2^-v shrinks.

var (
	// v/a, a <= 3.93; relative to erf below 2^-24.7.
	erfExponent = []float64{0x1.a0be84p0, 0x1.d63e34p-1, 0x1.2fc886p-3, -0x1.c8d18cp-6, 0x1.42737p-12, 0x1.d72db6p-10, -0x1.1e8386p-11, 0x1.e8e182p-15}
	// (1-2^-r)/r, |r| <= 0.5.
	exp2m1Minus = []float64{0x1.62e43p-1, -0x1.ebfbd8p-3, 0x1.c6af76p-5, -0x1.3b30a6p-7, 0x1.5f0b8cp-10, -0x1.3f9bcp-13}
)

func fastErf(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if !b.isSingle(x) {
		return expandErf(b, a)
	}
	y := b.upTo(b.Op(ir.OpAbs, x), 3.93)
	v := b.Op(ir.OpMul, y, b.polyNative(y, erfExponent))
	t := b.Op(ir.OpSub, b.f32(magic32+bias32), v)
	r := b.Op(ir.OpAdd, b.Op(ir.OpSub, t, b.f32(magic32+bias32)), v)
	e := b.powerNative(b.Bitcast(ir.Int32, t))
	p := b.Op(ir.OpMul, r, b.polyNative(r, exp2m1Minus))
	return b.withSign(b.Op(ir.OpFMA, e, p, b.Op(ir.OpSub, b.f32(1), e)), x)
}
