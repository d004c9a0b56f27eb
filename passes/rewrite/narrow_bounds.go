package rewrite

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// This file derives ranges of int32 values from the types of what they are computed from.

// numbers is a range: the least and the greatest number that a value may have.
type numbers struct{ least, greatest int64 }

// ShortInt reports whether d is bool or an integer type of at most two bytes.
func ShortInt(d ir.DType) bool { return d == ir.Bool || ir.Ints.Has(d) && d.Size() <= 2 }

// rangeOf returns the range of a bool or of an integer type of at most 32 bits.
func rangeOf(d ir.DType) (least, greatest int64) {
	switch {
	case d == ir.Bool:
		return 0, 1
	case ir.Signed.Has(d):
		return -1 << (d.Bits() - 1), 1<<(d.Bits()-1) - 1
	}
	return 0, 1<<d.Bits() - 1
}

// boundsOf returns the range of an int32 value. It returns false if an operand has no known range, or if the value
// could overflow.
func (n *narrowing) boundsOf(v *ir.Value) (numbers, bool) {
	if IsConst(v) {
		return numbers{int64(v.Attr.Bits), int64(v.Attr.Bits)}, true
	}
	if widensShort(v) {
		least, greatest := rangeOf(v.Args[0].Type.DType)
		return numbers{least, greatest}, true
	}
	var x [3]numbers
	args := v.Args
	if v.Op == ir.OpSelect {
		args = args[1:]
	}
	if len(args) == 0 || len(args) > len(x) || !v.Op.IsElementwise() && !v.Op.IsView() {
		return numbers{}, false
	}
	for i, a := range args {
		b, ok := n.bounds[a]
		if !ok {
			return numbers{}, false
		}
		x[i] = b
	}
	if v.Op.IsView() {
		return x[0], true
	}
	b, ok := combined(v.Op, x)
	return b, ok && b.least >= math.MinInt32 && b.greatest <= math.MaxInt32
}

// combined returns the range of an op's result, given the ranges of its operands. It returns false if the op has
// none.
func combined(op ir.Op, x [3]numbers) (numbers, bool) {
	a, b := x[0], x[1]
	if op == ir.OpShl || op == ir.OpShr {
		if b.least != b.greatest || b.least < 0 || b.least >= 16 {
			return numbers{}, false
		}
	}
	switch op {
	case ir.OpAdd:
		return numbers{a.least + b.least, a.greatest + b.greatest}, true
	case ir.OpSub:
		return numbers{a.least - b.greatest, a.greatest - b.least}, true
	case ir.OpMul:
		return a.times(b), true
	case ir.OpNeg:
		return numbers{-a.greatest, -a.least}, true
	case ir.OpMin:
		return numbers{min(a.least, b.least), min(a.greatest, b.greatest)}, true
	case ir.OpMax:
		return numbers{max(a.least, b.least), max(a.greatest, b.greatest)}, true
	case ir.OpSelect:
		return numbers{min(a.least, b.least), max(a.greatest, b.greatest)}, true
	case ir.OpShl:
		return a.times(numbers{1 << b.least, 1 << b.least}), true
	case ir.OpShr:
		return numbers{a.least >> b.least, a.greatest >> b.least}, true
	case ir.OpClip:
		above := numbers{max(a.least, b.least), max(a.greatest, b.greatest)}
		return numbers{min(above.least, x[2].least), min(above.greatest, x[2].greatest)}, true
	case ir.OpAbs:
		return numbers{0, max(-a.least, a.greatest)}, true
	case ir.OpDiv:
		q := numbers{a.least / max(b.least, 1), a.greatest / max(b.least, 1)}
		return numbers{min(q.least, 0), max(q.greatest, 0)}, b.least > 0
	case ir.OpAnd:
		return numbers{0, min(a.greatest, b.greatest)}, a.least >= 0 && b.least >= 0
	}
	return numbers{}, false
}

// times returns the range of a product.
func (a numbers) times(b numbers) numbers {
	p := []int64{a.least * b.least, a.least * b.greatest, a.greatest * b.least, a.greatest * b.greatest}
	return numbers{slices.Min(p), slices.Max(p)}
}
