package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The activations that are linear on one side, and softsign.

// The constants of selu, and their product, to twice the precision.
var (
	seluScale    = [2]float64{0x1.0cfabd6a91132p0, 0x1.6fc7d272f2695p-55}
	seluNegative = [2]float64{0x1.c212cc640f031p0, 0x1.05161b045a1fep-56}
)

// tinyExp is the bound below which exp(x)-1 equals x to the last bit.
const tinyExp = 0x1p-60

// expandELU is y*(exp(x)-1) for negative x, else x times 1 or y, which keeps
// zeros.
func expandELU(b *builder, a []kernel.Ref) kernel.Ref {
	x, y := a[0], a[1]
	dt := b.DType(x)
	least, neg := tinyExp, b.upTo(x, 0)
	if single(dt) {
		m := b.expm1For32(b.Cast(ir.Float64, b.atLeast(neg, -20)))
		least, neg = 0, b.Cast(ir.Float32, b.Op(ir.OpMul, m, b.Cast(ir.Float64, y)))
	} else {
		m := b.expm1Pair(pair{b.atLeast(neg, -60), b.f64(0)})
		neg = b.Op(ir.OpUnlikely, b.outside(b.Op(ir.OpAbs, y), math.Float64bits(0x1p-900), math.Float64bits(math.Inf(1))), b.scaleFar(m, y), b.scaleSum(m, y))
	}
	pos := b.Op(ir.OpMul, x, b.Op(ir.OpSelect, b.Op(ir.OpLt, b.Int(dt, 0), x), b.Int(dt, 1), y))
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.Float(dt, -least)), neg, pos)
}

// scaleFar is scaleSum for a y that is 0 or infinite, where a sum of products is not the product, or for a y so small that the
// products are below the normal range.
func (b *builder) scaleFar(x pair, y kernel.Ref) kernel.Ref {
	up := b.Op(ir.OpMul, y, b.f64(0x1p200))
	small := b.Op(ir.OpMul, b.scaleSum(x, up), b.f64(0x1p-200))
	least := b.Op(ir.OpAnd, b.Op(ir.OpLt, b.f64(0), b.Op(ir.OpAbs, y)), b.Op(ir.OpLt, b.Op(ir.OpAbs, y), b.f64(1)))
	return b.Op(ir.OpSelect, least, small, b.Op(ir.OpMul, x.hi, y))
}

func expandSELU(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	neg := b.upTo(x, 0)
	if b.isSingle(x) {
		m := b.expm1For32(b.Cast(ir.Float64, b.atLeast(neg, -20)))
		w := b.Cast(ir.Float64, x)
		neg, pos := b.Op(ir.OpMul, m, b.f64(seluNegative[0])), b.Op(ir.OpMul, w, b.f64(seluScale[0]))
		return b.Cast(ir.Float32, b.Op(ir.OpSelect, b.Op(ir.OpLt, w, b.f64(0)), neg, pos))
	}
	m := b.expm1Pair(pair{b.atLeast(neg, -60), b.f64(0)})
	neg = b.sum(b.mulPair(m, b.constPair(seluNegative[0], seluNegative[1])))
	above := b.Op(ir.OpLt, b.f64(0), x)
	hi := b.Op(ir.OpSelect, above, b.f64(seluScale[0]), b.f64(seluNegative[0]))
	lo := b.Op(ir.OpSelect, above, b.f64(seluScale[1]), b.f64(seluNegative[1]))
	pos := b.Op(ir.OpFMA, x, hi, b.Op(ir.OpMul, x, lo))
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.f64(-tinyExp)), neg, pos)
}

// expandCELU is y*(exp(x/y)-1) for negative x; it is never positive there. It is also x if x/y is tiny, which includes an infinite y.
func expandCELU(b *builder, a []kernel.Ref) kernel.Ref {
	x, y := a[0], a[1]
	var q, neg kernel.Ref
	if b.isSingle(x) {
		w := b.Cast(ir.Float64, y)
		q = b.Op(ir.OpDiv, b.Cast(ir.Float64, x), w)
		inf := b.f64(math.Inf(1))
		m := b.Op(ir.OpSelect, b.Op(ir.OpEq, q, inf), inf, b.expm1For32(b.clamp(q, -20, 700)))
		neg = b.Op(ir.OpMul, w, m)
		neg = b.Op(ir.OpSelect, b.Op(ir.OpLt, b.Op(ir.OpAbs, q), b.f64(tinyExp)), b.Cast(ir.Float64, x), neg)
		neg = b.Cast(ir.Float32, neg)
	} else {
		q = b.Op(ir.OpDiv, x, y)
		neg = b.Op(ir.OpNeg, b.Op(ir.OpAbs, b.celuTail64(x, y, q)))
		neg = b.Op(ir.OpSelect, b.Op(ir.OpLt, b.Op(ir.OpAbs, q), b.f64(tinyExp)), x, neg)
	}
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, b.Int(b.DType(x), 0), x), x, neg)
}

