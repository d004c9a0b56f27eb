package ir

import "math"

// The remainders of floats. x - n*y is a float for the integer n nearest to x/y,
// and one FMA finds it: fmod is exact, and mod too but for adding y, which rounds.

const modBits = 52 // of the quotient that a step takes off

// expandFMod is C's fmod.
func expandFMod(b *Builder, a []Ref) Ref { return b.withSign(b.absMod(a[0], a[1]), a[0]) }

// expandFloatMod is Python's and NumPy's %: fmod, to which y is added where the
// signs differ. -1e-20 % 1 is 1, -5 % inf is inf.
func expandFloatMod(b *Builder, a []Ref) Ref {
	x, y := a[0], a[1]
	r := b.absMod(x, y)
	add := b.Op(OpAnd, b.oppositeSigns(x, y), b.Op(OpNe, r, b.Int(b.DType(r), 0)))
	r = b.Op(OpSelect, add, b.Op(OpSub, b.Op(OpAbs, y), r), r)
	return b.withSign(r, y)
}

// expandFloatFloorDiv is the greatest integer of x/y: the integer near the
// quotient, less one if the remainder has not the sign of y. From 2^53 on it is
// x/y rounded, which is the greatest integer rounded but for ties: there it may be
// either neighbour. As in Python and NumPy x // 0 is x / 0, and else it is NaN for
// an infinite x.
func expandFloatFloorDiv(b *Builder, a []Ref) Ref {
	x, y, dt := a[0], a[1], b.DType(a[0])
	if dt == Float32 {
		x, y = b.Cast(Float64, x), b.Cast(Float64, y)
		return b.Cast(dt, expandFloatFloorDiv(b, []Ref{x, y}))
	}
	inf := b.f64(math.Inf(1))
	q := b.Op(OpDiv, x, y)
	n := b.Op(OpRound, q)
	r := b.Op(OpFMA, b.Op(OpNeg, n), y, x)
	r = b.Op(OpSelect, b.Op(OpEq, b.Op(OpAbs, y), inf), x, r)
	low := b.Op(OpAnd, b.Op(OpNe, r, b.f64(0)), b.oppositeSigns(r, y))
	low = b.Op(OpAnd, low, b.Op(OpLt, b.Op(OpAbs, n), b.f64(1<<53)))
	n = b.Op(OpSelect, low, b.Op(OpSub, n, b.f64(1)), n)
	none := b.Op(OpAnd, b.Op(OpEq, b.Op(OpAbs, x), inf), b.Op(OpNe, y, b.f64(0)))
	return b.Op(OpSelect, none, b.Op(OpSub, x, x), n)
}

// oppositeSigns is true where one of x and y has a sign bit.
func (b *Builder) oppositeSigns(x, y Ref) Ref {
	bits := b.bitsOf(x)
	return b.Op(OpLt, b.Op(OpXor, b.Bitcast(bits, x), b.Bitcast(bits, y)), b.Int(bits, 0))
}

// absMod returns fmod(|x|, |y|). Quotients of float32 go up to 2^277, of float64
// up to 2^2098.
func (b *Builder) absMod(x, y Ref) Ref {
	x, y = b.Op(OpAbs, x), b.Op(OpAbs, y)
	var r Ref
	if b.DType(x) == Float32 {
		r = b.Cast(Float32, b.mod64(b.Cast(Float64, x), b.Cast(Float64, y), 277))
	} else {
		r = b.mod64(x, y, 2098)
	}
	return b.Op(OpSelect, b.Op(OpLt, x, y), x, r) // y may be infinite
}

// mod64 returns x mod y for x, y >= 0 and x/y < 2^bits. An infinite x and a y
// of 0 end as NaN in modStep.
func (b *Builder) mod64(x, y Ref, bits int) Ref {
	q := b.Op(OpDiv, x, y)
	near := b.modStep(x, y)
	large := b.Op(OpLe, b.f64(1<<modBits), q)
	r := b.Op(OpSeldom, large, b.modLarge(x, y, bits), near)
	return b.Op(OpSelect, b.Op(OpLt, r, b.f64(0)), b.Op(OpAdd, r, y), r)
}

// modLarge reduces x by multiples of y*2^k, with k going down to 0 from where
// y*2^k has the exponent of x. What is left is at most y/2 in magnitude.
func (b *Builder) modLarge(x, y Ref, bits int) Ref {
	const fraction = 1<<expLen - 1
	normal := b.Op(OpSelect, b.Op(OpLt, y, b.f64(0x1p-1022)), b.Op(OpMul, y, b.f64(0x1p54)), y)
	multiple := b.Bitcast(Float64, b.Op(OpOr,
		b.Op(OpAnd, b.Bitcast(Int64, normal), b.Const(Int64, fraction)),
		b.Op(OpAnd, b.Bitcast(Int64, x), b.Int(Int64, ^fraction))))
	r := b.modStep(x, multiple)
	for done := modBits; done < bits; done += modBits {
		multiple = b.Op(OpMul, multiple, b.f64(1.0/(1<<modBits)))
		multiple = b.Op(OpSelect, b.Op(OpLt, multiple, y), y, multiple)
		r = b.modStep(r, multiple)
	}
	return b.modStep(r, y)
}

// modStep returns x - n*y for the integer n nearest to x/y, |x/y| < 2^52. The
// rounding of the quotient may leave up to 3/4 of y.
func (b *Builder) modStep(x, y Ref) Ref {
	n := b.Op(OpRound, b.Op(OpDiv, x, y))
	return b.Op(OpFMA, b.Op(OpNeg, n), y, x)
}
