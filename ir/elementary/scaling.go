package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Significands and exponents, and products of numbers made of both (package ir, product.go).

const upwards = 64 // the power of 2 that makes a subnormal number normal

// format describes the bit fields of a float type.
type format struct {
	bits     ir.DType
	fraction int // bits
	bias     float64
	one      uint64  // the bits of 1
	whole    float64 // 2^fraction, whose last bit is 1
}

func (b *builder) format(x kernel.Ref) format {
	if b.isSingle(x) {
		return format{ir.Uint32, expLen32, bias32, uint64(math.Float32bits(1)), 1 << expLen32}
	}
	return format{ir.Uint64, expLen, bias, one, 1 << expLen}
}

// isEdge reports whether x is zero, subnormal, infinite or NaN.
func (b *builder) isEdge(x kernel.Ref) kernel.Ref {
	return b.outside(b.Op(ir.OpAbs, x), 1<<b.format(x).fraction, ir.FromFloat(b.DType(x), math.Inf(1)))
}

// subnormalOr returns f of x times 2^upwards for a subnormal x, and other for a zero, an infinity or NaN.
func (b *builder) subnormalOr(x, other kernel.Ref, f func(x kernel.Ref) kernel.Ref) kernel.Ref {
	c := func(v float64) kernel.Ref { return b.Float(b.DType(x), v) }
	y := b.Op(ir.OpAbs, x)
	subnormal := b.Op(ir.OpAnd, b.Op(ir.OpLt, c(0), y), b.Op(ir.OpLt, y, c(1)))
	return b.Op(ir.OpSelect, subnormal, f(b.Op(ir.OpMul, x, c(1<<upwards))), other)
}

func expandSignificand(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	return b.Op(ir.OpUnlikely, b.isEdge(x), b.subnormalOr(x, x, b.significand), b.significand(x))
}

func (b *builder) significand(x kernel.Ref) kernel.Ref {
	f := b.format(x)
	y := b.Op(ir.OpAnd, b.Bitcast(f.bits, x), b.Const(f.bits, ir.SignBit(f.bits)|(1<<f.fraction-1)))
	return b.Bitcast(b.DType(x), b.Op(ir.OpOr, y, b.Const(f.bits, f.one)))
}

func expandExponent(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	odd := b.subnormalOr(x, b.Float(b.DType(x), 0), func(x kernel.Ref) kernel.Ref { return b.unbiased(x, upwards) })
	return b.Op(ir.OpUnlikely, b.isEdge(x), odd, b.unbiased(x, 0))
}

// unbiased returns the exponent of x, without its bias, less more. It moves the exponent into the last bits of a power of 2.
func (b *builder) unbiased(x kernel.Ref, more float64) kernel.Ref {
	f, d := b.format(x), b.DType(x)
	e := b.Op(ir.OpShr, b.Bitcast(f.bits, b.Op(ir.OpAbs, x)), b.Const(f.bits, uint64(f.fraction)))
	e = b.Bitcast(d, b.Op(ir.OpOr, e, b.Const(f.bits, ir.FromFloat(d, f.whole))))
	return b.Op(ir.OpSub, e, b.Float(d, f.whole+f.bias+more))
}

// expandLdexp multiplies a significand by two powers of 2, the first of which makes no number subnormal, so it rounds once. It first
// rounds the exponent to a whole number.
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
