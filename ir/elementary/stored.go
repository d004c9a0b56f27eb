package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The conversions of types that are only stored. A byte is loaded into a 32-bit lane and converted to the compute type, float32 or
// int32, and back. Other types are first converted to the compute type, so that there are two kernels for each stored type.

// toStored converts x to the compute type of a stored type such that converting the result to the stored type equals converting x. A
// float is rounded to odd, and an integer saturated if it has many bits.
func (b *builder) toStored(to ir.DType, x kernel.Ref) kernel.Ref {
	from := b.DType(x)
	switch {
	case to.Compute() == ir.Int32 && ir.Reals.Has(from):
		least, greatest := int64(0), int64(1)<<to.Bits()-1
		if ir.Complements.Has(to) {
			least, greatest = -1<<(to.Bits()-1), 1<<(to.Bits()-1)-1
		}
		c := func(v int64) kernel.Ref { return b.Int(ir.Int32, v) }
		return b.Op(ir.OpMin, b.Op(ir.OpMax, b.cast(ir.Int32, x), c(least)), c(greatest))
	case to.Compute() == ir.Int32 || from == ir.Bool || from.Size() <= 2:
		return b.cast(to.Compute(), x)
	case ir.Ints.Has(from) && from.Size() == 8:
		x = b.sticky(x)
	}
	x = b.cast(ir.Float64, x)
	odd := b.roundToOdd(x)
	if to == ir.Float8E8M0 { // float32 would round what is near the least one a first time
		c := func(v float64) kernel.Ref { return b.Float(ir.Float64, v) }
		small := b.Op(ir.OpAnd, b.Op(ir.OpLe, c(0), x), b.Op(ir.OpLt, x, c(0x1.8p-127)))
		odd = b.Op(ir.OpSelect, small, c(0), odd)
	}
	return b.Cast(ir.Float32, odd)
}

// fromStored converts bytes to elements of the compute type.
func (b *builder) fromStored(x kernel.Ref) kernel.Ref {
	d := b.DType(x)
	bits := b.Cast(ir.Int32, b.Bitcast(ir.Uint8, x))
	switch {
	case d == ir.Float8E8M0:
		return b.fromE8M0(bits)
	case ir.Minifloats.Has(d):
		return b.fromMinifloat(d, bits)
	}
	return b.lowBits(d, bits)
}

// narrowStored converts elements of the compute type to bytes.
func (b *builder) narrowStored(d ir.DType, x kernel.Ref) kernel.Ref {
	var r kernel.Ref
	switch {
	case d == ir.Float8E8M0:
		r = b.toE8M0(x)
	case ir.Minifloats.Has(d):
		r = b.toMinifloat(d, x)
	default:
		r = b.Op(ir.OpAnd, b.lowBits(d, x), b.Int(ir.Int32, 0xff))
	}
	return b.Bitcast(d, b.Cast(ir.Uint8, r))
}

// lowBits extends an integer in the low bits of an int32.
func (b *builder) lowBits(d ir.DType, x kernel.Ref) kernel.Ref {
	if ir.Complements.Has(d) {
		shift := b.Int(ir.Int32, int64(32-d.Bits()))
		return b.Op(ir.OpShr, b.Op(ir.OpShl, x, shift), shift)
	}
	return b.Op(ir.OpAnd, x, b.Int(ir.Int32, 1<<d.Bits()-1))
}

