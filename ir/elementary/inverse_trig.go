package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// asin, acos, atan and atan2. Each is c + t + t^3*P(t^2) with c a multiple of pi/4. float64 adds what rounding removed from c and t, which
// keeps the error within about 1 ULP. asin and acos of float32 do the same in float32; atan and atan2 of float32 compute in float64,
// except in the fast tier.

var (
	// (asin(t)-t)/t^3 in t^2, t <= 1/2.
	asinPoly32 = []float64{0x1.5555ccp-3, 0x1.33010ep-4, 0x1.748f98p-5, 0x1.8b951ep-6, 0x1.59dbe4p-5}
	asinPoly64 = []float64{0x1.5555555555556p-3, 0x1.3333333332dcdp-4, 0x1.6db6db6e4397cp-5, 0x1.f1c71c14da09cp-6, 0x1.6e8bb2fe2329ap-6, 0x1.1c4d1bf9d28bap-6, 0x1.c9d1cecf332dcp-7, 0x1.780cd7fa32c4fp-7, 0x1.52df0d2513969p-7, 0x1.60a47d907b3cfp-8, 0x1.205df5d5ac419p-6, -0x1.f07d84dfc527p-7, 0x1.da67301f75728p-6}
	// atan(t)/t in t^2, t <= 1: in float64 to the accuracy of float32, and for
	// the fast tier.
	atanPoly32 = []float64{0x1.fffffffcce787p-1, -0x1.55554f06c13cfp-2, 0x1.999786f398344p-3, -0x1.246feba32df7fp-3, 0x1.c4cad8eb37956p-4, -0x1.6865d166e5f1cp-4, 0x1.1317836f69b75p-4, -0x1.6b607ddb3520ap-5, 0x1.6cf1953028653p-6, -0x1.d7d1f9a3946cep-8, 0x1.1e07847c95d57p-10}
	atanFast32 = []float64{0x1p0, -0x1.5554d6p-2, 0x1.9977fp-3, -0x1.23031ep-3, 0x1.b4a728p-4, -0x1.34dff2p-4, 0x1.60eeccp-5, -0x1.0ae84cp-6, 0x1.7c5b12p-9}
	atanFast64 = []float64{0x1p0, -0x1.555555555543fp-2, 0x1.999999998357fp-3, -0x1.2492491f82b1ep-3, 0x1.c71c70986d997p-4, -0x1.745d01dfeedccp-4, 0x1.3b12afded14e9p-4, -0x1.1108885ecb399p-4, 0x1.e17749a95f321p-5, -0x1.ad2fb9d1c5dd3p-5, 0x1.7edb66d1ff72ap-5, -0x1.4f32588d01b44p-5, 0x1.16f6061fff6c3p-5, -0x1.a6d39bcdd341dp-6, 0x1.15d9a1426ced8p-6, -0x1.2c7c7472c700fp-7, 0x1.f863b45556c9fp-9, -0x1.3066efbb38d17p-10, 0x1.d25b20e0b6432p-13, -0x1.52c16617ab734p-16}
	// (atan(t)-t)/t^3 in t^2-atanMid, t <= 1. The powers of t^2-atanMid are small, so their terms round little. The first
	// coefficient is the value at atanMid, which was chosen so that the value has 70 bits.
	atanPoly64 = []float64{-0x1.09615e90aff17p-2, 0x1.c5e5c41d9381fp-4, -0x1.c10b0d776ddbcp-5, 0x1.dd5caa4cf102cp-6, -0x1.08fa5f923a366p-6, 0x1.2ee0b5fe4c6bcp-7, -0x1.618d99dee3304p-8, 0x1.a352824b2ef8cp-9, -0x1.f7903b410adebp-10, 0x1.316a18295138ep-10, -0x1.758c2111cc771p-11, 0x1.cc192b8f94f61p-12, -0x1.1cffd2029769fp-12, 0x1.62287fd47274ep-13, -0x1.bae989e89e93cp-14, 0x1.1d6730444886cp-14, -0x1.67b2e653f0e9cp-15, 0x1.6908dfaba9f1bp-16, -0x1.c86ddead52c6cp-17, 0x1.372c9c33fbd78p-16, -0x1.8d087295ab9f4p-17}
)

// atanMid is 1/2, nearly.
const atanMid = 0x1.fffffffffeb86p-2

