package elementary

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The fast tier of asinh, acosh and atanh: logarithms in float32. The default form handles squares beyond its range.

const areaLimit = 0x1p60

func fastAsinh(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if !b.isSingle(x) {
		return expandAsinh(b, a)
	}
	t := b.Op(ir.OpAbs, x)
	s := b.Op(ir.OpMul, t, t)
	root := b.Op(ir.OpSqrt, b.Op(ir.OpAdd, s, b.f32(1)))
	w := b.Op(ir.OpAdd, t, b.Op(ir.OpDiv, s, b.Op(ir.OpAdd, root, b.f32(1))))
	return b.withSign(b.areaBelow(t, 0, w, b.asinh32), x)
}

func fastAcosh(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if !b.isSingle(x) {
		return expandAcosh(b, a)
	}
	far := func(x kernel.Ref) kernel.Ref { return b.log1p32(b.acoshLess1(x)) }
	return b.areaBelow(x, 1, b.acoshLess1(x), far)
}

// areaBelow returns log(1+w) for x in [least, areaLimit), the result of far, in float64, beyond, and the root of x - least where
// neither is defined.
func (b *builder) areaBelow(x kernel.Ref, least float64, w kernel.Ref, far func(x kernel.Ref) kernel.Ref) kernel.Ref {
	edge := b.Op(ir.OpSqrt, b.Op(ir.OpSub, x, b.f32(least)))
	finite := b.Op(ir.OpAnd, b.Op(ir.OpLe, b.f32(areaLimit), x), expandIsFinite(b, []kernel.Ref{x}))
	edge = b.Op(ir.OpSelect, finite, b.Cast(ir.Float32, far(b.Cast(ir.Float64, x))), edge)
	outside := b.outside(x, ir.FromFloat(ir.Float32, least), ir.FromFloat(ir.Float32, areaLimit))
	return b.Op(ir.OpUnlikely, outside, edge, b.log1pNative(w))
}

func fastAtanh(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if !b.isSingle(x) {
		return expandAtanh(b, a)
	}
	t := b.Op(ir.OpAbs, x)
	below := b.Op(ir.OpSub, b.f32(1), t)
	y := b.Op(ir.OpMul, b.f32(0.5), b.log1pNative(b.Op(ir.OpDiv, b.Op(ir.OpAdd, t, t), below)))
	edge := b.Op(ir.OpDiv, b.f32(1), b.Op(ir.OpSqrt, below)) // +Inf at 1, NaN beyond
	return b.withSign(b.Op(ir.OpUnlikely, b.outside(t, 0, ir.FromFloat(ir.Float32, 1)), edge, y), x)
}
