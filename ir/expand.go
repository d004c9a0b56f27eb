package ir

import "math"

// The expansions of composed ops into lane ops. Each is the one definition of
// its op on every engine and in Eval.

func expandGt(b *Builder, a []Ref) Ref { return b.Op(OpLt, a[1], a[0]) }
func expandGe(b *Builder, a []Ref) Ref { return b.Op(OpLe, a[1], a[0]) }

// expandSign keeps x where it is neither negative nor positive: zeros, NaN.
func expandSign(b *Builder, a []Ref) Ref {
	x, dt := a[0], b.DType(a[0])
	zero := b.Int(dt, 0)
	r := b.Op(OpSelect, b.Op(OpLt, zero, x), b.Int(dt, 1), x)
	if Unsigned.Has(dt) {
		return r
	}
	return b.Op(OpSelect, b.Op(OpLt, x, zero), b.Int(dt, -1), r)
}

func expandReciprocal(b *Builder, a []Ref) Ref {
	return b.Op(OpDiv, b.Int(b.DType(a[0]), 1), a[0])
}

func expandSquare(b *Builder, a []Ref) Ref { return b.Op(OpMul, a[0], a[0]) }

func expandClip(b *Builder, a []Ref) Ref {
	return b.Op(OpMin, b.Op(OpMax, a[0], a[1]), a[2])
}

// expandMod corrects the remainder, which has the sign of x, to that of y.
func expandMod(b *Builder, a []Ref) Ref {
	if Floats.Has(b.DType(a[0])) {
		return expandFloatMod(b, a)
	}
	r := b.Op(OpRem, a[0], a[1])
	if Unsigned.Has(b.DType(r)) {
		return r
	}
	return b.Op(OpSelect, signsDiffer(b, r, a[1]), b.Op(OpAdd, r, a[1]), r)
}

// expandFloorDiv lowers the truncated quotient by one where the remainder has
// not the sign of y.
func expandFloorDiv(b *Builder, a []Ref) Ref {
	if Floats.Has(b.DType(a[0])) {
		return expandFloatFloorDiv(b, a)
	}
	q := b.Op(OpDiv, a[0], a[1])
	dt := b.DType(q)
	if Unsigned.Has(dt) {
		return q
	}
	r := b.Op(OpRem, a[0], a[1])
	return b.Op(OpSelect, signsDiffer(b, r, a[1]), b.Op(OpSub, q, b.Int(dt, 1)), q)
}

// signsDiffer is true where r is not 0 and has not the sign of y.
func signsDiffer(b *Builder, r, y Ref) Ref {
	zero := b.Int(b.DType(r), 0)
	return b.Op(OpAnd, b.Op(OpNe, r, zero), b.Op(OpLt, b.Op(OpXor, r, y), zero))
}

func expandIsNaN(b *Builder, a []Ref) Ref { return b.Op(OpNe, a[0], a[0]) }

func expandIsInf(b *Builder, a []Ref) Ref {
	return b.Op(OpEq, b.Op(OpAbs, a[0]), b.Float(b.DType(a[0]), math.Inf(1)))
}

func expandIsFinite(b *Builder, a []Ref) Ref {
	return b.Op(OpLt, b.Op(OpAbs, a[0]), b.Float(b.DType(a[0]), math.Inf(1)))
}
