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
// Laframboise 1981. 1 + erf(x/sqrt(2)), the usual form of gelu, would have no
// correct digit for x < -6.

const (
	erfMid   = 3.5 // c for float64
	erfMid32 = 3   // c for float32
	sqrt2    = 0x1.6a09e667f3bcdp0
)

// W(a) in t, a <= 10.1, relative error 2^-30.7.
var erfcPoly32 = []float64{0x1.6e9827d01c541p-3, -0x1.4e102bb36dd76p-2, 0x1.f6ff21aaeae61p-3, -0x1.336ff4a99a6d3p-3, 0x1.258ad01092281p-4, -0x1.8fa890908135p-6, 0x1.17e8db49d86e7p-8, 0x1.7570ffe0faa88p-11, -0x1.3bed17cd2575bp-11, 0x1.04621b57b0028p-15, 0x1.17ae9f8649945p-14, 0x1.54036e8193544p-18}

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
		y := b.Cast(ir.Float64, b.upTo(b.Op(ir.OpAbs, x), 15))
		half := b.Op(ir.OpMul, y, b.f64(-0.5))
		tail := b.erfcTail32(y, b.Op(ir.OpMul, y, half), erfMid32*sqrt2)
		return b.Cast(ir.Float32, b.Op(ir.OpFMA, half, tail, b.positivePart(b.Cast(ir.Float64, x))))
	}
	tail := b.geluTail64(b.upTo(b.Op(ir.OpAbs, x), 39))
	y := b.fastTwoSum(b.positivePart(x), b.Op(ir.OpNeg, tail.hi))
	z := b.Op(ir.OpAdd, y.hi, b.Op(ir.OpSub, y.lo, tail.lo))
	return b.withSign(b.Op(ir.OpSelect, b.Op(ir.OpLt, b.f64(39), x), x, z), x)
}

// erfcTail32 is erfc(a/s) with the accuracy of float32, given -(a/s)^2 and
// erfMid32*s for a scale s.
func (b *builder) erfcTail32(a, minusSquare kernel.Ref, mid float64) kernel.Ref {
	t := b.Op(ir.OpDiv, b.Op(ir.OpSub, a, b.f64(mid)), b.Op(ir.OpAdd, a, b.f64(mid)))
	return b.Op(ir.OpMul, b.exp32(minusSquare), b.estrin(t, erfcPoly32))
}

// positivePart returns x where it is above 0 and else -0, to which anything
// can be added; NaN stays.
func (b *builder) positivePart(x kernel.Ref) kernel.Ref {
	return b.zeroBelow(x, 0)
}