// expandAsin computes with |x|. Beyond 1/2 the result is pi/2 less the arc of the root.
func expandAsin(b *builder, a []kernel.Ref) kernel.Ref {
	x := b.Op(ir.OpAbs, a[0])
	dt := b.DType(x)
	upper, square, root := b.arcOfRoot(x)
	zero := b.Int(dt, 0)
	t := pair{b.Op(ir.OpSelect, upper, b.Op(ir.OpNeg, root.hi), x), b.Op(ir.OpSelect, upper, b.Op(ir.OpNeg, root.lo), zero)}
	right := b.multiple(dt, 1)
	c := pair{b.Op(ir.OpSelect, upper, right.hi, zero), b.Op(ir.OpSelect, upper, right.lo, zero)}
	return b.withSign(b.arc(c, t, square, b.asinTail(square)), a[0])
}

// expandAcos is pi/2 - asin(x), without the difference where |x| > 1/2.
func expandAcos(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	dt := b.DType(x)
	upper, square, root := b.arcOfRoot(b.Op(ir.OpAbs, x))
	zero := b.Int(dt, 0)
	t := pair{b.Op(ir.OpSelect, upper, b.signedBy(root.hi, x), b.Op(ir.OpNeg, x)), b.Op(ir.OpSelect, upper, b.signedBy(root.lo, x), zero)}
	negative := b.Op(ir.OpLt, x, zero)
	right, straight := b.multiple(dt, 1), b.multiple(dt, 2)
	choose := func(straight, right kernel.Ref) kernel.Ref {
		return b.Op(ir.OpSelect, upper, b.Op(ir.OpSelect, negative, straight, zero), right)
	}
	c := pair{choose(straight.hi, right.hi), choose(straight.lo, right.lo)}
	return b.arc(c, t, square, b.asinTail(square))
}

func fastAsin(b *builder, a []kernel.Ref) kernel.Ref {
	x := b.Op(ir.OpAbs, a[0])
	dt := b.DType(x)
	upper, square, root := b.arcOfRoot(x)
	t := b.Op(ir.OpSelect, upper, b.Op(ir.OpNeg, root.hi), x)
	c := b.Op(ir.OpSelect, upper, b.Float(dt, quarter), b.Int(dt, 0))
	return b.withSign(b.fastArc(c, t, square), a[0])
}

func fastAcos(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	dt := b.DType(x)
	upper, square, root := b.arcOfRoot(b.Op(ir.OpAbs, x))
	zero := b.Int(dt, 0)
	t := b.Op(ir.OpSelect, upper, b.signedBy(root.hi, x), b.Op(ir.OpNeg, x))
	side := b.Op(ir.OpSelect, b.Op(ir.OpLt, x, zero), b.Float(dt, 2*quarter), zero)
	return b.fastArc(b.Op(ir.OpSelect, upper, side, b.Float(dt, quarter)), t, square)
}

func (b *builder) fastArc(c, t, square kernel.Ref) kernel.Ref {
	return b.Op(ir.OpFMA, t, b.Op(ir.OpFMA, square, b.asinTail(square), b.Int(b.DType(t), 1)), c)
}

// arcOfRoot returns whether x > 1/2, the argument of asin's polynomial, which is x^2 or (1-x)/2, and twice the root of (1-x)/2: NaN for
// x > 1.
func (b *builder) arcOfRoot(x kernel.Ref) (upper, square kernel.Ref, root pair) {
	dt := b.DType(x)
	half := b.Float(dt, 0.5)
	upper = b.Op(ir.OpLt, half, x)
	square = b.Op(ir.OpSelect, upper, b.Op(ir.OpFMA, x, b.Float(dt, -0.5), half), b.Op(ir.OpMul, x, x))
	r := b.Op(ir.OpSqrt, square)
	rest := b.Op(ir.OpFMA, b.Op(ir.OpNeg, r), r, square)
	nonzero := b.Op(ir.OpAdd, r, b.Float(dt, 0x1p-100)) // r, unless it is 0
	return upper, square, pair{b.Op(ir.OpAdd, r, r), b.Op(ir.OpDiv, rest, nonzero)}
}

func (b *builder) asinTail(square kernel.Ref) kernel.Ref {
	if b.isSingle(square) {
		return b.poly(square, asinPoly32)
	}
	return b.lowLast(square, asinPoly64, 4)
}

