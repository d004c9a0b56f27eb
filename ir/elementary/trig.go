package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// sin, cos and tan. The reduced angle is a pair; tan of float32 reduces and computes in float64 and rounds once. In the fast tier all
// functions stay in their type and use one polynomial, which for sin and cos covers a half turn.

var (
	// (r-sin(r))/r^3 and (cos(r)-1)/r^2 in r^2, |r| <= pi/4. Error relative to the sine below 2^-27.8, of the cosine 2^-33.
	sinPoly32 = []float64{0x1.555544p-3, -0x1.1106dp-7, 0x1.99215p-13}
	cosPoly32 = []float64{-0x1p-1, 0x1.55554ap-5, -0x1.6c0c1cp-10, 0x1.99e1dep-16}
	// tan(r)/r in r^2, |r| <= pi/4, likewise.
	tanPoly32 = []float64{0x1.fffffff5e6592p-1, 0x1.555565958b051p-2, 0x1.110cce74e0e0dp-3, 0x1.baf398d4f80a6p-5, 0x1.5beffc0556937p-6, 0x1.664d644a2a067p-7, -0x1.377de1731a9a7p-16, 0x1.21e6bde86ec8fp-8}
	// (sin(r)-r)/r^3 and (cos(r)-1+r^2/2)/r^4 in r^2, |r| <= pi/4.
	sinPoly64 = []float64{-0x1.5555555555548p-3, 0x1.111111110f75bp-7, -0x1.a01a019bf1ccep-13, 0x1.71de355eb41bp-19, -0x1.ae5e54310d78ap-26, 0x1.5d8e226174565p-33}
	cosPoly64 = []float64{0x1.555555555554ap-5, -0x1.6c16c16c14e48p-10, 0x1.a01a019c684b2p-16, -0x1.27e4f7d8b43dcp-22, 0x1.1ee9cc8e32e1fp-29, -0x1.8f9f49f8b5538p-37}
	// (2*tan(r/2)-r)/r^3 in r^2, |r| <= pi/4: relative to the tangent below 2^-56.
	tanHalfPoly64 = []float64{0x1.5555555555556p-4, 0x1.1111111110a2ep-7, 0x1.ba1ba1bb4fb01p-11, 0x1.664f47e131d34p-14, 0x1.226e5f632152ep-17, 0x1.d6c79f67b9ea2p-21, 0x1.7eab716432927p-24, 0x1.287be443b1fa5p-27, 0x1.4eca98e67b632p-30}

	// Of the fast tier: sin(r)/r for |r| <= pi/2, tan(r)/r for |r| <= pi/4. The last
	// coefficient of sinFast32 is a little less than the best one, so that no sine is beyond 1.
	sinFast32 = []float64{0x1p0, -0x1.55554ap-3, 0x1.110e92p-7, -0x1.9f64acp-13, 0x1.5d101p-19}
	tanFast32 = []float64{0x1p0, 0x1.5554cap-2, 0x1.1131ccp-3, 0x1.b506dcp-5, 0x1.93f04ap-6, 0x1.69e118p-9, 0x1.3a8114p-7}
	sinFast64 = []float64{0x1p0, -0x1.5555555555555p-3, 0x1.11111111110ddp-7, -0x1.a01a01a01708p-13, 0x1.71de3a5409778p-19, -0x1.ae6455c1dfc0bp-26, 0x1.612424d79e9e6p-33, -0x1.ae6877f18e51fp-41, 0x1.9075f11ba5ac7p-49, -0x1.867878e5965e7p-58}

	quarterParts   = []float64{quarter, quarterLo, quarterLs}
	quarterParts32 = []float64{0x1.921fb4p0, 0x1.4442dp-24, 0x1.846988p-48}
)

func expandSin(b *builder, a []kernel.Ref) kernel.Ref {
	if b.isSingle(a[0]) {
		return b.wave32(a[0], 0)
	}
	return b.signedBy(b.wave64(b.Op(ir.OpAbs, a[0]), 0), a[0])
}

func expandCos(b *builder, a []kernel.Ref) kernel.Ref {
	if b.isSingle(a[0]) {
		return b.wave32(a[0], 1)
	}
	return b.wave64(b.Op(ir.OpAbs, a[0]), 1)
}

