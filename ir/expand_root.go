package ir

import "math"

// 1/sqrt and hypot. Only division and the square root are used, which all
// machines round alike: their reciprocal estimates differ.

// expandRsqrt improves y = 1/sqrt(x), which was rounded twice, by a step of
// Newton's method with 1 - x*y*y computed as if exactly. That is NaN for zeros
// and infinities, where y is exact.
func expandRsqrt(b *Builder, a []Ref) Ref {
	x, dt := a[0], b.DType(a[0])
	y := b.Op(OpDiv, b.Int(dt, 1), b.Op(OpSqrt, x))
	xy := b.twoProd(x, y)
	minus := b.Op(OpNeg, y)
	h := b.Op(OpFMA, minus, xy.hi, b.Int(dt, 1))
	h = b.Op(OpFMA, minus, xy.lo, h)
	z := b.Op(OpFMA, b.Op(OpMul, y, b.Float(dt, 0.5)), h, y)
	return b.Op(OpSelect, b.Op(OpEq, z, z), z, y)
}

// expandHypot gives an infinity even with a NaN. The squares of float32 are
// exact in float64, and far from the ends of its range.
func expandHypot(b *Builder, a []Ref) Ref {
	x, y := b.Op(OpAbs, a[0]), b.Op(OpAbs, a[1])
	dt := b.DType(x)
	var h Ref
	if dt == Float32 {
		wx, wy := b.Cast(Float64, x), b.Cast(Float64, y)
		h = b.Cast(Float32, b.Op(OpSqrt, b.Op(OpFMA, wx, wx, b.Op(OpMul, wy, wy))))
	} else {
		h = b.hypot64(x, y)
	}
	inf := b.Float(dt, math.Inf(1))
	either := b.Op(OpOr, b.Op(OpEq, x, inf), b.Op(OpEq, y, inf))
	return b.Op(OpSelect, either, inf, h)
}

// hypot64 takes the root of the sum of squares, rounded once, of x and y that
// were scaled to where squares and their errors are in the normal range:
// at most 0.92 ULP.
func (b *Builder) hypot64(x, y Ref) Ref {
	less := b.Op(OpLt, x, y)
	large, small := b.Op(OpSelect, less, y, x), b.Op(OpSelect, less, x, y)
	down, up := b.Op(OpLt, b.f64(0x1p400), large), b.Op(OpLt, large, b.f64(0x1p-400))
	factor := func(s float64) Ref {
		return b.Op(OpSelect, down, b.f64(1/s), b.Op(OpSelect, up, b.f64(s), b.f64(1)))
	}
	large, small = b.Op(OpMul, large, factor(0x1p640)), b.Op(OpMul, small, factor(0x1p640))

	p, q := b.twoProd(large, large), b.twoProd(small, small)
	s := b.fastTwoSum(p.hi, q.hi)
	sum := b.Op(OpAdd, s.hi, b.Op(OpAdd, s.lo, b.Op(OpAdd, p.lo, q.lo)))
	return b.Op(OpMul, b.Op(OpSqrt, sum), factor(0x1p-640))
}
