package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// asinh, acosh and atanh as logarithms of numbers that are pairs or, for float32, float64. They compute with |x| and restore the sign.

func expandAsinh(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	t := b.Op(ir.OpAbs, x)
	if b.isSingle(x) {
		t = b.Cast(ir.Float32, b.asinh32(b.Cast(ir.Float64, t)))
	} else {
		t = b.asinh64(t)
	}
	abs := b.Op(ir.OpAbs, x)
	infinity := ir.FromFloat(b.DType(x), math.Inf(1))
	return b.withSign(b.Op(ir.OpUnlikely, b.outside(abs, 0, infinity), abs, t), x)
}

func expandAcosh(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	var y kernel.Ref
	if b.isSingle(x) {
		y = b.Cast(ir.Float32, b.log1p32(b.acoshLess1(b.Cast(ir.Float64, x))))
	} else {
		y = b.areaLog(x, -1)
	}
	infinity := ir.FromFloat(b.DType(x), math.Inf(1))
	edge := b.Op(ir.OpSqrt, b.Op(ir.OpSub, x, b.Int(b.DType(x), 1)))
	return b.Op(ir.OpUnlikely, b.outside(x, ir.FromFloat(b.DType(x), 1), infinity), edge, y)
}

func expandAtanh(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	t := b.Op(ir.OpAbs, x)
	dt := b.DType(x)
	var y kernel.Ref
	if single(dt) {
		y = b.Cast(ir.Float32, b.atanh32(b.Cast(ir.Float64, t)))
	} else {
		y = b.atanh64(t)
	}
	// +Inf at 1, NaN beyond.
	edge := b.Op(ir.OpDiv, b.Int(dt, 1), b.Op(ir.OpSqrt, b.Op(ir.OpSub, b.Int(dt, 1), t)))
	y = b.Op(ir.OpUnlikely, b.outside(t, 0, ir.FromFloat(dt, 1)), edge, y)
	return b.withSign(y, x)
}

// acoshLess1 returns exp(acosh(x)) - 1.
func (b *builder) acoshLess1(x kernel.Ref) kernel.Ref {
	unit := b.Int(b.DType(x), 1)
	d := b.Op(ir.OpSub, x, unit)
	return b.Op(ir.OpAdd, d, b.Op(ir.OpSqrt, b.Op(ir.OpMul, d, b.Op(ir.OpAdd, x, unit))))
}

// asinh32 is log(a + sqrt(a^2+1)), or a - a^3/6 where the logarithm would lose a.
func (b *builder) asinh32(a kernel.Ref) kernel.Ref {
	s := b.Op(ir.OpMul, a, a)
	far := b.log32(b.Op(ir.OpAdd, a, b.Op(ir.OpSqrt, b.Op(ir.OpAdd, s, b.f64(1)))))
	return b.nearZero(a, s, 0x1p-9, far)
}

// nearZero returns a - a^3/6 where a < limit, else far. s is a^2.
func (b *builder) nearZero(a, s kernel.Ref, limit float64, far kernel.Ref) kernel.Ref {
	near := b.Op(ir.OpFMA, b.Op(ir.OpMul, a, s), b.f64(-1./6), a)
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, a, b.f64(limit)), near, far)
}

func (b *builder) asinh64(a kernel.Ref) kernel.Ref {
	return b.nearZero(a, b.Op(ir.OpMul, a, a), 0x1p-20, b.areaLog(a, 1))
}

// areaLog returns log(a + sqrt(a^2+c)) for c of 1 or -1. Above 2^500, where a^2 overflows and c does not matter, that is log(a/2) +
// 2*log(2).
func (b *builder) areaLog(a kernel.Ref, c float64) kernel.Ref {
	sq := b.twoProd(a, a)
	t := b.twoSum(sq.hi, b.f64(c))
	r := b.sqrtPair(pair{t.hi, b.Op(ir.OpAdd, t.lo, sq.lo)})
	var u pair
	if c > 0 {
		u = b.fastTwoSum(r.hi, a)
	} else {
		u = b.fastTwoSum(a, r.hi)
	}
	huge := b.Op(ir.OpLt, b.f64(0x1p500), a)
	hi := b.Op(ir.OpSelect, huge, b.Op(ir.OpMul, a, b.f64(0.5)), u.hi)
	lo := b.Op(ir.OpSelect, huge, b.f64(0), b.Op(ir.OpAdd, u.lo, r.lo))

	e := b.exponent(hi)
	down := b.Op(ir.OpSub, b.Const(ir.Int64, one), e) // an addend to exponents
	f := b.Op(ir.OpSub, b.Bitcast(ir.Float64, b.Op(ir.OpAdd, b.Bitcast(ir.Int64, hi), down)), b.f64(1))
	p := b.Bitcast(ir.Float64, b.Op(ir.OpAdd, down, b.Const(ir.Int64, one)))
	n := b.fastTwoSum(f, b.Op(ir.OpMul, lo, p))
	d := b.half1p(n.hi)
	d.lo = b.Op(ir.OpFMA, n.lo, b.f64(0.5), d.lo)
	minusE := b.Op(ir.OpSub, b.minus(e), b.Op(ir.OpSelect, huge, b.f64(2), b.f64(0)))
	return b.addExponent(minusE, b.logRatio(n, d), shortLn2)
}

