package ir

import "math"

// asinh, acosh and atanh as logarithms of numbers that are kept as pairs, or in
// float64 for float32. They work on |x| and put the sign back.

func expandAsinh(b *Builder, a []Ref) Ref {
	x := a[0]
	t := b.Op(OpAbs, x)
	if b.DType(x) == Float32 {
		t = b.Cast(Float32, b.asinh32(b.Cast(Float64, t)))
	} else {
		t = b.asinh64(t)
	}
	abs := b.Op(OpAbs, x)
	infinity := fromFloat(b.DType(x), math.Inf(1))
	return b.withSign(b.Op(OpSeldom, b.outside(abs, 0, infinity), abs, t), x)
}

func expandAcosh(b *Builder, a []Ref) Ref {
	x := a[0]
	var y Ref
	if b.DType(x) == Float32 {
		y = b.Cast(Float32, b.log1p32(b.acoshLess1(b.Cast(Float64, x))))
	} else {
		y = b.areaLog(x, -1)
	}
	infinity := fromFloat(b.DType(x), math.Inf(1))
	edge := b.Op(OpSqrt, b.Op(OpSub, x, b.Int(b.DType(x), 1)))
	return b.Op(OpSeldom, b.outside(x, fromFloat(b.DType(x), 1), infinity), edge, y)
}

func expandAtanh(b *Builder, a []Ref) Ref {
	x := a[0]
	t := b.Op(OpAbs, x)
	dt := b.DType(x)
	var y Ref
	if dt == Float32 {
		y = b.Cast(Float32, b.atanh32(b.Cast(Float64, t)))
	} else {
		y = b.atanh64(t)
	}
	// +Inf at 1, NaN beyond.
	edge := b.Op(OpDiv, b.Int(dt, 1), b.Op(OpSqrt, b.Op(OpSub, b.Int(dt, 1), t)))
	y = b.Op(OpSeldom, b.outside(t, 0, fromFloat(dt, 1)), edge, y)
	return b.withSign(y, x)
}

// acoshLess1 returns exp(acosh(x)) - 1.
func (b *Builder) acoshLess1(x Ref) Ref {
	unit := b.Int(b.DType(x), 1)
	d := b.Op(OpSub, x, unit)
	return b.Op(OpAdd, d, b.Op(OpSqrt, b.Op(OpMul, d, b.Op(OpAdd, x, unit))))
}

// asinh32 is log(a + sqrt(a^2+1)), or a - a^3/6 where that loses a.
func (b *Builder) asinh32(a Ref) Ref {
	s := b.Op(OpMul, a, a)
	far := b.log32(b.Op(OpAdd, a, b.Op(OpSqrt, b.Op(OpAdd, s, b.f64(1)))))
	return b.nearZero(a, s, 0x1p-9, far)
}

// nearZero returns a - a^3/6 where a < limit, else far. s is a^2.
func (b *Builder) nearZero(a, s Ref, limit float64, far Ref) Ref {
	near := b.Op(OpFMA, b.Op(OpMul, a, s), b.f64(-1./6), a)
	return b.Op(OpSelect, b.Op(OpLt, a, b.f64(limit)), near, far)
}

func (b *Builder) asinh64(a Ref) Ref {
	return b.nearZero(a, b.Op(OpMul, a, a), 0x1p-20, b.areaLog(a, 1))
}

