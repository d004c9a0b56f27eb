package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// exp, exp2 and expm1, and the steps that more families share.
//
// All reduce x = k*ln2 + r with |r| <= ln2/2. k comes from adding magic, which
// leaves it as an integer in the low bits of the sum; shifted by 52 it is an
// addend to the exponent of a float64.
//
// Functions of float32 that need more than float32 on the way compute in
// float64 with a polynomial of about the degree that float32 would need, and
// round once; names that end in 32 are such steps, or are whole functions of
// float32. exp itself does without: expand_exp_native.go, where names end in Native
// and constants in 32.

const (
	magic = 0x1.8p52
	log2e = 0x1.71547652b82fep+0
	ln2   = 0x1.62e42fefa39efp-1
	ln2Lo = 0x1.abc9e3b39803fp-56

	ln2Short = 0x1.62e42feep-1 // 32 bits
	ln2Rest  = 0x1.a39ef35793c76p-33

	one    = 0x3ff0000000000000 // the bits of 1.0
	bias   = 1023
	expLen = 52 // bits of a float64's fraction
)

var (
	// exp(r), |r| <= 0.3475, relative error below 2^-27.
	expPoly32 = []float64{0x1p0, 0x1.0000009e5592ap0, 0x1.fffffd0e4a291p-2, 0x1.55540722eab12p-3, 0x1.555762a287be5p-5, 0x1.126ed467c116p-7, 0x1.6b7351c6b0807p-10}
	// (exp(r)-1)/r on the same interval.
	expm1Poly32 = []float64{0x1p0, 0x1.00000028b7907p-1, 0x1.5555550bebc98p-3, 0x1.5554abebbbca8p-5, 0x1.11115d8bf7dbcp-7, 0x1.6d765e42d1bf8p-10, 0x1.a071e22c117efp-13}
	// (exp(r)-1-r)/r^2, to float64 accuracy.
	expPoly64 = []float64{0x1p-1, 0x1.55555555554b7p-3, 0x1.5555555553025p-5, 0x1.111111113974ep-7, 0x1.6c16c17d58b4p-10, 0x1.a01a00c73dbcdp-13, 0x1.a019a959a57fp-16, 0x1.71e006c009906p-19, 0x1.28a15d2ba0a53p-22, 0x1.ac17315907898p-26}
	// The same function, accurate by itself and not only as a part of exp(r).
	expm1Poly64 = []float64{0x1p-1, 0x1.5555555555557p-3, 0x1.5555555555551p-5, 0x1.1111111110033p-7, 0x1.6c16c16c1918ep-10, 0x1.a01a01ac35ba8p-13, 0x1.a01a0194e1dbdp-16, 0x1.71de0153c07fdp-19, 0x1.27e5072c1945cp-22, 0x1.af4f970cdf021p-26, 0x1.1f293d5baefc9p-29}
	// (2^r-1)/r, |r| <= 0.5, to float64 accuracy.
	exp2Poly64 = []float64{0x1.62e42fefa39efp-1, 0x1.ebfbdff82c58ep-3, 0x1.c6b08d704a1d1p-5, 0x1.3b2ab6fba51a1p-7, 0x1.5d87fe7875275p-10, 0x1.430912f75554ep-13, 0x1.ffcbfd443c0fcp-17, 0x1.62c0272e79a56p-20, 0x1.b5233dce623d7p-24, 0x1.e4bb7f1f6866ap-28, 0x1.ec5e95af7c575p-32, 0x1.e0fcb9bb44335p-36}
)

func expandExp(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		return b.zeroWhereBelow(x, -104, b.expNative(b.upTo(x, 89)))
	}
	return b.zeroWhereBelow(x, -746, b.exp64(b.upTo(x, 710)))
}

// zeroWhereBelow returns 0 where x is below least, else y. If x were bounded instead, y would be a product below the normal range, which
// takes a hundred cycles on an Intel core: attention with a causal mask would take twice the time.
func (b *builder) zeroWhereBelow(x kernel.Ref, least float64, y kernel.Ref) kernel.Ref {
	dt := b.DType(x)
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.Float(dt, least)), b.Float(dt, 0), y)
}

func expandExp2(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		return b.zeroWhereBelow(x, -151, b.exp2Native(b.upTo(x, 129)))
	}
	return b.zeroWhereBelow(x, -1076, b.exp2For64(b.upTo(x, 1025)))
}

