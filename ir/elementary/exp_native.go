package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// exp of float32 in float32 lanes alone. x = k*ln2 + r, both products of the
// reduction exact in FMAs; with a polynomial of degree 6 evaluated by Horner's
// rule the error is 0.89 ULP at worst over all inputs.
//
// Here the magic addend leaves k plus the bias of the exponent in the low bits
// of the sum, so a shift by 23 makes a power of 2 of it. Functions whose results
// may be below the normal range use scalb, which rounds once and has an
// instruction on some targets; other targets take two powers of 2, and add the bias twice.

const (
	magic32  = 0x1.8p23
	ln2Hi32  = 0x1.62e43p-1
	ln2Lo32  = -0x1.05c61p-29
	bias32   = 127
	expLen32 = 23 // bits of a float32's fraction
)

const expRootRest = 0x1.a5a1ccp-3

var (
	// exp(r), |r| <= 0.3475, to float32 accuracy.
	expPolyNative = []float64{1, 1, 0x1.fffff8p-2, 0x1.55548cp-3, 0x1.555b92p-5, 0x1.123d52p-7, 0x1.685b36p-10}
	// exp(r/2) = 1 + r*(c(r)^2 + expRootRest) with c of degree 3, |r| <= 0.6935:
	// 5 FMAs give a polynomial of degree 7.
	expRootPoly = []float64{0x1.15acaap-1, 0x1.d807fcp-4, 0x1.c84a6cp-8, 0x1.e60432p-11}
	// (exp(r)-1-r)/r^2, |r| <= 0.3475.
	expm1PolyNative = []float64{0x1p-1, 0x1.5554dcp-3, 0x1.55556ap-5, 0x1.120c86p-7, 0x1.6cad1cp-10}
	// 2^r, |r| <= 0.5, to float32 accuracy.
	exp2PolyNative = []float64{1, 0x1.62e43p-1, 0x1.ebfbd8p-3, 0x1.c6af76p-5, 0x1.3b30a6p-7, 0x1.5f0b8cp-10, 0x1.3f9bcp-13}
)

// fastExp is the square of exp(x/2) in two factors. The power of 2 in it is far inside the normal range; only the square overflows, or
// rounds below the range. From -176 down the result is 0, so that masks do not produce results that round to 0 in a hundred cycles
// on an Intel core.
func fastExp(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if !b.isSingle(x) {
		return expandExp(b, a)
	}
	k, r := b.reduceNative(b.clamp(x, -176, 89), 2, bias32)
	c := b.polyNative(r, expRootPoly)
	p := b.horner(r, []float64{1}, b.Op(ir.OpFMA, c, c, b.f32(expRootRest)))
	root := b.scaleOnce(p, k)
	return b.Op(ir.OpMul, root, root)
}

func fastExpm1(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if !b.isSingle(x) {
		return expandExpm1(b, a)
	}
	h := b.expm1Native(b.clamp(x, -20, 89), 0.5)
	y := b.Op(ir.OpAdd, h, h)
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, b.Op(ir.OpAbs, x), b.f32(0x1p-30)), x, y)
}

// expm1Native is (exp(x)-1)*scale for float32 -80 <= x, within 1.6 ULP. With a scale of 1/2 it is valid up to 89, with 1 up to 0, and
// it keeps the least subnormals.
func (b *builder) expm1Native(x kernel.Ref, scale float64) kernel.Ref {
	k, r := b.reduceNative(x, 1, bias32+math.Log2(scale))
	p := b.Op(ir.OpFMA, b.Op(ir.OpMul, r, r), b.polyNative(r, expm1PolyNative), r)
	e := b.powerNative(k)
	return b.Op(ir.OpFMA, e, p, b.Op(ir.OpSub, e, b.f32(scale)))
}

// exp2Native is exp2 for float32 -151 <= x <= 129, exact for integers; below, the result is undefined.
func (b *builder) exp2Native(x kernel.Ref) kernel.Ref {
	kf := b.Op(ir.OpSub, b.Op(ir.OpAdd, x, b.f32(magic32+2*bias32)), b.f32(magic32+2*bias32))
	r := b.Op(ir.OpSub, x, kf)
	return b.Op(ir.OpScalb, b.polyNative(r, exp2PolyNative), kf)
}

// expNative is exp for float32 -104 <= x <= 89; below, the result is undefined.
func (b *builder) expNative(x kernel.Ref) kernel.Ref {
	kf, r := b.wholeNative(x, b.scaleNative(x, 1, 2*bias32), 1, 2*bias32)
	return b.Op(ir.OpScalb, b.polyNative(r, expPolyNative), kf)
}

// reduceNative returns k = round(x/(n*ln2)) plus bias, in the low bits of an
// int32, and x - k*n*ln2. n is a power of 2.
func (b *builder) reduceNative(x kernel.Ref, n, bias float64) (k, r kernel.Ref) {
	t := b.scaleNative(x, n, bias)
	_, r = b.wholeNative(x, t, n, bias)
	return b.Bitcast(ir.Int32, t), r
}

// wholeNative returns k as a float32, given t of scaleNative, and x - k*n*ln2.
func (b *builder) wholeNative(x, t kernel.Ref, n, bias float64) (k, r kernel.Ref) {
	k = b.Op(ir.OpSub, t, b.f32(magic32+bias))
	r = b.Op(ir.OpFMA, k, b.f32(-ln2Hi32*n), x)
	return k, b.Op(ir.OpFMA, k, b.f32(-ln2Lo32*n), r)
}

// scaleNative returns a float32 with k = round(x/(n*ln2)) plus bias in its low bits.
func (b *builder) scaleNative(x kernel.Ref, n, bias float64) kernel.Ref {
	return b.Op(ir.OpFMA, x, b.f32(log2e/n), b.f32(magic32+bias))
}

// polyNative evaluates all of c by Horner's rule.
func (b *builder) polyNative(x kernel.Ref, c []float64) kernel.Ref {
	n := len(c) - 1
	return b.horner(x, c[:n], b.f32(c[n]))
}

// scaleOnce returns p*2^(k-127), which must be in the normal range. It multiplies, because an addition to the bits of p could turn a NaN into
// a number.
func (b *builder) scaleOnce(p, k kernel.Ref) kernel.Ref {
	return b.Op(ir.OpMul, p, b.powerNative(k))
}

// powerNative returns 2^(k-127).
func (b *builder) powerNative(k kernel.Ref) kernel.Ref {
	return b.Bitcast(ir.Float32, b.Op(ir.OpShl, k, b.Int(ir.Int32, expLen32)))
}

func (b *builder) f32(v float64) kernel.Ref { return b.Float(ir.Float32, v) }