// areaLog returns log(a + sqrt(a^2+c)) for c of 1 or -1. Above 2^500, where a^2
// overflows and c is nothing, that is
// log(a/2) + 2*log(2).
func (b *Builder) areaLog(a Ref, c float64) Ref {
	sq := b.twoProd(a, a)
	t := b.twoSum(sq.hi, b.f64(c))
	r := b.sqrtPair(pair{t.hi, b.Op(OpAdd, t.lo, sq.lo)})
	var u pair
	if c > 0 {
		u = b.fastTwoSum(r.hi, a)
	} else {
		u = b.fastTwoSum(a, r.hi)
	}
	huge := b.Op(OpLt, b.f64(0x1p500), a)
	hi := b.Op(OpSelect, huge, b.Op(OpMul, a, b.f64(0.5)), u.hi)
	lo := b.Op(OpSelect, huge, b.f64(0), b.Op(OpAdd, u.lo, r.lo))

	e := b.exponent(hi)
	down := b.Op(OpSub, b.Const(Int64, one), e) // an addend to exponents
	f := b.Op(OpSub, b.Bitcast(Float64, b.Op(OpAdd, b.Bitcast(Int64, hi), down)), b.f64(1))
	p := b.Bitcast(Float64, b.Op(OpAdd, down, b.Const(Int64, one)))
	n := b.fastTwoSum(f, b.Op(OpMul, lo, p))
	d := b.half1p(n.hi)
	d.lo = b.Op(OpFMA, n.lo, b.f64(0.5), d.lo)
	minusE := b.Op(OpSub, b.minus(e), b.Op(OpSelect, huge, b.f64(2), b.f64(0)))
	return b.addExponent(minusE, b.logRatio(n, d), shortLn2)
}

// sqrtPair returns the square root of a pair that is 0 or not tiny.
func (b *Builder) sqrtPair(x pair) pair {
	r := b.Op(OpSqrt, x.hi)
	rest := b.Op(OpAdd, b.Op(OpFMA, b.Op(OpNeg, r), r, x.hi), x.lo)
	return pair{r, b.Op(OpDiv, rest, b.Op(OpFMA, r, b.f64(2), b.f64(0x1p-900)))}
}

// atanh32 is log((1+a)/(1-a))/2 with the quotient divided by p = 2^e, which is
// near it: the fraction that half1p would make of it has numerator 2n and
// denominator d, where 0 stays exact.
func (b *Builder) atanh32(a Ref) Ref {
	minusE, p := b.atanhScale(a)
	plus, less := b.Op(OpAdd, p, b.f64(1)), b.Op(OpSub, p, b.f64(1))
	n := b.Op(OpFMA, a, plus, b.Op(OpNeg, less))
	d := b.Op(OpFMA, a, b.Op(OpNeg, less), plus)
	s := b.Op(OpDiv, n, d) // half the s of logRatio
	z := b.Op(OpMul, s, s)
	y := b.Op(OpFMA, b.Op(OpMul, s, z), b.estrin(b.Op(OpMul, z, b.f64(4)), fourfold(atanhTail32)), s)
	return b.Op(OpFMA, minusE, b.f64(-ln2/2), y)
}

// atanh64 does it with pairs.
func (b *Builder) atanh64(a Ref) Ref {
	minusE, p := b.atanhScale(a)
	h := b.fastTwoSum(b.f64(1), a)
	g := b.fastTwoSum(b.f64(1), b.Op(OpNeg, a))
	g = pair{b.Op(OpMul, g.hi, p), b.Op(OpMul, g.lo, p)}
	n := b.fastTwoSum(b.Op(OpSub, h.hi, g.hi), b.Op(OpSub, h.lo, g.lo)) // the first is exact
	d := b.twoSum(h.hi, g.hi)
	half := b.f64(0.5)
	d = pair{b.Op(OpMul, d.hi, half), b.Op(OpMul, half, b.Op(OpAdd, d.lo, b.Op(OpAdd, h.lo, g.lo)))}
	y := b.addExponent(minusE, b.logRatio(n, d), shortLn2)
	return b.Op(OpMul, y, half)
}

// atanhScale returns a power of 2 within a factor of 1.51 of (1+a)/(1-a), whose
// logarithm the difference of the bits of the two is, nearly.
func (b *Builder) atanhScale(a Ref) (minusE, p Ref) {
	above := b.Bitcast(Int64, b.Op(OpAdd, a, b.f64(1)))
	below := b.Bitcast(Int64, b.Op(OpSub, b.f64(1), a))
	log := b.Op(OpAdd, b.Op(OpSub, above, below), b.Const(Int64, one+1<<(expLen-1)))
	e := b.Op(OpAnd, log, b.Const(Int64, expMask))
	return b.minus(e), b.Bitcast(Float64, e)
}

// fourfold returns the coefficients times 4.
func fourfold(c []float64) []float64 {
	out := make([]float64, len(c))
	for i, v := range c {
		out[i] = 4 * v
	}
	return out
}