func expandTan(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		n, r := b.reduceAngle(b.Cast(ir.Float64, x), quarters, quarterParts[:2], b.isFar(x, farFrom), far32)
		t := b.Op(ir.OpMul, r, b.estrin(b.Op(ir.OpMul, r, r), tanPoly32))
		return b.Cast(ir.Float32, b.minusInverse(b.isOdd(n), t))
	}
	n, r := b.quadrantPair(b.Op(ir.OpAbs, x))
	return b.signedBy(b.flip(b.tan64(b.isOdd(n), r), n, 0), x)
}

func fastSin(b *builder, a []kernel.Ref) kernel.Ref { return b.fastWave(a[0], halves) }
func fastCos(b *builder, a []kernel.Ref) kernel.Ref {
	return b.fastWave(b.Op(ir.OpAbs, a[0]), midways)
}

func fastTan(b *builder, a []kernel.Ref) kernel.Ref {
	n, r := b.fastReduce(a[0], quarters)
	s := b.Op(ir.OpMul, r, r)
	odd := b.isOdd(n)
	if b.isSingle(r) {
		return b.minusInverse(odd, b.Op(ir.OpMul, r, b.poly(s, tanFast32)))
	}
	sin := b.Op(ir.OpMul, r, b.Op(ir.OpFMA, s, b.estrin(s, sinPoly64), b.f64(1)))
	cos := b.horner(s, []float64{1, -0.5}, b.estrin(s, cosPoly64))
	num := b.Op(ir.OpSelect, odd, b.Op(ir.OpNeg, cos), sin)
	return b.Op(ir.OpDiv, num, b.Op(ir.OpSelect, odd, sin, cos))
}

// wave32 is sin(x + quadrant*pi/2) of float32. The square is that of the exact angle. The excess of the reduced angle is subtracted at the end,
// because a sum with -0 would not be -0.
func (b *builder) wave32(x kernel.Ref, quadrant int64) kernel.Ref {
	n, r, less := b.quadrant32(x)
	s := b.Op(ir.OpFMA, r, r, b.Op(ir.OpMul, b.Op(ir.OpMul, r, b.f32(-2)), less))
	sin := b.Op(ir.OpSub, r, b.Op(ir.OpFMA, b.Op(ir.OpMul, r, s), b.polyNative(s, sinPoly32), less))
	cos := b.Op(ir.OpFMA, s, b.polyNative(s, cosPoly32), b.f32(1))
	if quadrant != 0 {
		n = b.Bitcast(ir.Float32, b.Op(ir.OpAdd, b.Bitcast(ir.Int32, n), b.Int(ir.Int32, quadrant)))
	}
	return b.flip(b.Op(ir.OpSelect, b.isOdd(n), cos, sin), n, 1)
}

// wave64 is sin(x + quadrant*pi/2) for x >= 0.
func (b *builder) wave64(x kernel.Ref, quadrant int64) kernel.Ref {
	n, r := b.quadrantPair(x)
	if quadrant != 0 {
		n = b.Bitcast(ir.Float64, b.Op(ir.OpAdd, b.Bitcast(ir.Int64, n), b.Int(ir.Int64, quadrant)))
	}
	sin, cos := b.sinCos(r)
	return b.flip(b.Op(ir.OpSelect, b.isOdd(n), b.sum(cos), b.sum(sin)), n, 1)
}

// sinCos returns sine and cosine of |r| <= pi/4, as in fdlibm: r and 1-r^2/2, each with a correction for the lower part of
// r.
func (b *builder) sinCos(r pair) (sin, cos pair) {
	s := b.Op(ir.OpMul, r.hi, r.hi)
	near := b.Op(ir.OpFMA, s, b.f64(-0.5), b.f64(1))
	lost := b.Op(ir.OpFMA, s, b.f64(-0.5), b.Op(ir.OpSub, b.f64(1), near))
	p := b.poly(s, sinPoly64)
	q := b.poly(s, cosPoly64)
	sin = pair{r.hi, b.Op(ir.OpFMA, b.Op(ir.OpMul, r.hi, s), p, b.Op(ir.OpMul, r.lo, near))}
	cos = pair{near, b.Op(ir.OpFMA, b.Op(ir.OpMul, s, s), q, b.Op(ir.OpFMA, b.Op(ir.OpNeg, r.hi), r.lo, lost))}
	return sin, cos
}

