package elementary

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// fastELU is expandELU in float32 lanes.
func fastELU(b *builder, a []kernel.Ref) kernel.Ref {
	x, y := a[0], a[1]
	if !b.isSingle(x) {
		return expandELU(b, a)
	}
	h := b.halfExpm1Native(b.clamp(x, -20, 0))
	neg := b.Op(ir.OpMul, b.Op(ir.OpAdd, h, h), y)
	pos := b.Op(ir.OpMul, x, b.Op(ir.OpSelect, b.Op(ir.OpLt, b.f32(0), x), b.f32(1), y))
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.f32(-tinyExp)), neg, pos)
}

func fastSELU(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if !b.isSingle(x) {
		return expandSELU(b, a)
	}
	h := b.halfExpm1Native(b.clamp(x, -20, 0))
	neg := b.Op(ir.OpMul, h, b.f32(2*seluNegative[0]))
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.f32(0)), neg, b.Op(ir.OpMul, x, b.f32(seluScale[0])))
}