// lowLast evaluates the n lowest terms of a polynomial one after the other, which rounds less, and the others by halves.
func (b *builder) lowLast(x kernel.Ref, c []float64, n int) kernel.Ref {
	return b.horner(x, c[:n], b.estrin(x, c[n:]))
}

// arc returns c + t + t^3*tail, for |c| >= |t| or c = 0.
func (b *builder) arc(c, t pair, square, tail kernel.Ref) kernel.Ref {
	s := b.fastTwoSum(c.hi, t.hi)
	rest := b.Op(ir.OpFMA, b.Op(ir.OpMul, t.hi, square), tail, t.lo)
	return b.Op(ir.OpAdd, s.hi, b.Op(ir.OpAdd, b.Op(ir.OpAdd, s.lo, c.lo), rest))
}

// multiple returns n*pi/2 to twice the precision of a type.
func (b *builder) multiple(dt ir.DType, n float64) pair {
	if !single(dt) {
		return b.constPair(n*quarter, n*quarterLo)
	}
	hi := float64(float32(quarter))
	return pair{b.Float(dt, n*hi), b.Float(dt, n*(quarter-hi))}
}

// expandAtan uses -1/x and pi/2 for x > 1.
func expandAtan(b *builder, a []kernel.Ref) kernel.Ref {
	if b.isSingle(a[0]) {
		x := b.Cast(ir.Float64, b.Op(ir.OpAbs, a[0]))
		return b.withSign(b.Cast(ir.Float32, b.atanSimple(x, atanPoly32)), a[0])
	}
	x := b.upTo(b.Op(ir.OpAbs, a[0]), 0x1p60) // for the rest of 1/inf
	large := b.Op(ir.OpLt, b.f64(1), x)
	t := b.Op(ir.OpDiv, b.f64(-1), x)
	rest := b.Op(ir.OpMul, b.Op(ir.OpFMA, t, x, b.f64(1)), t)
	zero, right := b.f64(0), b.multiple(ir.Float64, 1)
	choose := func(y, z kernel.Ref) kernel.Ref { return b.Op(ir.OpSelect, large, y, z) }
	t2 := pair{choose(t, x), choose(rest, zero)}
	return b.withSign(b.atanArc(pair{choose(right.hi, zero), choose(right.lo, zero)}, t2), a[0])
}

func fastAtan(b *builder, a []kernel.Ref) kernel.Ref {
	return b.withSign(b.atanSimple(b.Op(ir.OpAbs, a[0]), atanFast(b.DType(a[0]))), a[0])
}

// atanSimple is atan for x >= 0 with the plain sum of c and the arc.
func (b *builder) atanSimple(x kernel.Ref, poly []float64) kernel.Ref {
	dt := b.DType(x)
	one := b.Int(dt, 1)
	large := b.Op(ir.OpLt, one, x)
	t := b.Op(ir.OpDiv, b.Op(ir.OpSelect, large, b.Int(dt, -1), x), b.Op(ir.OpSelect, large, x, one))
	c := b.Op(ir.OpSelect, large, b.Float(dt, quarter), b.Int(dt, 0))
	return b.Op(ir.OpFMA, t, b.lowLast(b.Op(ir.OpMul, t, t), poly, 3), c)
}

// atanArc is c + atan(t) with c and t as pairs, |t| <= 1. The lower part of t is multiplied by the slope of atan, 1/(1+t^2), for which
// 1-t^2/2 is close enough. If t is near 1, what rounding removed from t^2, t^3 and the polynomial matters too.
func (b *builder) atanArc(c, t pair) kernel.Ref {
	s := b.Op(ir.OpMul, t.hi, t.hi)
	t.lo = b.Op(ir.OpMul, t.lo, b.Op(ir.OpFMA, s, b.f64(-0.5), b.f64(1)))
	lost := b.Op(ir.OpFMA, t.hi, t.hi, b.Op(ir.OpNeg, s))
	cube := b.twoProd(t.hi, s)
	w := b.Op(ir.OpSub, s, b.f64(atanMid))
	mid, rest := b.f64(atanPoly64[0]), b.Op(ir.OpMul, w, b.lowLast(w, atanPoly64[1:], 4))
	sum := b.fastTwoSum(c.hi, t.hi)
	least := b.Op(ir.OpAdd, b.Op(ir.OpAdd, sum.lo, c.lo), b.Op(ir.OpFMA, lost, b.f64(-0.15), t.lo))
	least = b.Op(ir.OpFMA, cube.hi, rest, b.Op(ir.OpFMA, cube.lo, mid, least))
	return b.Op(ir.OpAdd, sum.hi, b.Op(ir.OpFMA, cube.hi, mid, least))
}

