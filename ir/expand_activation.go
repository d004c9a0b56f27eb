package ir

import "math"

// The activations that are linear on one side, and softsign.

// The constants of selu, and the product of both, to twice the precision.
var (
	seluScale    = [2]float64{0x1.0cfabd6a91132p0, 0x1.6fc7d272f2695p-55}
	seluNegative = [2]float64{0x1.c212cc640f031p0, 0x1.05161b045a1fep-56}
)

// tinyExp is where exp(x)-1 is x to the last bit.
const tinyExp = 0x1p-60

// expandELU is y*(exp(x)-1) for negative x, else x times 1 or y, which keeps
// zeros.
func expandELU(b *Builder, a []Ref) Ref {
	x, y := a[0], a[1]
	dt := b.DType(x)
	least, neg := tinyExp, b.upTo(x, 0)
	if dt == Float32 {
		m := b.expm1For32(b.Cast(Float64, b.atLeast(neg, -20)))
		least, neg = 0, b.Cast(Float32, b.Op(OpMul, m, b.Cast(Float64, y)))
	} else {
		m := b.expm1Pair(pair{b.atLeast(neg, -60), b.f64(0)})
		beyond := b.Op(OpEq, y, b.Op(OpAdd, y, y)) // 0 or infinite, where a sum of products is not the product
		neg = b.Op(OpSelect, beyond, b.Op(OpMul, m.hi, y), b.scaleSum(m, y))
	}
	pos := b.Op(OpMul, x, b.Op(OpSelect, b.Op(OpLt, b.Int(dt, 0), x), b.Int(dt, 1), y))
	return b.Op(OpSelect, b.Op(OpLt, x, b.Float(dt, -least)), neg, pos)
}

func expandSELU(b *Builder, a []Ref) Ref {
	x := a[0]
	neg := b.upTo(x, 0)
	if b.DType(x) == Float32 {
		m := b.expm1For32(b.Cast(Float64, b.atLeast(neg, -20)))
		w := b.Cast(Float64, x)
		neg, pos := b.Op(OpMul, m, b.f64(seluNegative[0])), b.Op(OpMul, w, b.f64(seluScale[0]))
		return b.Cast(Float32, b.Op(OpSelect, b.Op(OpLt, w, b.f64(0)), neg, pos))
	}
	m := b.expm1Pair(pair{b.atLeast(neg, -60), b.f64(0)})
	neg = b.sum(b.mulPair(m, b.constPair(seluNegative[0], seluNegative[1])))
	above := b.Op(OpLt, b.f64(0), x)
	hi := b.Op(OpSelect, above, b.f64(seluScale[0]), b.f64(seluNegative[0]))
	lo := b.Op(OpSelect, above, b.f64(seluScale[1]), b.f64(seluNegative[1]))
	pos := b.Op(OpFMA, x, hi, b.Op(OpMul, x, lo))
	return b.Op(OpSelect, b.Op(OpLt, x, b.f64(-tinyExp)), neg, pos)
}

// expandCELU is y*(exp(x/y)-1) for negative x, which is never positive. It is x
// where x/y is tiny too: also for an infinite y.
func expandCELU(b *Builder, a []Ref) Ref {
	x, y := a[0], a[1]
	var q, neg Ref
	if b.DType(x) == Float32 {
		w := b.Cast(Float64, y)
		q = b.Op(OpDiv, b.Cast(Float64, x), w)
		inf := b.f64(math.Inf(1))
		m := b.Op(OpSelect, b.Op(OpEq, q, inf), inf, b.expm1For32(b.clamp(q, -20, 700)))
		neg = b.Op(OpMul, w, m)
		neg = b.Op(OpSelect, b.Op(OpLt, b.Op(OpAbs, q), b.f64(tinyExp)), b.Cast(Float64, x), neg)
		neg = b.Cast(Float32, neg)
	} else {
		q = b.Op(OpDiv, x, y)
		neg = b.Op(OpNeg, b.Op(OpAbs, b.celuTail64(x, y, q)))
		neg = b.Op(OpSelect, b.Op(OpLt, b.Op(OpAbs, q), b.f64(tinyExp)), x, neg)
	}
	return b.Op(OpSelect, b.Op(OpLt, b.Int(b.DType(x), 0), x), x, neg)
}

