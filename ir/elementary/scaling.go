package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Significands and exponents of float64, and numbers of both: what products are made of
// (package ir, product.go).

const (
	upwards     = 64 // the power of 2 that makes the subnormal normal
	signAndRest = 1<<63 | 1<<expLen - 1
)

// isEdge says whether x is zero, subnormal, infinite or NaN.
func (b *builder) isEdge(x kernel.Ref) kernel.Ref {
	return b.outside(b.Op(ir.OpAbs, x), 1<<expLen, math.Float64bits(math.Inf(1)))
}

// subnormalOr returns what f makes of a subnormal x times 2^upwards, and other of a zero, an
// infinity or NaN.
func (b *builder) subnormalOr(x, other kernel.Ref, f func(x kernel.Ref) kernel.Ref) kernel.Ref {
	y := b.Op(ir.OpAbs, x)
	subnormal := b.Op(ir.OpAnd, b.Op(ir.OpLt, b.f64(0), y), b.Op(ir.OpLt, y, b.f64(1)))
	return b.Op(ir.OpSelect, subnormal, f(b.Op(ir.OpMul, x, b.f64(1<<upwards))), other)
}

func expandSignificand(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	return b.Op(ir.OpUnlikely, b.isEdge(x), b.subnormalOr(x, x, b.significand), b.significand(x))
}

func (b *builder) significand(x kernel.Ref) kernel.Ref {
	y := b.Op(ir.OpAnd, b.Bitcast(ir.Uint64, x), b.Const(ir.Uint64, signAndRest))
	return b.Bitcast(ir.Float64, b.Op(ir.OpOr, y, b.Const(ir.Uint64, one)))
}

func expandExponent(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	odd := b.subnormalOr(x, b.f64(0), func(x kernel.Ref) kernel.Ref { return b.biased(x, bias+upwards) })
	return b.Op(ir.OpUnlikely, b.isEdge(x), odd, b.biased(x, bias))
}

// biased moves the exponent into the last bits of 2^52, and takes the rest from it.
func (b *builder) biased(x kernel.Ref, bias float64) kernel.Ref {
	e := b.Op(ir.OpShr, b.Bitcast(ir.Uint64, b.Op(ir.OpAbs, x)), b.Const(ir.Uint64, expLen))
	e = b.Bitcast(ir.Float64, b.Op(ir.OpOr, e, b.Const(ir.Uint64, math.Float64bits(0x1p52))))
	return b.Op(ir.OpSub, e, b.f64(0x1p52+bias))
}

// expandLdexp multiplies a significand by two powers of 2, of which the first makes no number
// subnormal: so it rounds once. The exponent is rounded to a whole number first.
func expandLdexp(b *builder, a []kernel.Ref) kernel.Ref {
	const far = 1100                                                // more than brings a significand out of the range
	bounded := func(x kernel.Ref, least, most float64) kernel.Ref { // NaN is least
		x = b.Op(ir.OpSelect, b.Op(ir.OpLt, b.f64(least), x), x, b.f64(least))
		return b.upTo(x, most)
	}
	power := func(e kernel.Ref) kernel.Ref {
		return b.Bitcast(ir.Float64, b.toExponent(b.Bitcast(ir.Int64, b.Op(ir.OpAdd, e, b.f64(magic+bias)))))
	}
	x := b.Expand(ir.OpSignificand, a[0])
	y := b.Op(ir.OpRound, a[1])
	e := bounded(b.Op(ir.OpAdd, y, b.Expand(ir.OpExponent, a[0])), -far, far)
	last := bounded(e, -1022, 1023)
	z := b.Op(ir.OpMul, b.Op(ir.OpMul, x, power(b.Op(ir.OpSub, e, last))), power(last))
	return b.Op(ir.OpUnlikely, b.Op(ir.OpNe, y, y), y, z)
}