// tan64 is u/(1 - u^2/4) with u = 2*tan(r/2), or the inverse where odd is true. The polynomial of u adds less to r than that of a tangent or a
// sine would, and rounds less.
func (b *builder) tan64(odd kernel.Ref, r pair) kernel.Ref {
	s := b.Op(ir.OpMul, r.hi, r.hi)
	slope := b.Op(ir.OpFMA, s, b.f64(0.25), b.f64(1)) // of u, for what is left of r
	rest := b.Op(ir.OpFMA, b.Op(ir.OpMul, r.hi, s), b.tailHorner(s, tanHalfPoly64), b.Op(ir.OpMul, r.lo, slope))
	u := b.fastTwoSum(r.hi, rest)

	half := b.Op(ir.OpMul, u.hi, b.f64(0.5))
	square := b.twoProd(half, half)
	d := b.fastTwoSum(b.f64(1), b.Op(ir.OpNeg, square.hi))
	d.lo = b.Op(ir.OpSub, d.lo, b.Op(ir.OpFMA, half, u.lo, square.lo))

	choose := func(y, z kernel.Ref) kernel.Ref { return b.Op(ir.OpSelect, odd, y, z) }
	num := pair{choose(d.hi, u.hi), choose(d.lo, u.lo)}
	den := pair{choose(u.hi, d.hi), choose(u.lo, d.lo)}
	return b.sum(b.divPair(num, den))
}

// minusInverse returns -1/t where odd is true, else t.
func (b *builder) minusInverse(odd, t kernel.Ref) kernel.Ref {
	dt := b.DType(t)
	num := b.Op(ir.OpSelect, odd, b.Int(dt, -1), t)
	return b.Op(ir.OpDiv, num, b.Op(ir.OpSelect, odd, t, b.Int(dt, 1)))
}

func (b *builder) fastWave(x kernel.Ref, g grid) kernel.Ref {
	n, r := b.fastReduce(x, g)
	r = b.flip(r, n, 0)
	s := b.Op(ir.OpMul, r, r)
	if b.isSingle(r) {
		return b.Op(ir.OpMul, r, b.poly(s, sinFast32))
	}
	return b.clamp(b.Op(ir.OpMul, r, b.poly(s, sinFast64)), -1, 1)
}

func (b *builder) fastReduce(x kernel.Ref, g grid) (n, r kernel.Ref) {
	if b.isSingle(x) {
		return b.reduceAngle(x, g, quarterParts32, b.isFar(x, far32From), far32)
	}
	return b.reduceAngle(x, g, quarterParts, b.isFar(x, farFrom), far64)
}

func (b *builder) isFar(x kernel.Ref, from float64) kernel.Ref {
	if in := b.Kernel().Inst(x); in == nil || in.Op != ir.OpAbs {
		x = b.Op(ir.OpAbs, x)
	}
	return b.Op(ir.OpLe, b.Float(b.DType(x), from), x)
}

// poly evaluates a polynomial one term after another.
func (b *builder) poly(x kernel.Ref, c []float64) kernel.Ref {
	last := len(c) - 1
	return b.horner(x, c[:last], b.Float(b.DType(x), c[last]))
}

// isOdd tests the lowest bit of a sum with magic.
func (b *builder) isOdd(n kernel.Ref) kernel.Ref {
	bits := b.bitsOf(n)
	top := b.Op(ir.OpShl, b.Bitcast(bits, n), b.Int(bits, int64(8*bits.Size()-1)))
	return b.Op(ir.OpLt, top, b.Int(bits, 0))
}

// flip negates x where a bit of n, a sum with magic, is set.
func (b *builder) flip(x, n kernel.Ref, bit int) kernel.Ref {
	bits := b.bitsOf(n)
	top := b.Op(ir.OpShl, b.Bitcast(bits, n), b.Int(bits, int64(8*bits.Size()-1-bit)))
	if bit != 0 {
		top = b.Op(ir.OpAnd, top, b.Const(bits, ir.Wrap(bits, math.MinInt64>>(64-8*bits.Size()))))
	}
	return b.Bitcast(b.DType(x), b.Op(ir.OpXor, b.Bitcast(bits, x), top))
}

// signedBy negates y where the sign bit of x is set.
func (b *builder) signedBy(y, x kernel.Ref) kernel.Ref {
	dt := b.DType(x)
	bits := b.bitsOf(x)
	sign := b.Op(ir.OpAnd, b.Bitcast(bits, x), b.Const(bits, ir.Wrap(bits, math.MinInt64>>(64-8*bits.Size()))))
	return b.Bitcast(dt, b.Op(ir.OpXor, b.Bitcast(bits, y), sign))
}
