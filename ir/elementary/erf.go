package elementary

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// erf, erfc and gelu. The last two are tails of the normal distribution,
//
//	erfc(a) = exp(-a^2) * W(a),  gelu(x) = max(x, 0) - |x|*erfc(|x|/sqrt(2))/2,
//
// with the rounding of the square kept, as exp multiplies it by the square.
// W, a scaled complementary error function, has no other exponential in it: it
// is a polynomial in t = (a-c)/(a+c), after Schonfelder 1978 and Shepherd and
// Laframboise 1981; that of float32's gelu is one of pieces. 1 + erf(x/sqrt(2)), the usual form of gelu, would have no
// correct digit for x < -6.

const (
	erfMid   = 3.5 // c for float64
	erfMid32 = 3   // c for float32
	sqrt2    = 0x1.6a09e667f3bcdp0
)

// W(a) in t, a <= 10.1, relative error 2^-30.7.
var erfcPoly32 = []float64{0x1.6e9827d01c541p-3, -0x1.4e102bb36dd76p-2, 0x1.f6ff21aaeae61p-3, -0x1.336ff4a99a6d3p-3, 0x1.258ad01092281p-4, -0x1.8fa890908135p-6, 0x1.17e8db49d86e7p-8, 0x1.7570ffe0faa88p-11, -0x1.3bed17cd2575bp-11, 0x1.04621b57b0028p-15, 0x1.17ae9f8649945p-14, 0x1.54036e8193544p-18}

// a*W(a/sqrt(2)) of float32.
var geluPieces = newPieces(pieces{most: 14.8, scale: 0x1.018e88p+0, shift: 0x1.19999ap+0, place: 22, near: 1.5}, [][ir.TableLen]float32{
	{0x1.643d9ep+0, 0x1.3162b4p+1, 0x1.f02ac2p+1, 0x1.775fa8p+2, 0x1.1b0d8p+3, 0x1.9a288cp+3, 0, 0x1.4acbbep-1},
	{0x1.33ca8cp-1, 0x1.6674fcp-1, 0x1.817e1ap-1, 0x1.8d8d1ep-1, 0x1.937becp-1, 0x1.96130ap-1, 0, 0x1.a66d08p-2},
	{0x1.44117cp-3, 0x1.ecf6dcp-5, 0x1.465ffap-6, 0x1.bb8eb8p-8, 0x1.190936p-9, 0x1.7f6e8ap-11, 0, 0x1.8edf72p-2},
	{-0x1.62d86p-4, -0x1.a9cabap-6, -0x1.a0dd62p-8, -0x1.9b4c92p-10, -0x1.6bbbf4p-12, -0x1.5eaf8ap-14, -0x1.98844ep-1, -0x1.09c14p-2},
	{0x1.3ef332p-5, 0x1.34afd8p-7, 0x1.c89088p-10, 0x1.4c016p-12, 0x1.9df584p-15, 0x1.1b81bap-17, 0x1.fffdf4p-2, 0x1.1c689ap-3},
	{-0x1.f60cfep-7, -0x1.8ed4f6p-9, -0x1.c47138p-12, -0x1.ec3e58p-15, -0x1.b3466cp-18, -0x1.aaf23cp-21, -0x1.10364ep-2, -0x1.067404p-4},
	{0x1.65baf6p-8, 0x1.d9091ap-11, 0x1.a1feaap-14, 0x1.57ea7ep-17, 0x1.b39554p-21, 0x1.33182ep-24, 0x1.fbef7ap-4, 0x1.b08252p-6},
	{-0x1.ebefc4p-10, -0x1.0e09fp-12, -0x1.8d915p-16, -0x1.e26d04p-20, -0x1.d552d8p-24, -0x1.c3b50cp-28, -0x1.939dc6p-5, -0x1.4a4a2cp-7},
	{0x1.334a56p-11, 0x1.1b6db2p-14, 0x1.5136bep-18, 0x1.397fccp-22, 0x1.c18892p-27, 0x1.3596b6p-31, 0x1.a44ad4p-7, 0x1.f88cbp-9},
})

