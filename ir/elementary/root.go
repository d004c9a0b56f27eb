package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// 1/sqrt and hypot. They use only division and the square root, which all machines round alike, unlike reciprocal estimates.

// expandRsqrt improves y = 1/sqrt(x), which was rounded twice, by a step of Newton's method in which 1 - x*y*y is computed as if exactly. That
// is NaN for zeros and infinities, for which y is exact.
func expandRsqrt(b *builder, a []kernel.Ref) kernel.Ref {
	x, dt := a[0], b.DType(a[0])
	y := b.Op(ir.OpDiv, b.Int(dt, 1), b.Op(ir.OpSqrt, x))
	xy := b.twoProd(x, y)
	minus := b.Op(ir.OpNeg, y)
	h := b.Op(ir.OpFMA, minus, xy.hi, b.Int(dt, 1))
	h = b.Op(ir.OpFMA, minus, xy.lo, h)
	z := b.Op(ir.OpFMA, b.Op(ir.OpMul, y, b.Float(dt, 0.5)), h, y)
	return b.Op(ir.OpSelect, b.Op(ir.OpEq, z, z), z, y)
}

// expandHypot returns an infinity for an infinite operand even if the other is NaN. The squares of float32 are exact in float64, and far from
// the ends of its range.
func expandHypot(b *builder, a []kernel.Ref) kernel.Ref {
	x, y := b.Op(ir.OpAbs, a[0]), b.Op(ir.OpAbs, a[1])
	dt := b.DType(x)
	var h kernel.Ref
	if single(dt) {
		wx, wy := b.Cast(ir.Float64, x), b.Cast(ir.Float64, y)
		h = b.Cast(ir.Float32, b.Op(ir.OpSqrt, b.Op(ir.OpFMA, wx, wx, b.Op(ir.OpMul, wy, wy))))
	} else {
		h = b.hypot64(x, y)
	}
	inf := b.Float(dt, math.Inf(1))
	either := b.Op(ir.OpOr, b.Op(ir.OpEq, x, inf), b.Op(ir.OpEq, y, inf))
	return b.Op(ir.OpSelect, either, inf, h)
}

// hypot64 takes the root of the sum of squares, rounded once, of x and y that
// were scaled to where squares and their errors are in the normal range:
// at most 0.92 ULP.
func (b *builder) hypot64(x, y kernel.Ref) kernel.Ref {
	less := b.Op(ir.OpLt, x, y)
	large, small := b.Op(ir.OpSelect, less, y, x), b.Op(ir.OpSelect, less, x, y)
	down, up := b.Op(ir.OpLt, b.f64(0x1p400), large), b.Op(ir.OpLt, large, b.f64(0x1p-400))
	factor := func(s float64) kernel.Ref {
		return b.Op(ir.OpSelect, down, b.f64(1/s), b.Op(ir.OpSelect, up, b.f64(s), b.f64(1)))
	}
	large, small = b.Op(ir.OpMul, large, factor(0x1p640)), b.Op(ir.OpMul, small, factor(0x1p640))

	p, q := b.twoProd(large, large), b.twoProd(small, small)
	s := b.fastTwoSum(p.hi, q.hi)
	sum := b.Op(ir.OpAdd, s.hi, b.Op(ir.OpAdd, s.lo, b.Op(ir.OpAdd, p.lo, q.lo)))
	return b.Op(ir.OpMul, b.Op(ir.OpSqrt, sum), factor(0x1p-640))
}
