package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The cube root, from y near a^(-1/3): a third of the bits of a, subtracted
// from a constant, is within 3.5% of it, and with h = 1 - a*y^3
//
//	a^(-1/3) = y * (1-h)^(-1/3) = y * (1 + h/3 + h^2*2/9 + h^3*14/81 + ...)
//
// There is no division.

func expandCbrt(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	t := b.Op(ir.OpAbs, x)
	var y kernel.Ref
	if b.isSingle(x) {
		y = b.Cast(ir.Float32, b.cbrt32(b.Cast(ir.Float64, t)))
	} else {
		y = b.cbrt64(t)
	}
	// Twice a zero, an infinity or a NaN is the same.
	edges := b.outside(t, 1, ir.FromFloat(b.DType(x), math.Inf(1)))
	return b.withSign(b.Op(ir.OpSelect, edges, b.Op(ir.OpAdd, t, t), y), x)
}

// cbrt32 is the cube root with the accuracy of float32, for normal positive a.
func (b *builder) cbrt32(a kernel.Ref) kernel.Ref {
	y := b.cbrtStep(a, b.cbrtGuess(a))
	c := b.Op(ir.OpMul, b.Op(ir.OpMul, a, y), y)
	h := b.Op(ir.OpFMA, b.Op(ir.OpNeg, c), y, b.f64(1))
	w := b.Op(ir.OpFMA, h, b.f64(5./9), b.f64(2./3))
	return b.Op(ir.OpFMA, b.Op(ir.OpMul, c, h), w, c)
}

// cbrt64 is the cube root of positive a. It ends with one Newton step in twice the precision.
func (b *builder) cbrt64(a kernel.Ref) kernel.Ref {
	tiny := b.Op(ir.OpLt, a, b.f64(0x1p-900))
	a = b.Op(ir.OpSelect, tiny, b.Op(ir.OpMul, a, b.f64(0x1p162)), a)
	y := b.cbrtStep(a, b.cbrtStep(a, b.cbrtGuess(a)))
	y2 := b.Op(ir.OpMul, y, y)
	c := b.Op(ir.OpMul, a, y2)
	s := b.twoProd(c, c)
	rest := b.Op(ir.OpFMA, s.lo, c, b.Op(ir.OpFMA, s.hi, c, b.Op(ir.OpNeg, a))) // c^3 - a
	c = b.Op(ir.OpFMA, rest, b.Op(ir.OpMul, y2, b.f64(-1./3)), c)
	return b.Op(ir.OpMul, c, b.Op(ir.OpSelect, tiny, b.f64(0x1p-54), b.f64(1)))
}

// cbrtGuess divides the upper half of the bits of a by 3 as a float64 whose
// last place is 1: 2^52 + v turns into 2^52 + 2^51 + 0x553ef0ff - v/3.
func (b *builder) cbrtGuess(a kernel.Ref) kernel.Ref {
	upper := b.Op(ir.OpShr, b.Op(ir.OpAnd, b.Bitcast(ir.Int64, a), b.Const(ir.Int64, 1<<63-1)), b.Int(ir.Int64, 32))
	v := b.Bitcast(ir.Float64, b.Op(ir.OpOr, upper, b.Const(ir.Int64, math.Float64bits(0x1p52))))
	t := b.Op(ir.OpFMA, v, b.f64(-1./3), b.f64(magic+0x553ef0ff+0x1p52/3))
	return b.Bitcast(ir.Float64, b.Op(ir.OpShl, b.Bitcast(ir.Int64, t), b.Int(ir.Int64, 32)))
}

func (b *builder) cbrtStep(a, y kernel.Ref) kernel.Ref {
	cube := b.Op(ir.OpMul, b.Op(ir.OpMul, y, y), y)
	h := b.Op(ir.OpFMA, b.Op(ir.OpNeg, a), cube, b.f64(1))
	w := b.horner(h, []float64{1. / 3, 2. / 9}, b.f64(14./81))
	return b.Op(ir.OpFMA, b.Op(ir.OpMul, y, h), w, y)
}
