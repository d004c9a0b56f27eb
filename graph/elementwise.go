package graph

import (
	"errors"

	"github.com/stridefuse/stridefuse/ir"
)

// Elementwise methods compute each element of the result from the elements at the same index of the operands, which
// broadcast. An operand is a Node, a *Tensor, or a Go number or bool that takes x's type. All operands have one type;
// nothing is promoted.

// Add returns x + y. Integers wrap.
func (x Node) Add(y any) Node { return x.elementwise(ir.OpAdd, y) }

// Sub returns x - y. Integers wrap.
func (x Node) Sub(y any) Node { return x.elementwise(ir.OpSub, y) }

// Mul returns x * y. Integers wrap.
func (x Node) Mul(y any) Node { return x.elementwise(ir.OpMul, y) }

// Div returns x / y. On integers it truncates towards zero; x/0 is 0, and the
// least integer divided by -1 is itself.
func (x Node) Div(y any) Node { return x.elementwise(ir.OpDiv, y) }

// FloorDiv returns x / y rounded down: Python's //. Integers give 0 where y is 0,
// floats what x / y is.
func (x Node) FloorDiv(y any) Node { return x.elementwise(ir.OpFloorDiv, y) }

// Mod returns x - y*FloorDiv(x, y), with the sign of y: Python's %. Where y is 0 the result is 0 for integers and NaN
// for floats.
func (x Node) Mod(y any) Node { return x.elementwise(ir.OpMod, y) }

// Rem returns the remainder of truncating division, with the sign of x: Go's % and math.Mod. It is exact. Where y is 0
// the result is 0 for integers and NaN for floats.
func (x Node) Rem(y any) Node {
	if ir.Reals.Has(x.DType()) {
		return x.elementwise(ir.OpFMod, y)
	}
	return x.elementwise(ir.OpRem, y)
}

// FMA returns x*y + z of floats, rounded once. Mul and Add round twice, and are never fused into it.
func (x Node) FMA(y, z any) Node { return x.elementwise(ir.OpFMA, y, z) }

// Neg returns -x.
func (x Node) Neg() Node { return x.elementwise(ir.OpNeg) }

// Abs returns the magnitude of x. The least integer stays as it is.
func (x Node) Abs() Node { return x.elementwise(ir.OpAbs) }

// Sign returns -1, 0 or 1 as x is negative, zero or positive. Zeros keep their
// sign, and NaN stays.
func (x Node) Sign() Node { return x.elementwise(ir.OpSign) }

// Sqrt returns the square root of floats, correctly rounded.
func (x Node) Sqrt() Node { return x.elementwise(ir.OpSqrt) }

// Reciprocal returns 1 / x of floats, correctly rounded.
func (x Node) Reciprocal() Node { return x.elementwise(ir.OpReciprocal) }

// Square returns x * x.
func (x Node) Square() Node { return x.elementwise(ir.OpSquare) }

// Minimum returns the least of x and the operands, element by element: NaN if
// any is, and -0 < +0, as Go's min. Of bools it is And. Min is the reduction.
func (x Node) Minimum(y any, more ...any) Node {
	op := ir.OpMin
	if x.DType() == Bool {
		op = ir.OpAnd
	}
	x = x.elementwise(op, y)
	for _, v := range more {
		x = x.elementwise(op, v)
	}
	return x
}

// Maximum returns the greatest of x and the operands, element by element: NaN if
// any is, and -0 < +0, as Go's max. Of bools it is Or. Max is the reduction.
func (x Node) Maximum(y any, more ...any) Node {
	op := ir.OpMax
	if x.DType() == Bool {
		op = ir.OpOr
	}
	x = x.elementwise(op, y)
	for _, v := range more {
		x = x.elementwise(op, v)
	}
	return x
}

// Clip returns min(max(x, lo), hi).
func (x Node) Clip(lo, hi any) Node { return x.elementwise(ir.OpClip, lo, hi) }

// Floor returns the greatest integer that is at most x, as a float.
func (x Node) Floor() Node { return x.elementwise(ir.OpFloor) }

// Ceil returns the least integer that is at least x, as a float.
func (x Node) Ceil() Node { return x.elementwise(ir.OpCeil) }

// Round returns the integer nearest to x, as a float. Halves go to the even one.
func (x Node) Round() Node { return x.elementwise(ir.OpRound) }

// Trunc returns x without its fraction, as a float.
func (x Node) Trunc() Node { return x.elementwise(ir.OpTrunc) }

// Significand returns a float32 or float64 divided by the power of 2 that brings it into [1, 2) or (-2, -1]. Zeros,
// infinities and NaN stay.
func (x Node) Significand() Node { return x.elementwise(ir.OpSignificand) }

// Exponent returns the exponent of the power of 2 that Significand divides by, as a float of the same type: 0 for
// zeros, infinities and NaN.
func (x Node) Exponent() Node { return x.elementwise(ir.OpExponent) }

// Ldexp returns x times 2 to the power y for float64, rounded once. y is first rounded to an integer, halves to even.
func (x Node) Ldexp(y any) Node { return x.elementwise(ir.OpLdexp, y) }

