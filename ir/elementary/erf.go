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

var (
	// erf(a)/a in a, a <= 3.93.
	erfPoly32 = []float64{0x1.20dd7506040d5p0, -0x1.8bbe044262902p-24, -0x1.81266b0258179p-2, -0x1.83c10981b7e06p-15, 0x1.cf99a31bf9a5bp-4, -0x1.9e9da9654edc3p-10, -0x1.6937153569015p-6, -0x1.5270a147e2255p-7, 0x1.5e087558f148dp-6, -0x1.34848a18d1c25p-6, 0x1.0274a843b1485p-6, -0x1.6e25d91f11b77p-7, 0x1.7cb4a4fefbdb2p-8, -0x1.1b088ab51b26p-9, 0x1.2e3597e2d13b8p-11, -0x1.ceaa628cb9effp-14, 0x1.f22dd58b88e5cp-17, -0x1.67d361bd93367p-20, 0x1.3a6aadfb50557p-24, -0x1.fb294a18e63d8p-30, 0x1.4828a264dc39p-40}
	// W(a) in t, a <= 10.1, relative error 2^-30.7.
	erfcPoly32 = []float64{0x1.6e9827d01c541p-3, -0x1.4e102bb36dd76p-2, 0x1.f6ff21aaeae61p-3, -0x1.336ff4a99a6d3p-3, 0x1.258ad01092281p-4, -0x1.8fa890908135p-6, 0x1.17e8db49d86e7p-8, 0x1.7570ffe0faa88p-11, -0x1.3bed17cd2575bp-11, 0x1.04621b57b0028p-15, 0x1.17ae9f8649945p-14, 0x1.54036e8193544p-18}
)

func expandErf(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	y := b.Op(ir.OpAbs, x)
	if b.isSingle(x) {
		w := b.Cast(ir.Float64, b.upTo(y, 3.93))
		return b.withSign(b.Cast(ir.Float32, b.Op(ir.OpMul, w, b.estrin(w, erfPoly32))), x)
	}
	return b.withSign(b.erf64(b.upTo(y, 6)), x)
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
	dt := b.DType(x)
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.Int(dt, 0)), b.Float(dt, negativeZero), x)
}
