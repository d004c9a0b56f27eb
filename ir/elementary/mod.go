package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The remainders of floats. x - n*y is a float for the integer n nearest to x/y, and one FMA computes it. So fmod is exact, and mod is
// exact up to the addition of y, which rounds.

const modBits = 52 // of the quotient that a step takes off

// expandFMod is C's fmod.
func expandFMod(b *builder, a []kernel.Ref) kernel.Ref { return b.withSign(b.absMod(a[0], a[1]), a[0]) }

// expandFloatMod is Python's and NumPy's %: fmod plus y if the signs differ. -1e-20 % 1 is 1, -5 % inf is inf.
func expandFloatMod(b *builder, a []kernel.Ref) kernel.Ref {
	x, y := a[0], a[1]
	r := b.absMod(x, y)
	add := b.Op(ir.OpAnd, b.oppositeSigns(x, y), b.Op(ir.OpNe, r, b.Int(b.DType(r), 0)))
	r = b.Op(ir.OpSelect, add, b.Op(ir.OpSub, b.Op(ir.OpAbs, y), r), r)
	return b.withSign(r, y)
}

// expandFloatFloorDiv is the greatest integer below x/y: the integer near the quotient, less one if the remainder's sign differs from
// that of y. From 2^53 on it is x/y rounded, which is the greatest integer rounded, except that a tie may be rounded to either neighbour.
// As in Python and NumPy, x // 0 is x / 0, and for an infinite x the result is NaN.
func expandFloatFloorDiv(b *builder, a []kernel.Ref) kernel.Ref {
	x, y, dt := a[0], a[1], b.DType(a[0])
	if single(dt) {
		x, y = b.Cast(ir.Float64, x), b.Cast(ir.Float64, y)
		return b.Cast(dt, expandFloatFloorDiv(b, []kernel.Ref{x, y}))
	}
	inf := b.f64(math.Inf(1))
	q := b.Op(ir.OpDiv, x, y)
	n := b.Op(ir.OpRound, q)
	r := b.Op(ir.OpFMA, b.Op(ir.OpNeg, n), y, x)
	r = b.Op(ir.OpSelect, b.Op(ir.OpEq, b.Op(ir.OpAbs, y), inf), x, r)
	low := b.Op(ir.OpAnd, b.Op(ir.OpNe, r, b.f64(0)), b.oppositeSigns(r, y))
	low = b.Op(ir.OpAnd, low, b.Op(ir.OpLt, b.Op(ir.OpAbs, n), b.f64(1<<53)))
	n = b.Op(ir.OpSelect, low, b.Op(ir.OpSub, n, b.f64(1)), n)
	none := b.Op(ir.OpAnd, b.Op(ir.OpEq, b.Op(ir.OpAbs, x), inf), b.Op(ir.OpNe, y, b.f64(0)))
	return b.Op(ir.OpSelect, none, b.Op(ir.OpSub, x, x), n)
}

// oppositeSigns is true if exactly one of x and y has its sign bit set.
func (b *builder) oppositeSigns(x, y kernel.Ref) kernel.Ref {
	bits := b.bitsOf(x)
	return b.Op(ir.OpLt, b.Op(ir.OpXor, b.Bitcast(bits, x), b.Bitcast(bits, y)), b.Int(bits, 0))
}

// absMod returns fmod(|x|, |y|). Quotients of float32 go up to 2^277, of float64
// up to 2^2098.
func (b *builder) absMod(x, y kernel.Ref) kernel.Ref {
	x, y = b.Op(ir.OpAbs, x), b.Op(ir.OpAbs, y)
	var r kernel.Ref
	if b.isSingle(x) {
		r = b.Cast(ir.Float32, b.mod64(b.Cast(ir.Float64, x), b.Cast(ir.Float64, y), 277))
	} else {
		r = b.mod64(x, y, 2098)
	}
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, y), x, r) // y may be infinite
}

// mod64 returns x mod y for x, y >= 0 and x/y < 2^bits. For an infinite x or a y of 0 modStep returns NaN.
func (b *builder) mod64(x, y kernel.Ref, bits int) kernel.Ref {
	q := b.Op(ir.OpDiv, x, y)
	near := b.modStep(x, y)
	large := b.Op(ir.OpLe, b.f64(1<<modBits), q)
	r := b.Op(ir.OpUnlikely, large, b.modLarge(x, y, bits), near)
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, r, b.f64(0)), b.Op(ir.OpAdd, r, y), r)
}

// modLarge reduces x by multiples of y*2^k, for k from where y*2^k has the exponent of x down to 0. The rest is at most y/2 in
// magnitude.
func (b *builder) modLarge(x, y kernel.Ref, bits int) kernel.Ref {
	const fraction = 1<<expLen - 1
	normal := b.Op(ir.OpSelect, b.Op(ir.OpLt, y, b.f64(0x1p-1022)), b.Op(ir.OpMul, y, b.f64(0x1p54)), y)
	multiple := b.Bitcast(ir.Float64, b.Op(ir.OpOr,
		b.Op(ir.OpAnd, b.Bitcast(ir.Int64, normal), b.Const(ir.Int64, fraction)),
		b.Op(ir.OpAnd, b.Bitcast(ir.Int64, x), b.Int(ir.Int64, ^fraction))))
	r := b.modStep(x, multiple)
	for done := modBits; done < bits; done += modBits {
		multiple = b.Op(ir.OpMul, multiple, b.f64(1.0/(1<<modBits)))
		multiple = b.Op(ir.OpSelect, b.Op(ir.OpLt, multiple, y), y, multiple)
		r = b.modStep(r, multiple)
	}
	return b.modStep(r, y)
}

// modStep returns x - n*y for the integer n nearest to x/y, |x/y| < 2^52. As the quotient is rounded, the rest may be up to 3/4 of y.
func (b *builder) modStep(x, y kernel.Ref) kernel.Ref {
	n := b.Op(ir.OpRound, b.Op(ir.OpDiv, x, y))
	return b.Op(ir.OpFMA, b.Op(ir.OpNeg, n), y, x)
}