// Shl returns x << y on integers. y counts as unsigned; from x's width on the
// result is 0.
func (x Node) Shl(y any) Node { return x.elementwise(ir.OpShl, y) }

// Shr returns x >> y on integers. y counts as unsigned; signed x keep their sign.
func (x Node) Shr(y any) Node { return x.elementwise(ir.OpShr, y) }

// And returns x & y bit by bit; on bools, whether both are true.
func (x Node) And(y any) Node { return x.elementwise(ir.OpAnd, y) }

// Or returns x | y bit by bit; on bools, whether either is true.
func (x Node) Or(y any) Node { return x.elementwise(ir.OpOr, y) }

// Xor returns x ^ y bit by bit; on bools, whether exactly one is true.
func (x Node) Xor(y any) Node { return x.elementwise(ir.OpXor, y) }

// Not returns x with every bit flipped; on bools, the opposite.
func (x Node) Not() Node { return x.elementwise(ir.OpNot) }

// PopCount returns the number of set bits of an integer.
func (x Node) PopCount() Node { return x.elementwise(ir.OpPopCount) }

// BitLen returns the number of bits of an integer without leading zeros: 0 for 0.
func (x Node) BitLen() Node { return x.elementwise(ir.OpBitLen) }

// LeadingZeros returns the number of bits of an integer above its topmost set bit.
func (x Node) LeadingZeros() Node {
	y := x.BitLen()
	if y.Err() != nil {
		return y
	}
	return y.Scalar(8 * y.DType().Size()).Sub(y)
}

// AddSat returns x + y for integers of 8 or 16 bits, clipped to the range of the type.
func (x Node) AddSat(y any) Node { return x.elementwise(ir.OpAddSat, y) }

// SubSat returns x - y for integers of 8 or 16 bits, clipped to the range of the type.
func (x Node) SubSat(y any) Node { return x.elementwise(ir.OpSubSat, y) }

// Eq returns x == y as bools. NaN equals nothing.
func (x Node) Eq(y any) Node { return x.elementwise(ir.OpEq, y) }

// Ne returns x != y as bools. It is true where either is NaN.
func (x Node) Ne(y any) Node { return x.elementwise(ir.OpNe, y) }

// Lt returns x < y as bools.
func (x Node) Lt(y any) Node { return x.elementwise(ir.OpLt, y) }

// Le returns x <= y as bools.
func (x Node) Le(y any) Node { return x.elementwise(ir.OpLe, y) }

// Gt returns x > y as bools.
func (x Node) Gt(y any) Node { return x.elementwise(ir.OpGt, y) }

// Ge returns x >= y as bools.
func (x Node) Ge(y any) Node { return x.elementwise(ir.OpGe, y) }

// IsNaN returns whether a float is NaN.
func (x Node) IsNaN() Node { return x.elementwise(ir.OpIsNaN) }

// IsInf returns whether a float is an infinity, of either sign.
func (x Node) IsInf() Node { return x.elementwise(ir.OpIsInf) }

// IsFinite returns whether a float is neither NaN nor an infinity.
func (x Node) IsFinite() Node { return x.elementwise(ir.OpIsFinite) }

// Cast returns x as another type. Floats become integers by truncation; values out of range saturate, and NaN becomes
// 0. Integers wrap into smaller types. A cast to Bool is x != 0.
func (x Node) Cast(dt DType) Node { return apply(ir.OpCast, ir.Attr{DType: dt}, x.get()) }

// Where returns a where cond is true and b elsewhere; the three broadcast. At least one of a and b must be a Node or a
// *Tensor, from which a Go number takes its type. In dumps and errors the op is called select.
func Where(cond Node, a, b any) Node {
	dt := typeOf(a)
	if dt == ir.Invalid {
		dt = typeOf(b)
	}
	if isNumber(a) && isNumber(b) && cond.Err() == nil {
		return Node{poison(errors.New("both values are Go numbers, which have no type: make one a Scalar"), cond.get())}
	}
	args := []*node{cond.get(), operand(a, dt), operand(b, dt)}
	return apply(ir.OpSelect, ir.Attr{}, args...)
}

// isNumber reports whether an operand is a Go number, which takes its type from another operand.
func isNumber(v any) bool {
	switch v.(type) {
	case Node, *Tensor:
		return false
	}
	return true
}

// typeOf returns the element type of an operand, Invalid for a Go number.
func typeOf(v any) DType {
	switch v := v.(type) {
	case Node:
		return v.DType()
	case *Tensor:
		return v.DType()
	}
	return ir.Invalid
}

// Functions composed of other ops, with which they fuse.

// Lerp returns a + t*(b-a), where the product and the sum are rounded once: a at t = 0, and b at t = 1 up to the
// rounding of b-a. b and t may be Go numbers. Float16, BFloat16 and Fixed16x16 are computed in Float32 or Float64 and
// rounded once.
func Lerp(a Node, b, t any) Node {
	return a.withOperands(func(a Node, p []Node) Node { return p[0].Sub(a).FMA(p[1], a) }, b, t)
}