// expandExpm1 copies the sign of float32 from x, which keeps -0.
func expandExpm1(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		m := b.expm1For32(b.Cast(ir.Float64, b.clamp(x, -20, 89)))
		return b.withSign(b.Cast(ir.Float32, m), x)
	}
	return b.expm1For64(b.clamp(x, -60, 710))
}

// exp32 is exp in float64 with the accuracy of float32, for -104 <= x <= 89.
func (b *builder) exp32(x kernel.Ref) kernel.Ref {
	k, kf := b.scale(x)
	p := b.estrin(b.reduce(x, kf), expPoly32)
	return b.Bitcast(ir.Float64, b.Op(ir.OpAdd, b.toExponent(k), b.Bitcast(ir.Int64, p)))
}

// expm1For32 is expm1 in float64 with the accuracy of float32, for |x| <= 700.
func (b *builder) expm1For32(x kernel.Ref) kernel.Ref {
	k, kf := b.scale(x)
	r := b.reduce(x, kf)
	p := b.Op(ir.OpMul, r, b.estrin(r, expm1Poly32))
	e := b.powerOf2(b.toExponent(k))
	return b.Op(ir.OpFMA, e, p, b.Op(ir.OpSub, e, b.f64(1)))
}

// exp64 is exp for -746 <= x <= 710; below, the result is undefined.
func (b *builder) exp64(x kernel.Ref) kernel.Ref {
	_, kf := b.scaleBiased(x, log2e)
	r := b.Op(ir.OpFMA, kf, b.f64(-ln2Lo), b.reduce(x, kf))
	p := b.horner(r, []float64{1, 1}, b.tailHorner(r, expPoly64))
	return b.Op(ir.OpScalb, p, kf)
}

// exp2For64 is exp2 for -1076 <= x <= 1025; below, the result is undefined.
func (b *builder) exp2For64(x kernel.Ref) kernel.Ref {
	_, kf := b.scaleBiased(x, 1)
	r := b.Op(ir.OpSub, x, kf)
	return b.Op(ir.OpScalb, b.horner(r, []float64{1}, b.tailHorner(r, exp2Poly64)), kf)
}

// expm1For64 is expm1 for -60 <= x <= 710. The three large terms of 2^k - 1 + 2^k*r + 2^k*(exp(r)-1-r) are added without loss. It
// computes half the result and doubles it, as 2^k may be out of range. The least x would lose bits that way, but there the result
// is x.
func (b *builder) expm1For64(x kernel.Ref) kernel.Ref {
	k, kf := b.scale(x)
	r := b.reducePair(x, kf)
	e := b.powerOf2(b.toExponent(b.Op(ir.OpSub, k, b.Int(ir.Int64, 1))))
	less := b.Op(ir.OpSub, e, b.f64(0.5))
	lost := b.Op(ir.OpSub, b.Op(ir.OpSub, e, less), b.f64(0.5)) // from 2^53 on
	sum := b.fastTwoSum(less, b.Op(ir.OpMul, e, r.hi))
	h := b.Op(ir.OpAdd, sum.hi, b.Op(ir.OpFMA, e, b.expTail(r), b.Op(ir.OpAdd, sum.lo, lost)))
	h = b.Op(ir.OpAdd, h, h)
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, b.Op(ir.OpAbs, x), b.f64(0x1p-60)), x, h)
}

// expTail is exp(r) - 1 - r.hi. The term r^2/2 is separate, because in the polynomial it would round once more.
func (b *builder) expTail(r pair) kernel.Ref {
	square := b.Op(ir.OpMul, r.hi, r.hi)
	first := b.Op(ir.OpFMA, square, b.f64(expm1Poly64[0]), r.lo)
	return b.Op(ir.OpFMA, b.Op(ir.OpMul, square, r.hi), b.tailHorner(r.hi, expm1Poly64[1:]), first)
}

// scale returns k = round(x/ln2), as the low bits of an int64 and as a float64.
func (b *builder) scale(x kernel.Ref) (k, kf kernel.Ref) {
	t := b.Op(ir.OpFMA, x, b.f64(log2e), b.f64(magic))
	return b.Bitcast(ir.Int64, t), b.Op(ir.OpSub, t, b.f64(magic))
}

