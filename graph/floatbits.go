package graph

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// Functions of floats by their bits.

// bitTypes are the integers of the size of each float type.
var bitTypes = map[DType]DType{Float16: Int16, BFloat16: Int16, Float32: Int32, Float64: Int64}

// Signbit returns whether a number is negative, or -0, or a NaN with its sign set.
func (x Node) Signbit() Node {
	if bits, ok := bitTypes[x.DType()]; ok {
		x = x.Bitcast(bits)
	}
	return x.Lt(0)
}

// CopySign returns the magnitudes of floats x with the signs of y, a Node, Tensor or Go number of x's type that
// broadcasts with x. NaN and -0 have signs too.
func (x Node) CopySign(y any) Node {
	z := x.ofBits(y, func(x, y Node) Node {
		sign := x.Scalar(1).Shl(x.DType().Bits() - 1)
		return x.And(sign.Not()).Or(y.And(sign))
	})
	return z.ruled(func(z, g Node) []Node { return []Node{Where(z.Signbit().Eq(x.Signbit()), g, g.Neg())} }, x)
}

// NextAfter returns the next float after x in the direction of y, a Node, Tensor or Go number of x's type that broadcasts
// with x: y where both are equal, NaN where one is.
func (x Node) NextAfter(y any) Node {
	v := Node{operand(y, x.DType())}
	next := x.ofBits(y, func(bits, _ Node) Node {
		up := v.Gt(x)
		step := Where(up.Eq(x.Gt(0)), bits.Scalar(1), -1) // away from 0, or towards it
		return Where(x.Eq(0), Where(up, bits.Scalar(1), bits.Scalar(1).Or(bits.Scalar(1).Shl(bits.DType().Bits()-1))), bits.Add(step))
	})
	next = Where(x.Eq(v), v, next)
	next = Where(x.IsNaN().Or(v.IsNaN()), math.NaN(), next)
	return next.ruled(func(_, g Node) []Node { return []Node{g} }, x)
}

// ofBits returns the floats of the bits that f makes of the bits of x and of y.
func (x Node) ofBits(y any, f func(x, y Node) Node) Node {
	if x.Err() != nil {
		return x
	}
	v := Node{operand(y, x.DType())}
	bits, ok := bitTypes[x.DType()]
	switch {
	case v.Err() != nil:
		return v
	case v.DType() != x.DType():
		return fail("dtypes %s and %s differ: Cast one of them", x.DType(), v.DType())
	case !ok:
		return fail("does not take %s: Cast it to one of %s", x.DType(), ir.Floats)
	}
	return f(x.Bitcast(bits), v.Bitcast(bits)).Bitcast(x.DType())
}
