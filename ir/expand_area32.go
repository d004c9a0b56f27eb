package ir

// The fast tier of asinh, acosh and atanh: logarithms within float32. Squares
// beyond its range are left to the default form.

const areaLimit = 0x1p60

func fastAsinh(b *Builder, a []Ref) Ref {
	x := a[0]
	if b.DType(x) == Float64 {
		return expandAsinh(b, a)
	}
	t := b.Op(OpAbs, x)
	s := b.Op(OpMul, t, t)
	root := b.Op(OpSqrt, b.Op(OpAdd, s, b.f32(1)))
	w := b.Op(OpAdd, t, b.Op(OpDiv, s, b.Op(OpAdd, root, b.f32(1))))
	return b.withSign(b.areaBelow(t, 0, w, b.asinh32), x)
}

func fastAcosh(b *Builder, a []Ref) Ref {
	x := a[0]
	if b.DType(x) == Float64 {
		return expandAcosh(b, a)
	}
	far := func(x Ref) Ref { return b.log1p32(b.acoshLess1(x)) }
	return b.areaBelow(x, 1, b.acoshLess1(x), far)
}

// areaBelow returns log(1+w) for x in [least, areaLimit), what far makes of x in
// float64 beyond, and the root of x - least where there is neither.
func (b *Builder) areaBelow(x Ref, least float64, w Ref, far func(x Ref) Ref) Ref {
	edge := b.Op(OpSqrt, b.Op(OpSub, x, b.f32(least)))
	finite := b.Op(OpAnd, b.Op(OpLe, b.f32(areaLimit), x), expandIsFinite(b, []Ref{x}))
	edge = b.Op(OpSelect, finite, b.Cast(Float32, far(b.Cast(Float64, x))), edge)
	outside := b.outside(x, fromFloat(Float32, least), fromFloat(Float32, areaLimit))
	return b.Op(OpSeldom, outside, edge, b.log1pNative(w))
}

func fastAtanh(b *Builder, a []Ref) Ref {
	x := a[0]
	if b.DType(x) == Float64 {
		return expandAtanh(b, a)
	}
	t := b.Op(OpAbs, x)
	below := b.Op(OpSub, b.f32(1), t)
	y := b.Op(OpMul, b.f32(0.5), b.log1pNative(b.Op(OpDiv, b.Op(OpAdd, t, t), below)))
	edge := b.Op(OpDiv, b.f32(1), b.Op(OpSqrt, below)) // +Inf at 1, NaN beyond
	return b.withSign(b.Op(OpSeldom, b.outside(t, 0, fromFloat(Float32, 1)), edge, y), x)
}
