package ir

// fastELU is expandELU in float32 lanes.
func fastELU(b *Builder, a []Ref) Ref {
	x, y := a[0], a[1]
	if b.DType(x) == Float64 {
		return expandELU(b, a)
	}
	h := b.halfExpm1Native(b.clamp(x, -20, 0))
	neg := b.Op(OpMul, b.Op(OpAdd, h, h), y)
	pos := b.Op(OpMul, x, b.Op(OpSelect, b.Op(OpLt, b.f32(0), x), b.f32(1), y))
	return b.Op(OpSelect, b.Op(OpLt, x, b.f32(-tinyExp)), neg, pos)
}

func fastSELU(b *Builder, a []Ref) Ref {
	x := a[0]
	if b.DType(x) == Float64 {
		return expandSELU(b, a)
	}
	h := b.halfExpm1Native(b.clamp(x, -20, 0))
	neg := b.Op(OpMul, h, b.f32(2*seluNegative[0]))
	return b.Op(OpSelect, b.Op(OpLt, x, b.f32(0)), neg, b.Op(OpMul, x, b.f32(seluScale[0])))
}