// celuTail64 is y*(exp(x/y)-1), for q = x/y rounded; the rest of the quotient
// counts. x/y above 0 is of a negative y: there exp(x/y) grows, and may be
// beyond the range when the product with y is not.
func (b *Builder) celuTail64(x, y, q Ref) Ref {
	small := b.Op(OpLt, b.Op(OpAbs, x), b.f64(0x1p-900)) // 2^110 times that, nothing is below the normal range
	up := b.Op(OpSelect, small, b.f64(0x1p110), b.f64(1))
	xUp, yUp := b.Op(OpMul, x, up), b.Op(OpMul, y, up)
	rest := b.Op(OpDiv, b.Op(OpFMA, b.Op(OpNeg, q), yUp, xUp), yUp)
	rest = b.Op(OpSelect, b.Op(OpLt, b.Op(OpAbs, q), b.f64(1500)), rest, b.f64(0))
	// Beyond, the product is infinite: for the least y above (1024+1074)*ln2. Else
	// 1418 is what scaleTwice64 can do.
	limit := b.Op(OpSelect, small, b.f64(1455), b.f64(1418))
	beyond := b.Op(OpLt, limit, q)
	m, k, kf := b.expPair(pair{b.Op(OpSelect, beyond, limit, q), rest})
	k = b.Op(OpSub, k, b.Op(OpSelect, small, b.Int(Int64, 110), b.Int(Int64, 0)))
	kf = b.Op(OpSub, kf, b.Op(OpSelect, small, b.f64(110), b.f64(0)))
	great := b.scaleTwice64(b.scaleSum(m, yUp), k, kf)
	great = b.Op(OpSelect, beyond, b.Op(OpMul, y, b.f64(math.Inf(1))), great)
	near := b.scaleSum(b.expm1Pair(pair{b.clamp(q, -60, 60), rest}), y)
	return b.Op(OpSeldom, b.Op(OpLt, b.f64(60), q), great, near)
}

// expm1Pair is exp(x)-1 for |x| <= 60, as in expm1For64.
func (b *Builder) expm1Pair(x pair) pair {
	k, kf := b.scale(x.hi)
	r := b.reducePair(x.hi, kf)
	r = b.fastTwoSum(r.hi, b.Op(OpAdd, r.lo, x.lo))
	e := b.powerOf2(b.toExponent(k))
	y := b.fastTwoSum(b.Op(OpSub, e, b.f64(1)), b.Op(OpMul, e, r.hi))
	return pair{y.hi, b.Op(OpFMA, e, b.expTail(r), y.lo)}
}

// expandHardSwish keeps the rounding of x+3 and of the product.
func expandHardSwish(b *Builder, a []Ref) Ref {
	x := a[0]
	c := func(v float64) Ref { return b.Float(b.DType(x), v) }
	t := b.atLeast(x, -3)
	s := b.Op(OpAdd, t, c(3))
	lost := b.Op(OpSub, t, b.Op(OpSub, s, c(3)))
	p := b.twoProd(t, s)
	p.lo = b.Op(OpFMA, t, lost, p.lo)
	q := b.Op(OpMul, p.hi, c(1./6))
	rest := b.Op(OpAdd, b.Op(OpFMA, q, c(-6), p.hi), p.lo)
	y := b.withSign(b.Op(OpFMA, rest, c(1./6), q), x)
	return b.Op(OpSelect, b.Op(OpLt, c(3), x), x, y)
}

// expandSoftsign keeps the rounding of 1+|x|. From 2^26, and 2^55 on, the
// result is 1.
func expandSoftsign(b *Builder, a []Ref) Ref {
	x := a[0]
	dt, most := b.DType(x), 0x1p26
	if dt == Float64 {
		most = 0x1p55
	}
	t := b.upTo(b.Op(OpAbs, x), most)
	y := b.divPair(pair{t, b.Int(dt, 0)}, b.twoSum(t, b.Int(dt, 1)))
	return b.withSign(b.sum(y), x)
}
