package ir

// exp of float32 in float32 lanes alone. x = k*ln2 + r, both products of the
// reduction exact in FMAs; with a polynomial of degree 6 evaluated by Horner's
// rule the error is 0.89 ULP at worst over all inputs.
//
// Here the magic addend leaves k plus the bias of the exponent in the low bits
// of the sum, so a shift by 23 makes a power of 2 of it.

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

// fastExp is the square of exp(x/2) in two factors: the power of 2 in it is far
// inside the normal range, and the square alone overflows, or rounds below it.
func fastExp(b *Builder, a []Ref) Ref {
	x := a[0]
	if b.DType(x) == Float64 {
		return expandExp(b, a)
	}
	k, r := b.reduceNative(b.clamp(x, -104, 89), 2, bias32)
	c := b.polyNative(r, expRootPoly)
	p := b.horner(r, []float64{1}, b.Op(OpFMA, c, c, b.f32(expRootRest)))
	root := b.scaleOnce(p, k)
	return b.Op(OpMul, root, root)
}

func fastExpm1(b *Builder, a []Ref) Ref {
	x := a[0]
	if b.DType(x) == Float64 {
		return expandExpm1(b, a)
	}
	h := b.halfExpm1Native(b.clamp(x, -20, 89))
	return b.withSign(b.Op(OpAdd, h, h), x)
}

// halfExpm1Native is (exp(x)-1)/2 for float32 -80 <= x <= 89, within 1.6 ULP.
// It is half because 2^k may be beyond the range.
func (b *Builder) halfExpm1Native(x Ref) Ref {
	k, r := b.reduceNative(x, 1, bias32-1)
	p := b.Op(OpFMA, b.Op(OpMul, r, r), b.polyNative(r, expm1PolyNative), r)
	e := b.powerNative(k)
	return b.Op(OpFMA, e, p, b.Op(OpSub, e, b.f32(0.5)))
}

// exp2Native is exp2 for float32 -151 <= x <= 129: exact for integers.
func (b *Builder) exp2Native(x Ref) Ref {
	t := b.Op(OpAdd, x, b.f32(magic32+2*bias32))
	r := b.Op(OpSub, x, b.Op(OpSub, t, b.f32(magic32+2*bias32)))
	return b.scaleTwice(b.polyNative(r, exp2PolyNative), b.Bitcast(Int32, t))
}

// expNative is exp for float32 -104 <= x <= 89. The scale is applied in two
// steps, so that results below the normal range are rounded once.
func (b *Builder) expNative(x Ref) Ref {
	k, r := b.reduceNative(x, 1, 2*bias32)
	p := b.polyNative(r, expPolyNative)
	return b.scaleTwice(p, k)
}

// reduceNative returns k = round(x/(n*ln2)) plus bias, in the low bits of an
// int32, and x - k*n*ln2. n is a power of 2.
func (b *Builder) reduceNative(x Ref, n, bias float64) (k, r Ref) {
	t := b.Op(OpFMA, x, b.f32(log2e/n), b.f32(magic32+bias))
	kf := b.Op(OpSub, t, b.f32(magic32+bias))
	r = b.Op(OpFMA, kf, b.f32(-ln2Hi32*n), x)
	r = b.Op(OpFMA, kf, b.f32(-ln2Lo32*n), r)
	return b.Bitcast(Int32, t), r
}

// polyNative evaluates all of c by Horner's rule.
func (b *Builder) polyNative(x Ref, c []float64) Ref {
	n := len(c) - 1
	return b.horner(x, c[:n], b.f32(c[n]))
}

// scaleOnce returns p*2^(k-127), in the normal range. It multiplies, as an
// addition to the bits of p could turn a NaN into a number.
func (b *Builder) scaleOnce(p, k Ref) Ref {
	return b.Op(OpMul, p, b.powerNative(k))
}

// powerNative returns 2^(k-127).
func (b *Builder) powerNative(k Ref) Ref {
	return b.Bitcast(Float32, b.Op(OpShl, k, b.Int(Int32, expLen32)))
}

// scaleTwice returns p*2^(k-254) by two powers of 2 that are in the normal range.
func (b *Builder) scaleTwice(p, k Ref) Ref {
	half := b.Op(OpShr, k, b.Int(Int32, 1))
	rest := b.Op(OpSub, k, half)
	return b.Op(OpMul, b.Op(OpMul, p, b.powerNative(half)), b.powerNative(rest))
}

func (b *Builder) f32(v float64) Ref { return b.Float(Float32, v) }
