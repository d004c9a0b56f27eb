package ir

// The fast tier of the hyperbolic functions: float32 lanes alone.

// fastTanh is h/(h+1) with h = (exp(2x)-1)/2.
func fastTanh(b *Builder, a []Ref) Ref {
	x := a[0]
	if b.DType(x) == Float64 {
		return expandTanh(b, a)
	}
	t := b.upTo(b.Op(OpAbs, x), 10)
	h := b.halfExpm1Native(b.Op(OpAdd, t, t))
	return b.withSign(b.Op(OpDiv, h, b.Op(OpAdd, h, b.f32(1))), x)
}

func fastSinh(b *Builder, a []Ref) Ref {
	if b.DType(a[0]) == Float64 {
		return expandSinh(b, a)
	}
	return b.withSign(b.hyperbolicNative(b.Op(OpAbs, a[0]), true), a[0])
}

func fastCosh(b *Builder, a []Ref) Ref {
	if b.DType(a[0]) == Float64 {
		return expandCosh(b, a)
	}
	return b.hyperbolicNative(b.Op(OpAbs, a[0]), false)
}

// hyperbolicNative is sinh or cosh of a float32 x >= 0, by the addition
// theorem. It doubles half the result, as 2^k may be beyond the range; 2^-k is
// 0 where it would be below.
func (b *Builder) hyperbolicNative(x Ref, odd bool) Ref {
	k, r := b.reduceNative(b.upTo(x, 89.42), 1, bias32-2)
	y := b.Op(OpMul, r, r)
	c := b.Op(OpFMA, y, b.polyNative(y, coshPolyNative), b.f32(1))
	s := b.Op(OpFMA, b.Op(OpMul, r, y), b.polyNative(y, sinhPolyNative), r)

	up := b.powerNative(k)
	down := b.Op(OpSub, b.Int(Int32, (2*bias32-4)<<expLen32), b.Bitcast(Int32, up))
	downF := b.Bitcast(Float32, b.Op(OpMax, down, b.Int(Int32, 0)))
	same, other := oddFirst(b.Op(OpSub, up, downF), b.Op(OpAdd, up, downF), odd)
	h := b.Op(OpFMA, c, same, b.Op(OpMul, s, other))
	return b.Op(OpAdd, h, h)
}