func expandErf(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		return b.piecewise(x, erfPieces)
	}
	return b.withSign(b.erf64(b.upTo(b.Op(ir.OpAbs, x), 6)), x)
}

func expandErfc(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		y := b.Cast(ir.Float64, b.upTo(b.Op(ir.OpAbs, x), 10.2))
		tail := b.erfcTail32(y, b.Op(ir.OpNeg, b.Op(ir.OpMul, y, y)), erfMid32)
		below := b.Op(ir.OpLt, b.Cast(ir.Float64, x), b.f64(0))
		return b.Cast(ir.Float32, b.Op(ir.OpSelect, below, b.Op(ir.OpSub, b.f64(2), tail), tail))
	}
	tail := b.erfcTail64(b.upTo(b.Op(ir.OpAbs, x), 27.3))
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.f64(0)), b.Op(ir.OpSub, b.f64(2), tail), tail)
}

func expandGELU(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		y := b.upTo(b.Op(ir.OpAbs, x), geluPieces.most)
		return b.minusClosed(b.atLeast(x, negativeZero), b.geluTail(y))
	}
	tail := b.geluTail64(b.upTo(b.Op(ir.OpAbs, x), 39))
	y := b.fastTwoSum(b.positivePart(x), b.Op(ir.OpNeg, tail.hi))
	z := b.Op(ir.OpAdd, y.hi, b.Op(ir.OpSub, y.lo, tail.lo))
	return b.withSign(b.Op(ir.OpSelect, b.Op(ir.OpLt, b.f64(39), x), x, z), x)
}

// geluTail is a/2*erfc(a/sqrt(2))/closedUnit of a float32, 0 <= a <= 14.8: exp(-a^2/2) as a gate times the pieces of
// a*W(a/sqrt(2)), of which the sum lacks nothing. Near 0 a third of it is slope*r: without the rest of the slope the error would pass
// 1 ULP.
func (b *builder) geluTail(a kernel.Ref) kernel.Ref {
	value, slope, r := b.piece(a, geluPieces)
	w := b.Op(ir.OpFMA, slope.hi, r, value)
	lack := b.Op(ir.OpFMA, slope.hi, r, b.Op(ir.OpSub, value, w))
	lack = b.Op(ir.OpFMA, slope.lo, r, lack)
	g := b.expOfSquare(b.twoProd(a, a))
	return b.Op(ir.OpFMA, g.power, w, b.Op(ir.OpMul, g.power, b.Op(ir.OpFMA, g.rest, w, lack)))
}

// expOfSquare returns exp(-x/2)/closedUnit/2 for 0 <= x <= 220.
func (b *builder) expOfSquare(x pair) gate {
	const magic = magic32 + 8*(closedExp-1)
	t := b.Op(ir.OpFMA, x.hi, b.f32(-4*log2e), b.f32(magic))
	k := b.Op(ir.OpSub, t, b.f32(magic))
	r := b.Op(ir.OpFMA, k, b.f32(ln2Hi32/8), b.Op(ir.OpMul, x.hi, b.f32(0.5)))
	r = b.Op(ir.OpAdd, b.Op(ir.OpFMA, k, b.f32(ln2Lo32/8), r), b.Op(ir.OpMul, x.lo, b.f32(0.5)))
	return b.eighth(t, b.Op(ir.OpNeg, r), expEighth)
}

// erfcTail32 is erfc(a/s) with the accuracy of float32, given -(a/s)^2 and
// erfMid32*s for a scale s.
func (b *builder) erfcTail32(a, minusSquare kernel.Ref, mid float64) kernel.Ref {
	t := b.Op(ir.OpDiv, b.Op(ir.OpSub, a, b.f64(mid)), b.Op(ir.OpAdd, a, b.f64(mid)))
	return b.Op(ir.OpMul, b.exp32(minusSquare), b.estrin(t, erfcPoly32))
}

// positivePart returns x where it is positive and -0 elsewhere, to which anything can be added; NaN stays.
func (b *builder) positivePart(x kernel.Ref) kernel.Ref {
	return b.zeroBelow(x, 0)
}
