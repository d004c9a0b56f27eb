package elementary

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The expansions of casts for which no target has an instruction, and of casts that round or saturate to a type that is computed in
// another type. Each rounds once.

// convert appends a cast.
func (b *builder) convert(to ir.DType, x kernel.Ref) kernel.Ref {
	from := b.DType(x)
	switch {
	case ir.Stored.Has(from):
		return b.fromStored(x)
	case ir.Stored.Has(to):
		return b.narrowStored(to, x)
	case from == ir.BFloat16:
		if wide, ok := b.wide[x]; ok {
			return wide
		}
		bits := b.Cast(ir.Int32, b.Bitcast(ir.Uint16, x))
		return b.Bitcast(ir.Float32, b.Op(ir.OpShl, bits, b.Int(ir.Int32, 16)))
	case to == ir.BFloat16 && from == ir.Float32:
		return b.roundBFloat16(x)
	case from == ir.Fixed16x16:
		return b.Op(ir.OpMul, b.Cast(ir.Float64, b.Bitcast(ir.Int32, x)), b.Float(ir.Float64, 0x1p-16))
	case to == ir.Fixed16x16 && from == ir.Float64: // the cast to Int32 saturates
		return b.Bitcast(to, b.Cast(ir.Int32, b.Op(ir.OpRound, b.Op(ir.OpMul, x, b.Float(from, 0x1p16)))))
	case to == ir.Fixed16x16:
		return b.convert(to, b.Cast(ir.Float64, x))
	case to.Native() || from == to.Compute():
		return b.Cast(to, x)
	case ir.Ints.Has(to) && ir.Floats.Has(from):
		return b.Cast(to, b.saturate(to, b.Cast(to.Compute(), x)))
	case ir.Floats.Has(to) && from == ir.Int32:
		return b.convert(to, b.Cast(ir.Float32, b.sticky(x)))
	case ir.Floats.Has(to):
		if ir.Ints.Has(from) && from.Size() == 8 {
			x = b.sticky(x)
		}
		odd := b.roundToOdd(b.Cast(ir.Float64, x))
		if to == ir.BFloat16 && from == ir.Float64 {
			odd = b.roundSubnormal(x, odd)
		}
		return b.convert(to, b.Cast(ir.Float32, odd))
	}
	return b.Cast(to, b.Cast(to.Compute(), x))
}

// saturate clips x, which has the compute type of an integer type, to the range of that integer type. x has already been saturated
// to the range of its own type.
func (b *builder) saturate(to ir.DType, x kernel.Ref) kernel.Ref {
	least, _ := ir.OpMax.Info().Identity(to)
	greatest, _ := ir.OpMin.Info().Identity(to)
	d := b.DType(x)
	return b.Op(ir.OpMin, b.Op(ir.OpMax, x, b.Int(d, int64(least))), b.Int(d, int64(greatest)))
}

// roundBFloat16 rounds a float32 to its upper half, ties to even, and remembers the result in float32 for ops that read it. The rounding adds
// less than the lowest bit of the upper half, which may carry into it. For a NaN that could make the bits of a number, unless its
// lower half is 0 and it is quiet. No integer is a NaN.
func (b *builder) roundBFloat16(x kernel.Ref) kernel.Ref {
	const quiet = 1 << 22
	c := func(v int64) kernel.Ref { return b.Int(ir.Int32, v) }
	bits := b.Bitcast(ir.Int32, x)
	odd := b.Op(ir.OpAnd, b.Op(ir.OpShr, bits, c(16)), c(1))
	r := b.Op(ir.OpAdd, b.Op(ir.OpAdd, bits, odd), c(1<<15-1))
	if !b.ofInteger(x) && !b.ofUpperHalves(x) {
		r = b.Op(ir.OpSelect, b.Op(ir.OpNe, x, x), b.Op(ir.OpOr, bits, c(quiet)), r)
	}
	narrow := b.Bitcast(ir.BFloat16, b.Cast(ir.Uint16, b.Op(ir.OpShr, r, c(16))))
	b.wide[narrow] = b.Bitcast(ir.Float32, b.Op(ir.OpAnd, r, c(upperHalf)))
	return narrow
}