// celuTail64 is y*(exp(x/y)-1), for q = x/y rounded. It accounts for the remainder of the quotient. x/y is positive if y is negative:
// exp(x/y) then grows, and may exceed the range although its product with y does not.
func (b *builder) celuTail64(x, y, q kernel.Ref) kernel.Ref {
	small := b.Op(ir.OpLt, b.Op(ir.OpAbs, x), b.f64(0x1p-900)) // 2^110 times that, nothing is below the normal range
	up := b.Op(ir.OpSelect, small, b.f64(0x1p110), b.f64(1))
	xUp, yUp := b.Op(ir.OpMul, x, up), b.Op(ir.OpMul, y, up)
	rest := b.Op(ir.OpDiv, b.Op(ir.OpFMA, b.Op(ir.OpNeg, q), yUp, xUp), yUp)
	rest = b.Op(ir.OpSelect, b.Op(ir.OpLt, b.Op(ir.OpAbs, q), b.f64(1500)), rest, b.f64(0))
	// Beyond limit the product is infinite, even for the least y above (1024+1074)*ln2. Otherwise the limit is 1418, as
	// far as scalb reaches.
	limit := b.Op(ir.OpSelect, small, b.f64(1455), b.f64(1418))
	beyond := b.Op(ir.OpLt, limit, q)
	m, _, kf := b.expPair(pair{b.Op(ir.OpSelect, beyond, limit, q), rest})
	kf = b.Op(ir.OpSub, kf, b.Op(ir.OpSelect, small, b.f64(110), b.f64(0)))
	great := b.Op(ir.OpScalb, b.scaleSum(m, yUp), kf)
	great = b.Op(ir.OpSelect, beyond, b.Op(ir.OpMul, y, b.f64(math.Inf(1))), great)
	near := b.scaleSum(b.expm1Pair(pair{b.clamp(q, -60, 60), rest}), y)
	return b.Op(ir.OpUnlikely, b.Op(ir.OpLt, b.f64(60), q), great, near)
}

// expm1Pair is exp(x)-1 for |x| <= 60, as in expm1For64.
func (b *builder) expm1Pair(x pair) pair {
	k, kf := b.scale(x.hi)
	r := b.reducePair(x.hi, kf)
	r = b.fastTwoSum(r.hi, b.Op(ir.OpAdd, r.lo, x.lo))
	e := b.powerOf2(b.toExponent(k))
	y := b.fastTwoSum(b.Op(ir.OpSub, e, b.f64(1)), b.Op(ir.OpMul, e, r.hi))
	return pair{y.hi, b.Op(ir.OpFMA, e, b.expTail(r), y.lo)}
}

// expandHardSwish keeps the rounding of x+3 and of the product.
func expandHardSwish(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	c := func(v float64) kernel.Ref { return b.Float(b.DType(x), v) }
	t := b.atLeast(x, -3)
	s := b.Op(ir.OpAdd, t, c(3))
	lost := b.Op(ir.OpSub, t, b.Op(ir.OpSub, s, c(3)))
	p := b.twoProd(t, s)
	p.lo = b.Op(ir.OpFMA, t, lost, p.lo)
	q := b.Op(ir.OpMul, p.hi, c(1./6))
	rest := b.Op(ir.OpAdd, b.Op(ir.OpFMA, q, c(-6), p.hi), p.lo)
	y := b.withSign(b.Op(ir.OpFMA, rest, c(1./6), q), x)
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, c(3), x), x, y)
}

// expandSoftsign keeps the rounding of 1+|x|. From 2^26, and 2^55 on, the
// result is 1.
func expandSoftsign(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	dt, most := b.DType(x), 0x1p26
	if !single(dt) {
		most = 0x1p55
	}
	t := b.upTo(b.Op(ir.OpAbs, x), most)
	y := b.divPair(pair{t, b.Int(dt, 0)}, b.twoSum(t, b.Int(dt, 1)))
	return b.withSign(b.sum(y), x)
}
