package graph

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// Pow returns x to the power y. As in C, Pow(1, y) and Pow(x, 0) are 1 even for NaN, and a negative x with a fractional
// y gives NaN.
//
// Integer powers wrap, as products do. A negative exponent gives the truncated reciprocal: 0 unless x is 1 or -1. A Go
// number as exponent must be 0 or more and takes about log2(y) products; a computed exponent takes two products for
// each bit of its type.
func (x Node) Pow(y any) Node {
	n := x.get()
	if n.err != nil || !ir.Ints.Has(n.typ.DType) {
		return x.elementwise(ir.OpPow, y)
	}
	exponent := operand(y, n.typ.DType)
	switch {
	case exponent.err != nil:
		return apply(ir.OpPow, ir.Attr{}, n, exponent)
	case exponent.typ.DType != n.typ.DType:
		return Node{poison(fmt.Errorf("operands are %s and %s: Cast one of them", n.typ.DType, exponent.typ.DType), n, exponent)}
	case exponent.op != ir.OpConst:
		return x.powerOf(Node{exponent})
	}
	if ir.Signed.Has(n.typ.DType) && int64(exponent.attr.Bits) < 0 {
		return Node{poison(fmt.Errorf("the power %d of integers: Cast to a float type", int64(exponent.attr.Bits)), n)}
	}
	return x.power(exponent.attr.Bits)
}

// power returns x to the power k by repeated squaring.
func (x Node) power(k uint64) Node {
	result := x.Scalar(1).BroadcastTo(x.get().typ.Shape)
	for first := true; k > 0; k >>= 1 {
		if k&1 != 0 && first {
			result, first = x, false
		} else if k&1 != 0 {
			result = result.Mul(x)
		}
		if k > 1 {
			x = x.Square()
		}
	}
	return result
}

// powerOf returns x to the power y for integers of one type, bit by bit of y.
func (x Node) powerOf(y Node) Node {
	dt := x.DType()
	result, square := x.Scalar(1), x
	for bit := range 8*dt.Size() - 1 {
		result = result.Mul(Where(y.And(uint64(1)<<bit).Ne(0), square, 1))
		square = square.Square()
	}
	if !ir.Signed.Has(dt) { // the topmost bit is not a sign
		return result.Mul(Where(y.Shr(8*dt.Size()-1).Ne(0), square, 1))
	}
	odd := y.And(1).Ne(0)
	reciprocal := Where(x.Eq(1), 1, Where(x.Eq(-1), Where(odd, -1, x.Scalar(1)), 0))
	return Where(y.Lt(0), reciprocal, result)
}
