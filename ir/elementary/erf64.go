package elementary

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The float64 forms of erf, erfc and gelu.

var (
	// 2/sqrt(pi) = erf'(0).
	erfSlope = [2]float64{0x1.20dd750429b6dp0, 0x1.1ae3a914fed8p-56}
	// 2/sqrt(pi)/sqrt(2).
	cdfSlope = [2]float64{0x1.9884533d43651p-1, -0x1.cbc0d30ebfd15p-55}
	// (erf(a)/a - 2/sqrt(pi))/a^2 in a^2, a <= 1; relative to erf below 2^-62.
	erfPoly64 = []float64{-0x1.812746b0379e6p-2, 0x1.ce2f21a042b26p-4, -0x1.b82ce312849b9p-6, 0x1.565bcd0daee8cp-8, -0x1.c02db3d890b7dp-11, 0x1.f9a32194970abp-14, -0x1.f4d1de345827cp-17, 0x1.b9dee405e01ebp-20, -0x1.5f1cc18e56333p-23, 0x1.f79f2025c47aap-27, -0x1.385b85a648674p-30, 0x1.0550d02e8bf63p-34}

	// G(a) = (1+slope*a)*W(a) in t, a <= 27.6, relative error 2^-56.7, with the slope of erf. G falls from 1 to 0.64, slowly at first,
	// so the rounding of t matters little. The constant term is separate and has twice the length.
	erfcMiddle = [2]float64{0x1.8985d2187618dp-1, -0x1.0dad78c4c12c3p-55}
	erfcPoly64 = []float64{-0x1.a3f4a194b99e1p-3, 0x1.87c3670dfcd19p-4, -0x1.f5254a4de344ap-7, -0x1.859b6b4fd6d87p-6, 0x1.e8dafad411898p-6, -0x1.4a167c6253f79p-6, 0x1.2483b14ccc269p-7, -0x1.286cba7b0878cp-9, -0x1.77a665f2983fp-15, 0x1.1c7eb2f8143d6p-12, -0x1.2816cc092e26bp-14, -0x1.336335a0868f3p-16, 0x1.b37f0ae500395p-17, 0x1.5f40d6667891p-21, -0x1.0b6a9418f9ab1p-19, 0x1.c86c1858666c5p-25, 0x1.512bf46f9a447p-22, -0x1.4c1534fe3ac33p-27, -0x1.b089e83482875p-25, -0x1.8d795e6278b0fp-29, 0x1.9e0dca72eb937p-28, 0x1.772ad76e1ea3fp-30}
)

// erfNear is the end of the polynomial of erf, whose terms round more the larger they are. Beyond it erfc is below 1/4.
const erfNear = 0.84

// erfRest approximates 1/(1 + slope*a) from erfNear to 1.5.
const erfRest = 0.45

// erfcRest^4*(1-t)^4*(1+t) times the polynomial approximates the slope of G in a. It corrects for the rounding of a+erfMid.
const erfcRest = 0.63

// erf64 is erf for 0 <= a <= 6: a polynomial near 0, and 1 - erfc beyond, where the rounding of erfc matters little.
func (b *builder) erf64(a kernel.Ref) kernel.Ref {
	s := b.twoProd(a, a)
	q := b.horner(s.hi, []float64{erfSlope[1]}, b.tailHorner(s.hi, erfPoly64))
	near := b.Op(ir.OpFMA, a, b.f64(erfSlope[0]), b.Op(ir.OpMul, a, q))

	k, kf := b.scale(b.Op(ir.OpNeg, s.hi))
	r := b.Op(ir.OpSub, b.reduce(b.Op(ir.OpNeg, s.hi), kf), s.lo)
	e := b.Op(ir.OpMul, b.horner(r, []float64{1, 1}, b.estrin(r, expPoly64)), b.powerOf2(b.toExponent(k)))
	g := b.erfcx(a, 1)
	p := b.twoProd(e, g.hi)
	// 1 + slope*a is y + rest, and p/(y+rest) about (p - p*rest/y)/y: 1/y is close to
	// erfRest where the tail is large.
	y := b.Op(ir.OpFMA, a, b.f64(erfSlope[0]), b.f64(1))
	rest := b.Op(ir.OpFMA, a, b.f64(erfSlope[0]), b.Op(ir.OpSub, b.f64(1), y))
	lo := b.Op(ir.OpFMA, b.Op(ir.OpMul, rest, b.f64(-erfRest)), p.hi, b.Op(ir.OpFMA, e, g.lo, p.lo))
	tail := b.Op(ir.OpDiv, b.Op(ir.OpAdd, p.hi, lo), y)
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, b.f64(erfNear), a), b.Op(ir.OpSub, b.f64(1), tail), near)
}

