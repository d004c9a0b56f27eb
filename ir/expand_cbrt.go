package ir

import "math"

// The cube root, from y near a^(-1/3): a third of the bits of a, subtracted
// from a constant, is within 3.5% of it, and with h = 1 - a*y^3
//
//	a^(-1/3) = y * (1-h)^(-1/3) = y * (1 + h/3 + h^2*2/9 + h^3*14/81 + ...)
//
// There is no division.

func expandCbrt(b *Builder, a []Ref) Ref {
	x := a[0]
	t := b.Op(OpAbs, x)
	var y Ref
	if b.DType(x) == Float32 {
		y = b.Cast(Float32, b.cbrt32(b.Cast(Float64, t)))
	} else {
		y = b.cbrt64(t)
	}
	// Twice a zero, an infinity or a NaN is the same.
	edges := b.outside(t, 1, fromFloat(b.DType(x), math.Inf(1)))
	return b.withSign(b.Op(OpSelect, edges, b.Op(OpAdd, t, t), y), x)
}

// cbrt32 is cbrt with the accuracy of float32, for normal positive a.
func (b *Builder) cbrt32(a Ref) Ref {
	y := b.cbrtStep(a, b.cbrtGuess(a))
	c := b.Op(OpMul, b.Op(OpMul, a, y), y)
	h := b.Op(OpFMA, b.Op(OpNeg, c), y, b.f64(1))
	w := b.Op(OpFMA, h, b.f64(5./9), b.f64(2./3))
	return b.Op(OpFMA, b.Op(OpMul, c, h), w, c)
}

// cbrt64 is cbrt for positive a. One Newton step in twice the precision ends it.
func (b *Builder) cbrt64(a Ref) Ref {
	tiny := b.Op(OpLt, a, b.f64(0x1p-900))
	a = b.Op(OpSelect, tiny, b.Op(OpMul, a, b.f64(0x1p162)), a)
	y := b.cbrtStep(a, b.cbrtStep(a, b.cbrtGuess(a)))
	y2 := b.Op(OpMul, y, y)
	c := b.Op(OpMul, a, y2)
	s := b.twoProd(c, c)
	rest := b.Op(OpFMA, s.lo, c, b.Op(OpFMA, s.hi, c, b.Op(OpNeg, a))) // c^3 - a
	c = b.Op(OpFMA, rest, b.Op(OpMul, y2, b.f64(-1./3)), c)
	return b.Op(OpMul, c, b.Op(OpSelect, tiny, b.f64(0x1p-54), b.f64(1)))
}

// cbrtGuess divides the upper half of the bits of a by 3 as a float64 whose
// last place is 1: 2^52 + v turns into 2^52 + 2^51 + 0x553ef0ff - v/3.
func (b *Builder) cbrtGuess(a Ref) Ref {
	upper := b.Op(OpShr, b.Op(OpAnd, b.Bitcast(Int64, a), b.Const(Int64, 1<<63-1)), b.Int(Int64, 32))
	v := b.Bitcast(Float64, b.Op(OpOr, upper, b.Const(Int64, math.Float64bits(0x1p52))))
	t := b.Op(OpFMA, v, b.f64(-1./3), b.f64(magic+0x553ef0ff+0x1p52/3))
	return b.Bitcast(Float64, b.Op(OpShl, b.Bitcast(Int64, t), b.Int(Int64, 32)))
}

func (b *Builder) cbrtStep(a, y Ref) Ref {
	cube := b.Op(OpMul, b.Op(OpMul, y, y), y)
	h := b.Op(OpFMA, b.Op(OpNeg, a), cube, b.f64(1))
	w := b.horner(h, []float64{1. / 3, 2. / 9}, b.f64(14./81))
	return b.Op(OpFMA, b.Op(OpMul, y, h), w, y)
}