// fromMinifloat returns the float32 of the bits of a minifloat: a product if the number is subnormal, else the bits moved and with
// another bias.
func (b *builder) fromMinifloat(d ir.DType, bits kernel.Ref) kernel.Ref {
	f := d.Minifloat()
	c := func(v int64) kernel.Ref { return b.Int(ir.Int32, v) }
	a := b.Op(ir.OpAnd, bits, c(int64(f.Sign)-1))
	small := b.Op(ir.OpMul, b.Cast(ir.Float32, a), b.Float(ir.Float32, math.Ldexp(1, 1-f.Bias-f.Fraction)))
	moved := b.Op(ir.OpShl, a, c(int64(23-f.Fraction)))
	r := b.Op(ir.OpAdd, moved, c(int64(127-f.Bias)<<23))
	r = b.Op(ir.OpSelect, b.Op(ir.OpLt, a, c(1<<f.Fraction)), b.Bitcast(ir.Int32, small), r)
	if f.Greatest < f.Sign-1 { // the others are infinite or NaN, by the fraction
		r = b.Op(ir.OpSelect, b.Op(ir.OpLt, c(int64(f.Greatest)), a), b.Op(ir.OpOr, moved, c(0x7f800000)), r)
	}
	sign := b.Op(ir.OpShl, b.Op(ir.OpAnd, bits, c(int64(f.Sign))), c(int64(32-d.Bits())))
	r = b.Op(ir.OpOr, r, sign)
	if f.OneZero {
		r = b.Op(ir.OpSelect, b.Op(ir.OpEq, bits, c(int64(f.NaN))), c(0x7fc00000), r)
	}
	return b.Bitcast(ir.Float32, r)
}

// toMinifloat rounds a float32, ties to even. For a subnormal result an addition of floats rounds to the spacing of subnormals; for
// others an addition of integers rounds the fraction.
func (b *builder) toMinifloat(d ir.DType, x kernel.Ref) kernel.Ref {
	f := d.Minifloat()
	c := func(v int64) kernel.Ref { return b.Int(ir.Int32, v) }
	drop := 23 - f.Fraction
	bits := b.Bitcast(ir.Int32, x)
	a := b.Op(ir.OpAnd, bits, c(math.MaxInt32))
	spaced := float32(math.Ldexp(1, 1-f.Bias+drop))
	small := b.Op(ir.OpAdd, b.Bitcast(ir.Float32, a), b.Float(ir.Float32, float64(spaced)))
	small = b.Op(ir.OpSub, b.Bitcast(ir.Int32, small), c(int64(math.Float32bits(spaced))))
	odd := b.Op(ir.OpAnd, b.Op(ir.OpShr, a, c(int64(drop))), c(1))
	r := b.Op(ir.OpAdd, b.Op(ir.OpAdd, a, odd), c(1<<(drop-1)-1-int64(127-f.Bias)<<23))
	r = b.Op(ir.OpShr, r, c(int64(drop)))
	r = b.Op(ir.OpSelect, b.Op(ir.OpLt, a, c(int64(128-f.Bias)<<23)), small, r)
	r = b.Op(ir.OpMin, r, c(int64(f.Over)))
	sign := b.Op(ir.OpAnd, b.Op(ir.OpShr, bits, c(int64(32-d.Bits()))), c(int64(f.Sign)))
	if f.OneZero {
		sign = b.Op(ir.OpSelect, b.Op(ir.OpEq, r, c(0)), r, sign)
	}
	return b.Op(ir.OpSelect, b.Op(ir.OpNe, x, x), c(int64(f.NaN)), b.Op(ir.OpOr, r, sign))
}

// fromE8M0 returns the float32 whose exponent has the given bits. The least is subnormal.
func (b *builder) fromE8M0(bits kernel.Ref) kernel.Ref {
	c := func(v int64) kernel.Ref { return b.Int(ir.Int32, v) }
	r := b.Op(ir.OpMax, b.Op(ir.OpShl, bits, c(23)), c(1<<22))
	return b.Bitcast(ir.Float32, b.Op(ir.OpSelect, b.Op(ir.OpEq, bits, c(0xff)), c(0x7fc00000), r))
}

// toE8M0 rounds a float32 to the exponent of a power of two.
func (b *builder) toE8M0(x kernel.Ref) kernel.Ref {
	c := func(v int64) kernel.Ref { return b.Int(ir.Int32, v) }
	bits := b.Bitcast(ir.Int32, x)
	r := b.Op(ir.OpShr, b.Op(ir.OpAdd, bits, c(1<<22)), c(23))
	r = b.Op(ir.OpSelect, b.Op(ir.OpLt, bits, c(3<<21)), c(0), r) // below the middle of the least two
	return b.Op(ir.OpSelect, b.Op(ir.OpLe, b.Float(ir.Float32, 0), x), r, c(0xff))
}