// erfcTail64 is erfc for 0 <= a <= 27.3.
func (b *builder) erfcTail64(a kernel.Ref) kernel.Ref {
	s := b.twoProd(a, a)
	m, _, kf := b.expPair(b.negPair(s))
	y := b.divPair(b.mulPair(m, b.erfcx(a, 1)), b.linear(a, erfSlope))
	return b.Op(ir.OpScalb, b.sum(y), kf)
}

// geluTail64 is a/2*erfc(a/sqrt(2)) for 0 <= a <= 39.
func (b *builder) geluTail64(a kernel.Ref) pair {
	half := b.Op(ir.OpMul, a, b.f64(0.5))
	s := b.twoProd(a, half)
	m, _, kf := b.expPair(b.negPair(s))
	y := b.scalePair(b.divPair(b.mulPair(m, b.erfcx(a, sqrt2)), b.linear(a, cdfSlope)), half)
	y = b.fastTwoSum(y.hi, y.lo) // rounded, so that one part is right where the other underflows
	return pair{b.Op(ir.OpScalb, y.hi, kf), b.Op(ir.OpScalb, y.lo, kf)}
}

// erfcx returns G(a/scale).
func (b *builder) erfcx(a kernel.Ref, scale float64) pair {
	d := b.fastTwoSum(b.f64(erfMid*scale), a)
	t := b.Op(ir.OpDiv, b.Op(ir.OpSub, d.hi, b.f64(2*erfMid*scale)), d.hi) // of the rounded sum, exactly
	p := b.fastTwoSum(b.f64(erfcPoly64[0]), b.Op(ir.OpMul, t, b.tailHorner(t, erfcPoly64[1:])))
	z := b.twoProd(t, p.hi)
	y := b.fastTwoSum(b.f64(erfcMiddle[0]), z.hi)
	lo := b.Op(ir.OpAdd, b.Op(ir.OpFMA, t, p.lo, z.lo), b.Op(ir.OpAdd, y.lo, b.f64(erfcMiddle[1])))
	w := b.Op(ir.OpFMA, t, b.f64(-erfcRest), b.f64(erfcRest))
	w = b.Op(ir.OpMul, w, w)
	w = b.Op(ir.OpMul, w, w)
	rest := b.Op(ir.OpMul, b.Op(ir.OpFMA, w, t, w), d.lo)
	return pair{y.hi, b.Op(ir.OpFMA, rest, p.hi, lo)}
}

// linear returns 1 + slope*a for a >= 0.
func (b *builder) linear(a kernel.Ref, slope [2]float64) pair {
	y := b.Op(ir.OpFMA, a, b.f64(slope[0]), b.f64(1))
	rest := b.Op(ir.OpFMA, a, b.f64(slope[0]), b.Op(ir.OpSub, b.f64(1), y))
	return pair{y, b.Op(ir.OpFMA, a, b.f64(slope[1]), rest)}
}

func (b *builder) negPair(x pair) pair { return pair{b.Op(ir.OpNeg, x.hi), b.Op(ir.OpNeg, x.lo)} }

// expPair returns exp(x) as m*2^k for |x| <= 800, k in both forms of
// scaleBiased. The last bits of x matter: x.lo is added where r has room for it.
func (b *builder) expPair(x pair) (m pair, k, kf kernel.Ref) {
	k, kf = b.scaleBiased(x.hi, log2e)
	r := b.reducePair(x.hi, kf)
	r = b.fastTwoSum(r.hi, b.Op(ir.OpAdd, r.lo, x.lo))
	m = b.fastTwoSum(b.f64(1), r.hi)
	return b.fastTwoSum(m.hi, b.Op(ir.OpAdd, b.expTail(r), m.lo)), k, kf
}