// sqrtPair returns the square root of a pair that is 0 or not tiny.
func (b *builder) sqrtPair(x pair) pair {
	r := b.Op(ir.OpSqrt, x.hi)
	rest := b.Op(ir.OpAdd, b.Op(ir.OpFMA, b.Op(ir.OpNeg, r), r, x.hi), x.lo)
	return pair{r, b.Op(ir.OpDiv, rest, b.Op(ir.OpFMA, r, b.f64(2), b.f64(0x1p-900)))}
}

// atanh32 is log((1+a)/(1-a))/2 with the quotient divided by p = 2^e, which is near it. The fraction that half1p would return for it has the
// numerator 2n and the denominator d; 0 stays exact.
func (b *builder) atanh32(a kernel.Ref) kernel.Ref {
	minusE, p := b.atanhScale(a)
	plus, less := b.Op(ir.OpAdd, p, b.f64(1)), b.Op(ir.OpSub, p, b.f64(1))
	n := b.Op(ir.OpFMA, a, plus, b.Op(ir.OpNeg, less))
	d := b.Op(ir.OpFMA, a, b.Op(ir.OpNeg, less), plus)
	s := b.Op(ir.OpDiv, n, d) // half the s of logRatio
	z := b.Op(ir.OpMul, s, s)
	y := b.Op(ir.OpFMA, b.Op(ir.OpMul, s, z), b.estrin(b.Op(ir.OpMul, z, b.f64(4)), fourfold(atanhTail32)), s)
	return b.Op(ir.OpFMA, minusE, b.f64(-ln2/2), y)
}

// atanh64 is atanh computed with pairs.
func (b *builder) atanh64(a kernel.Ref) kernel.Ref {
	minusE, p := b.atanhScale(a)
	h := b.fastTwoSum(b.f64(1), a)
	g := b.fastTwoSum(b.f64(1), b.Op(ir.OpNeg, a))
	g = pair{b.Op(ir.OpMul, g.hi, p), b.Op(ir.OpMul, g.lo, p)}
	n := b.fastTwoSum(b.Op(ir.OpSub, h.hi, g.hi), b.Op(ir.OpSub, h.lo, g.lo)) // the first is exact
	d := b.twoSum(h.hi, g.hi)
	half := b.f64(0.5)
	d = pair{b.Op(ir.OpMul, d.hi, half), b.Op(ir.OpMul, half, b.Op(ir.OpAdd, d.lo, b.Op(ir.OpAdd, h.lo, g.lo)))}
	y := b.addExponent(minusE, b.logRatio(n, d), shortLn2)
	return b.Op(ir.OpMul, y, half)
}

// atanhScale returns a power of 2 within a factor of 1.51 of (1+a)/(1-a). The difference of the bits of numerator and denominator is
// nearly the logarithm of the quotient.
func (b *builder) atanhScale(a kernel.Ref) (minusE, p kernel.Ref) {
	above := b.Bitcast(ir.Int64, b.Op(ir.OpAdd, a, b.f64(1)))
	below := b.Bitcast(ir.Int64, b.Op(ir.OpSub, b.f64(1), a))
	log := b.Op(ir.OpAdd, b.Op(ir.OpSub, above, below), b.Const(ir.Int64, one+1<<(expLen-1)))
	e := b.Op(ir.OpAnd, log, b.Const(ir.Int64, expMask))
	return b.minus(e), b.Bitcast(ir.Float64, e)
}

// fourfold returns the coefficients times 4.
func fourfold(c []float64) []float64 {
	out := make([]float64, len(c))
	for i, v := range c {
		out[i] = 4 * v
	}
	return out
}