// reduce returns x - kf*ln2.
func (b *builder) reduce(x, kf kernel.Ref) kernel.Ref { return b.Op(ir.OpFMA, kf, b.f64(-ln2), x) }

// reducePair is x - kf*ln2 with the bits that one float64 loses. ln2Short has enough trailing zeros for the first step with kf to be
// exact.
func (b *builder) reducePair(x, kf kernel.Ref) pair {
	r := b.Op(ir.OpFMA, kf, b.f64(-ln2Short), x)
	return b.fastTwoSum(r, b.Op(ir.OpMul, kf, b.f64(-ln2Rest)))
}

// scaleBiased is scale applied to x times inv, with 2*bias added to the bits of k, as scalb expects.
func (b *builder) scaleBiased(x kernel.Ref, inv float64) (k, kf kernel.Ref) {
	t := b.Op(ir.OpFMA, x, b.f64(inv), b.f64(magic+2*bias))
	return b.Bitcast(ir.Int64, t), b.Op(ir.OpSub, t, b.f64(magic+2*bias))
}

// toExponent shifts an integer to the exponent of a float64.
func (b *builder) toExponent(k kernel.Ref) kernel.Ref {
	return b.Op(ir.OpShl, k, b.Int(ir.Int64, expLen))
}

// powerOf2 turns a shifted exponent into the float64 2^k.
func (b *builder) powerOf2(k kernel.Ref) kernel.Ref {
	return b.Bitcast(ir.Float64, b.Op(ir.OpAdd, k, b.Const(ir.Int64, one)))
}

// clamp bounds x; NaN stays. OpMin and OpMax keep NaN too, but cost more.
func (b *builder) clamp(x kernel.Ref, lo, hi float64) kernel.Ref {
	least := b.Float(b.DType(x), lo)
	return b.upTo(b.Op(ir.OpSelect, b.Op(ir.OpLt, x, least), least, x), hi)
}

// upTo bounds x from above; NaN stays.
func (b *builder) upTo(x kernel.Ref, hi float64) kernel.Ref {
	most := b.Float(b.DType(x), hi)
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, most, x), most, x)
}

// withSign returns magnitude, which is not negative or has the sign of x, with the sign of x.
func (b *builder) withSign(magnitude, x kernel.Ref) kernel.Ref {
	dt, bits := b.DType(x), b.bitsOf(x)
	sign := b.Op(ir.OpAnd, b.Bitcast(bits, x), b.Const(bits, ir.Wrap(bits, math.MinInt64>>(64-8*dt.Size()))))
	return b.Bitcast(dt, b.Op(ir.OpOr, b.Bitcast(bits, magnitude), sign))
}

// bitsOf returns the integer type of the size of x.
func (b *builder) bitsOf(x kernel.Ref) ir.DType {
	if b.isSingle(x) {
		return ir.Int32
	}
	return ir.Int64
}

func (b *builder) f64(v float64) kernel.Ref { return b.Float(ir.Float64, v) }

// horner evaluates c[0] + x*(c[1] + ... x*(c[n-1] + x*top)).
func (b *builder) horner(x kernel.Ref, c []float64, top kernel.Ref) kernel.Ref {
	for i := len(c) - 1; i >= 0; i-- {
		top = b.Op(ir.OpFMA, top, x, b.Float(b.DType(x), c[i]))
	}
	return top
}

// tailHorner evaluates all of c, the upper terms by estrin, the lower two by
// horner: where they carry the accuracy, estrin's powers of x cost an ULP.
func (b *builder) tailHorner(x kernel.Ref, c []float64) kernel.Ref {
	return b.horner(x, c[:2], b.estrin(x, c[2:]))
}

// estrin evaluates a polynomial by halves, which shortens the chain of
// dependent operations.
func (b *builder) estrin(x kernel.Ref, c []float64) kernel.Ref {
	terms := make([]kernel.Ref, len(c))
	for i, v := range c {
		terms[i] = b.Float(b.DType(x), v)
	}
	for len(terms) > 1 {
		var next []kernel.Ref
		for i := 0; i+1 < len(terms); i += 2 {
			next = append(next, b.Op(ir.OpFMA, terms[i+1], x, terms[i]))
		}
		if len(terms)%2 == 1 {
			next = append(next, terms[len(terms)-1])
		}
		terms = next
		x = b.Op(ir.OpMul, x, x)
	}
	return terms[0]
}
