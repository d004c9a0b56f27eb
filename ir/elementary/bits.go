package elementary

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Functions of the bits of integers, and saturating sums of unsigned integers. narrow.go has the saturating sums of types that are
// computed in another type.

// unsigned applies a function of unsigned integers to the bits of x.
func (b *builder) unsigned(x kernel.Ref, f func(x kernel.Ref) kernel.Ref) kernel.Ref {
	d := b.DType(x)
	to, ok := map[ir.DType]ir.DType{ir.Int32: ir.Uint32, ir.Int64: ir.Uint64}[d]
	if !ok {
		return f(x)
	}
	return b.Bitcast(d, f(b.Bitcast(to, x)))
}

// expandPopCount adds adjacent groups of bits; groups double in width at each step (Warren, Hacker's Delight, section 5-1).
func expandPopCount(b *builder, a []kernel.Ref) kernel.Ref { return b.unsigned(a[0], b.popCount) }

func (b *builder) popCount(x kernel.Ref) kernel.Ref {
	d := b.DType(x)
	shifted := func(n int) kernel.Ref { return b.Op(ir.OpShr, x, b.Int(d, int64(n))) }
	masked := func(x kernel.Ref, mask int64) kernel.Ref { return b.Op(ir.OpAnd, x, b.Int(d, mask)) }
	x = b.Op(ir.OpSub, x, masked(shifted(1), 0x5555555555555555))
	x = b.Op(ir.OpAdd, masked(x, 0x3333333333333333), masked(shifted(2), 0x3333333333333333))
	x = masked(b.Op(ir.OpAdd, x, shifted(4)), 0x0f0f0f0f0f0f0f0f)
	for n := 8; n < 8*d.Size(); n *= 2 {
		x = b.Op(ir.OpAdd, x, shifted(n))
	}
	return masked(x, 0x7f)
}

// expandBitLen sets all bits below the topmost one and counts the bits.
func expandBitLen(b *builder, a []kernel.Ref) kernel.Ref {
	return b.unsigned(a[0], func(x kernel.Ref) kernel.Ref {
		d := b.DType(x)
		for n := 1; n < 8*d.Size(); n *= 2 {
			x = b.Op(ir.OpOr, x, b.Op(ir.OpShr, x, b.Int(d, int64(n))))
		}
		return b.popCount(x)
	})
}

// expandAddSat detects a sum that has wrapped: it is less than its parts.
func expandAddSat(b *builder, a []kernel.Ref) kernel.Ref {
	sum := b.Op(ir.OpAdd, a[0], a[1])
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, sum, a[0]), b.Int(b.DType(sum), -1), sum)
}

func expandSubSat(b *builder, a []kernel.Ref) kernel.Ref {
	return b.Op(ir.OpSub, b.Op(ir.OpMax, a[0], a[1]), a[1])
}

// expandHalves shifts each byte to the top and back down, which extends its sign to the half.
func expandHalves(b *builder, a []kernel.Ref) kernel.Ref {
	c := func(n int64) kernel.Ref { return b.Int(ir.Int32, n) }
	lower := b.Op(ir.OpShr, b.Op(ir.OpShl, a[0], c(24)), c(24))
	upper := b.Op(ir.OpShl, b.Op(ir.OpShr, b.Op(ir.OpShl, a[0], c(16)), c(24)), c(16))
	return b.Op(ir.OpOr, b.Op(ir.OpAnd, lower, c(0xffff)), upper)
}
