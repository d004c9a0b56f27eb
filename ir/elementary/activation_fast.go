package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// fastELU is expandELU in float32 lanes.
func fastELU(b *builder, a []kernel.Ref) kernel.Ref {
	x, y := a[0], a[1]
	if !b.isSingle(x) {
		return expandELU(b, a)
	}
	neg := b.Op(ir.OpMul, b.expm1Native(b.clamp(x, -20, 0), 1), y)
	pos := b.Op(ir.OpMul, x, b.Op(ir.OpSelect, b.Op(ir.OpLt, b.f32(0), x), b.f32(1), y))
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.f32(-tinyExp)), neg, pos)
}

func fastSELU(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if !b.isSingle(x) {
		return expandSELU(b, a)
	}
	neg := b.Op(ir.OpMul, b.expm1Native(b.clamp(x, -20, 0), 1), b.f32(seluNegative[0]))
	scale := math.Ldexp(math.Floor(math.Ldexp(seluScale[0], 23)), -23)                   // from below: the rest has its sign
	pos := b.Op(ir.OpFMA, x, b.f32(scale), b.Op(ir.OpMul, x, b.f32(seluScale[0]-scale))) // overflows where the exact product does
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.f32(0)), neg, pos)
}
