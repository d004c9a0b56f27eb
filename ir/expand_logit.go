package ir

import "math"

// expandLogit is log(x/(1-x)) by one division: with a power of 2 near x/(1-x)
// taken out, u = 2^k*(1-x) is about x, and
//
//	log(x/u) = 2*atanh((x-u)/(x+u))
//
// has an exact numerator, which is what counts next to x = 1/2. The bits of x
// and of 1-x are nearly their logarithms: their difference gives k.
func expandLogit(b *Builder, a []Ref) Ref {
	x := a[0]
	if b.DType(x) == Float32 {
		w := b.Cast(Float64, x)
		minusE, n, d := b.oddsRatio(w)
		y := b.plainLogRatio(minusE, b.sum(n), d.hi)
		return b.logitEdges(x, b.Cast(Float32, y))
	}
	tiny := b.Op(OpLt, x, b.f64(0x1p-1022))
	minusE, n, d := b.oddsRatio(b.Op(OpSelect, tiny, b.Op(OpMul, x, b.f64(0x1p54)), x))
	minusE = b.Op(OpAdd, minusE, b.Op(OpSelect, tiny, b.f64(54), b.f64(0)))
	return b.logitEdges(x, b.addExponent(minusE, b.logRatio(n, d), shortLn2))
}

// oddsRatio returns -k, and 2*(x-u) and x+u, for a normal 0 < x < 1.
func (b *Builder) oddsRatio(x Ref) (minusE Ref, n, d pair) {
	y := b.fastTwoSum(b.f64(1), b.Op(OpNeg, x))
	const half = 1 << (expLen - 1)
	e := b.Op(OpSub, b.Bitcast(Int64, x), b.Bitcast(Int64, y.hi))
	e = b.Op(OpAnd, b.Op(OpAdd, e, b.Const(Int64, one+half)), b.Const(Int64, expMask))
	power := b.Bitcast(Float64, e)
	u := pair{b.Op(OpMul, y.hi, power), b.Op(OpMul, y.lo, power)}
	n.hi = b.Op(OpSub, x, u.hi)
	n.hi, n.lo = b.Op(OpAdd, n.hi, n.hi), b.Op(OpMul, u.lo, b.f64(-2))
	d = b.twoSum(x, u.hi)
	d.lo = b.Op(OpAdd, d.lo, u.lo)
	return b.minus(e), n, d
}

// plainLogRatio is 2*atanh(n/(2*d)) - minusE*log(2) with the accuracy of float32.
func (b *Builder) plainLogRatio(minusE, n, d Ref) Ref {
	s := b.Op(OpDiv, n, d)
	z := b.Op(OpMul, s, s)
	y := b.Op(OpFMA, b.Op(OpMul, s, z), b.estrin(z, atanhTail32), s)
	return b.Op(OpFMA, minusE, b.f64(-ln2), y)
}

// logitEdges returns y with its values for x that are not in (0, 1).
func (b *Builder) logitEdges(x, y Ref) Ref {
	dt := b.DType(x)
	edge := b.Op(OpSelect, b.Op(OpEq, x, b.Int(dt, 0)), b.Float(dt, math.Inf(-1)), b.Float(dt, math.NaN()))
	edge = b.Op(OpSelect, b.Op(OpEq, x, b.Int(dt, 1)), b.Float(dt, math.Inf(1)), edge)
	return b.Op(OpSeldom, b.outside(x, 1, fromFloat(dt, 1)), edge, y)
}