// expandAtan2 divides the lesser of |y| and |x| by the greater. That is the tangent of the angle to the nearer axis, and the angle of
// that axis is added.
func expandAtan2(b *builder, a []kernel.Ref) kernel.Ref {
	if b.isSingle(a[0]) {
		y, x := b.Cast(ir.Float64, a[0]), b.Cast(ir.Float64, a[1])
		return b.Cast(ir.Float32, b.atan2Simple(y, x, atanPoly32))
	}
	q := b.octant(a[0], a[1])
	up := b.Op(ir.OpSelect, b.Op(ir.OpLt, q.greater, b.f64(0x1p-900)), b.f64(0x1p110), b.f64(1)) // so that the remainder doesn't underflow
	greater := b.Op(ir.OpMul, q.greater, up)
	rest := b.Op(ir.OpDiv, b.Op(ir.OpFMA, b.Op(ir.OpNeg, q.t), greater, b.Op(ir.OpMul, q.lesser, up)), greater)
	rest = b.Op(ir.OpSelect, b.Op(ir.OpLt, q.greater, b.f64(math.Inf(1))), rest, b.f64(0))
	right, straight := b.multiple(ir.Float64, 1), b.multiple(ir.Float64, 2)
	c := pair{b.axis(q, right.hi, straight.hi), b.axis(q, right.lo, straight.lo)}
	t := pair{b.turned(q, q.t), b.turned(q, rest)}
	return b.withSign(b.atanArc(c, t), a[0])
}

func fastAtan2(b *builder, a []kernel.Ref) kernel.Ref {
	return b.atan2Simple(a[0], a[1], atanFast(b.DType(a[0])))
}

func atanFast(dt ir.DType) []float64 {
	if single(dt) {
		return atanFast32
	}
	return atanFast64
}

func (b *builder) atan2Simple(y, x kernel.Ref, poly []float64) kernel.Ref {
	q := b.octant(y, x)
	dt := b.DType(x)
	c := b.axis(q, b.Float(dt, quarter), b.Float(dt, 2*quarter))
	t := b.turned(q, q.t)
	return b.withSign(b.Op(ir.OpFMA, t, b.lowLast(b.Op(ir.OpMul, t, t), poly, 3), c), y)
}

// octant is the octant of a point: steep if |y| > |x|, left if the sign bit of x is set.
type octant struct {
	steep, left        kernel.Ref
	lesser, greater, t kernel.Ref // t is their quotient
}

// octant divides so that 0/0 is 0 and inf/inf is 1, as C's atan2 requires.
func (b *builder) octant(y, x kernel.Ref) octant {
	dt := b.DType(x)
	ay, ax := b.Op(ir.OpAbs, y), b.Op(ir.OpAbs, x)
	q := octant{steep: b.Op(ir.OpLt, ax, ay)}
	bits := b.bitsOf(x)
	q.left = b.Op(ir.OpLt, b.Bitcast(bits, x), b.Int(bits, 0))
	q.lesser = b.Op(ir.OpSelect, q.steep, ax, ay)
	q.greater = b.Op(ir.OpSelect, q.steep, ay, ax)
	least := b.Const(dt, 1)
	q.greater = b.Op(ir.OpSelect, b.Op(ir.OpLt, q.greater, least), least, q.greater)
	q.t = b.Op(ir.OpSelect, b.Op(ir.OpEq, q.lesser, q.greater), b.Int(dt, 1), b.Op(ir.OpDiv, q.lesser, q.greater))
	return q
}

// axis returns right where the point's axis is at a quarter turn, straight at a half turn, else 0.
func (b *builder) axis(q octant, right, straight kernel.Ref) kernel.Ref {
	zero := b.Int(b.DType(right), 0)
	return b.Op(ir.OpSelect, q.steep, right, b.Op(ir.OpSelect, q.left, straight, zero))
}

// turned negates t where the angle is measured backwards from its axis.
func (b *builder) turned(q octant, t kernel.Ref) kernel.Ref {
	return b.Op(ir.OpSelect, b.Op(ir.OpXor, q.steep, q.left), b.Op(ir.OpNeg, t), t)
}