// ofInteger reports whether x is an integer converted to a float.
func (b *builder) ofInteger(x kernel.Ref) bool {
	in := b.Kernel().Inst(x)
	return in != nil && in.Op == ir.OpCast && ir.Ints.Has(b.DType(in.Args[0]))
}

// upperHalf is the mask of the bits of a float32 that form a bfloat16.
const upperHalf = -1 << 16

// ofUpperHalves reports whether x is the result of arithmetic on float32 numbers that are bfloat16. A NaN among such results is quiet
// and its lower half is 0, as it comes from an operand or from the processor.
func (b *builder) ofUpperHalves(x kernel.Ref) bool {
	in := b.Kernel().Inst(x)
	if in == nil || !slices.Contains([]ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpDiv, ir.OpSqrt}, in.Op) {
		return false
	}
	return !slices.ContainsFunc(in.Args[:in.Arity()], func(a kernel.Ref) bool { return !b.isUpperHalf(a) })
}

// isUpperHalf reports whether convert or roundBFloat16 has made x, a float32 whose lower half is 0.
func (b *builder) isUpperHalf(x kernel.Ref) bool {
	k := b.Kernel()
	in := k.Inst(x)
	if in == nil || in.Op != ir.OpBitcast {
		return false
	}
	of := k.Inst(in.Args[0])
	by := func(op ir.Op, v int64) bool {
		c := k.Inst(of.Args[1])
		return of.Op == op && c != nil && c.Op == ir.OpConst && c.Bits == ir.Wrap(ir.Int32, v)
	}
	return of != nil && (by(ir.OpShl, 16) || by(ir.OpAnd, upperHalf))
}

// sticky returns an integer that rounds to the same 16-bit element as x and fits exactly: a 64-bit one into float64, a 32-bit one into
// float32. An integer from 2^53 on loses its last 11 bits, one from 2^24 on its last 8; the last bit that is left is set if any lost
// bit was.
func (b *builder) sticky(x kernel.Ref) kernel.Ref {
	d, bits := b.DType(x), 11
	if d.Size() == 4 {
		bits = 8
	}
	lost := b.Int(d, 1<<bits-1)
	odd := b.Op(ir.OpOr, x, b.Op(ir.OpAdd, b.Op(ir.OpAnd, x, lost), lost))
	odd = b.Op(ir.OpAnd, odd, b.Int(d, -1<<bits))
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, b.Op(ir.OpAbs, x), b.Int(d, 1<<(8*d.Size()-bits))), x, odd)
}

// roundSubnormal returns a number that rounds, through float32, to the same bfloat16 as x. That is odd, except for numbers that become
// subnormal, which an addition rounds to bfloat16's spacing.
func (b *builder) roundSubnormal(x, odd kernel.Ref) kernel.Ref {
	a, spaced := b.Op(ir.OpAbs, x), b.Float(ir.Float64, 0x1p-81)
	rounded := b.Op(ir.OpSub, b.Op(ir.OpAdd, a, spaced), spaced)
	sign := b.Op(ir.OpAnd, b.Bitcast(ir.Int64, x), b.Const(ir.Int64, 1<<63))
	rounded = b.Bitcast(ir.Float64, b.Op(ir.OpOr, b.Bitcast(ir.Int64, rounded), sign))
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, a, b.Float(ir.Float64, 0x1p-126)), rounded, odd)
}

// roundToOdd is that of package ir: a float64 in 24 bits, the last of which is set if any lost bit was. So rounding to float16 through
// float32 rounds once in effect.
func (b *builder) roundToOdd(x kernel.Ref) kernel.Ref {
	bits, lost := b.Bitcast(ir.Int64, x), b.Int(ir.Int64, 1<<29-1)
	odd := b.Op(ir.OpOr, bits, b.Op(ir.OpAdd, b.Op(ir.OpAnd, bits, lost), lost))
	return b.Bitcast(ir.Float64, b.Op(ir.OpAnd, odd, b.Int(ir.Int64, -1<<29)))
}
