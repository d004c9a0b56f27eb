package graph

import (
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Pow returns x to the power y. As in C, Pow(1, y) and Pow(x, 0) are 1 even for NaN, and a negative x with a fractional
// y gives NaN.
//
// With a number as exponent, the powers -1, -0.5, 0.5, 1 and 2 of floats take a few instructions and are correctly rounded,
// -0.5 almost. Other whole powers from -16 to 16 of types below Float64 are products in Float64, rounded once. A number is a Go
// number, or a Node that casts or repeats one.
//
// Integer powers wrap, as products do. A negative exponent gives the truncated reciprocal: 0 unless x is 1 or -1. A number
// as exponent must be 0 or more and takes about log2(y) products; a computed exponent takes two products for
// each bit of its type.
func (x Node) Pow(y any) Node {
	n := x.get()
	if n.err != nil || !ir.Ints.Has(n.typ.DType) {
		exponent := operand(y, n.typ.DType)
		if k, ok := exponent.numberFor(n); ok {
			if z, ok := x.powerOfNumber(k); ok {
				return z
			}
		}
		return x.elementwise(ir.OpPow, Node{exponent})
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

// numberFor returns the number that n, an exponent of x, repeats for all elements.
func (n *node) numberFor(x *node) (number float64, ok bool) {
	if n.err != nil || x.err != nil || n.typ.DType != x.typ.DType || !ir.Floats.Has(x.typ.DType) ||
		len(n.typ.Shape) > len(x.typ.Shape) || slices.ContainsFunc(n.typ.Shape, func(d Extent) bool { return !d.Is(1) }) {
		return 0, false
	}
	bits, ok := n.constant()
	if !ok {
		return 0, false
	}
	return ir.ToFloat(n.typ.DType, bits), true
}

// constant returns the bits of a constant that is cast and repeated.
func (n *node) constant() (bits uint64, ok bool) {
	switch n.op {
	case ir.OpConst:
		return n.attr.Bits, true
	case ir.OpExpand:
		return n.args[0].constant()
	case ir.OpCast:
		bits, ok = n.args[0].constant()
		return ir.RefCast(n.args[0].typ.DType, n.typ.DType, [3]uint64{bits}), ok
	}
	return 0, false
}

// mostProducts is the greatest exponent of which powers are products.
const mostProducts = 16

// powerOfNumber returns a power of floats by products and roots, or false where these would be less accurate or slower than other
// powers.
func (x Node) powerOfNumber(y float64) (z Node, ok bool) {
	dt, inf := x.DType(), math.Inf(1)
	switch y {
	case 1:
		return x, true
	case 2:
		return x.Square(), true
	case -1:
		return x.Reciprocal(), true
	case 0.5: // not -0 for -0, nor NaN for -Inf
		return Where(x.Eq(-inf), inf, x.Add(0).Sqrt()), true
	case -0.5:
		return Where(x.Eq(-inf), 0, x.Add(0).Rsqrt()), true
	}
	whole := math.Abs(y)
	if dt == Float64 || y == 0 || whole > mostProducts || whole != math.Trunc(whole) {
		return Node{}, false
	}
	z = x.Cast(Float64).power(uint64(whole))
	if y < 0 {
		z = z.Reciprocal()
	}
	return z.Cast(dt).ruled(func(z, g Node) []Node { return []Node{scaled(g, powerByBase(x, x.Scalar(y), z), true)} }, x), true
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
