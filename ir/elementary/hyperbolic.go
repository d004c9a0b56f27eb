package elementary

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The hyperbolic functions. With x = k*ln2 + r and the even and odd parts of
// exp(r), c = cosh(r) and s = sinh(r), the addition theorem gives
//
//	sinh(x) = c*sinh(k*ln2) + s*cosh(k*ln2)
//	cosh(x) = c*cosh(k*ln2) + s*sinh(k*ln2)
//
// where sinh(k*ln2) = (2^k - 2^-k)/2 costs additions alone: neither a division
// nor a second exponential, and nothing is lost near 0. tanh of float64 is m/(m+2) with
// m = exp(2x)-1, that of float32 is in pieces.go. All work on |x| and put the sign back,
// which keeps -0.

var (
	// cosh(r) and sinh(r)/r in r^2, |r| <= 0.3475, relative error below 2^-34.
	coshPoly32 = []float64{1, 0x1.000000456638bp-1, 0x1.55547c3ee76ddp-5, 0x1.6d99b1c644fd6p-10}
	sinhPoly32 = []float64{1, 0x1.555555747f502p-3, 0x1.1110b011b1032p-7, 0x1.a172a99cc2707p-13}
	// (cosh(r)-1)/r^2 and (sinh(r)-r)/r^3 in r^2 on the same interval, to
	// float32 and to float64 accuracy.
	coshPolyNative = []float64{0x1p-1, 0x1.5555p-5, 0x1.6d30cep-10}
	sinhPolyNative = []float64{0x1.555524p-3, 0x1.11dacep-7}
	coshPoly64     = []float64{0x1p-1, 0x1.5555555555556p-5, 0x1.6c16c16c15fep-10, 0x1.a01a01a82af29p-16, 0x1.27e4d7d8f1f4p-22, 0x1.1f7968f8597cep-29}
	sinhPoly64     = []float64{0x1.5555555555555p-3, 0x1.1111111111485p-7, 0x1.a01a019d98eecp-13, 0x1.71de4632917f2p-19, 0x1.ae331ee8da4a8p-26, 0x1.ab9fe171c9a73p-33}
)

func expandSinh(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	return b.withSign(b.hyperbolic(b.Op(ir.OpAbs, x), true), x)
}

func expandCosh(b *builder, a []kernel.Ref) kernel.Ref {
	return b.hyperbolic(b.Op(ir.OpAbs, a[0]), false)
}

// hyperbolic is sinh (if odd) or cosh of x >= 0. Beyond the clamps both overflow.
func (b *builder) hyperbolic(x kernel.Ref, odd bool) kernel.Ref {
	if b.isSingle(x) {
		return b.Cast(ir.Float32, b.hyperbolic32(b.Cast(ir.Float64, b.upTo(x, 90)), odd))
	}
	return b.hyperbolic64(b.upTo(x, 710.8), odd)
}

// hyperbolic32 is sinh or cosh in float64 with the accuracy of float32, for
// 0 <= x <= 700.
func (b *builder) hyperbolic32(x kernel.Ref, odd bool) kernel.Ref {
	k, kf := b.scale(x)
	r := b.reduce(x, kf)
	y := b.Op(ir.OpMul, r, r)
	c, s := b.estrin(y, coshPoly32), b.Op(ir.OpMul, r, b.estrin(y, sinhPoly32))
	half := b.Const(ir.Int64, one-1<<expLen)
	up, down := b.exponentials(half, b.toExponent(k))
	same, other := oddFirst(b.Op(ir.OpSub, up, down), b.Op(ir.OpAdd, up, down), odd)
	return b.Op(ir.OpFMA, c, same, b.Op(ir.OpMul, s, other))
}

// exponentials returns 2^k and 2^-k times a scale, which is given by its bits; k is in the position of the exponent. 2^-k is 0 where it
// would be below the normal range.
func (b *builder) exponentials(scale, k kernel.Ref) (up, down kernel.Ref) {
	up = b.Bitcast(ir.Float64, b.Op(ir.OpAdd, scale, k))
	return up, b.Bitcast(ir.Float64, b.Op(ir.OpMax, b.Op(ir.OpSub, scale, k), b.Int(ir.Int64, 0)))
}

// oddFirst returns sinh(k*ln2) and cosh(k*ln2) if odd, else the reverse.
func oddFirst[T any](sinh, cosh T, odd bool) (same, other T) {
	if odd {
		return sinh, cosh
	}
	return cosh, sinh
}

// hyperbolic64 is sinh or cosh for 0 <= x <= 710.8. The two large terms are added without loss. It computes half the result and
// doubles it, as 2^k may be out of range. The least x would lose bits that way, but there sinh(x) is x.
func (b *builder) hyperbolic64(x kernel.Ref, odd bool) kernel.Ref {
	k, kf := b.scale(x)
	r := b.reducePair(x, kf)
	y := b.Op(ir.OpMul, r.hi, r.hi)
	c := b.Op(ir.OpMul, y, b.tailHorner(y, coshPoly64))
	s := b.Op(ir.OpFMA, b.Op(ir.OpMul, r.hi, y), b.tailHorner(y, sinhPoly64), r.lo)

	quarter := b.Const(ir.Int64, one-2<<expLen)
	up, down := b.exponentials(quarter, b.toExponent(k))
	same, other := oddFirst(b.Op(ir.OpSub, up, down), b.Op(ir.OpAdd, up, down), odd)
	minus, _ := oddFirst(ir.OpSub, ir.OpAdd, odd)
	lost := b.Op(minus, b.Op(ir.OpSub, up, same), down) // from k = 27 on
	large := b.twoProd(other, r.hi)
	sum := b.fastTwoSum(same, large.hi)
	rest := b.Op(ir.OpFMA, other, s, b.Op(ir.OpAdd, b.Op(ir.OpAdd, sum.lo, lost), large.lo))
	h := b.Op(ir.OpAdd, sum.hi, b.Op(ir.OpFMA, same, c, rest))
	h = b.Op(ir.OpAdd, h, h)
	if !odd {
		return h
	}
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.f64(0x1p-30)), x, h)
}

func expandTanh(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		return b.piecewise(x, tanhPieces)
	}
	return b.withSign(b.tanh64(b.upTo(b.Op(ir.OpAbs, x), 22)), x)
}

// tanh64 is tanh for 0 <= x <= 22: m/(m+2), with the rounding errors of the sums m and m+2, or 1 - 2/(m+2) where 2^k +- 1 are not
// exact.
func (b *builder) tanh64(x kernel.Ref) kernel.Ref {
	double := b.Op(ir.OpAdd, x, x)
	k, kf := b.scale(double)
	r := b.reducePair(double, kf)
	e := b.powerOf2(b.toExponent(k))
	large, rest := b.Op(ir.OpMul, e, r.hi), b.Op(ir.OpMul, e, b.expTail(r))
	sum := func(c float64) pair {
		s := b.fastTwoSum(b.Op(ir.OpAdd, e, b.f64(c)), large)
		return b.fastTwoSum(s.hi, b.Op(ir.OpAdd, s.lo, rest))
	}
	under := sum(1)
	near := b.sum(b.divPair(sum(-1), under))
	far := b.Op(ir.OpFMA, b.f64(-2), b.Op(ir.OpDiv, b.Int(ir.Float64, 1), under.hi), b.f64(1))
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.f64(16)), near, far)
}
