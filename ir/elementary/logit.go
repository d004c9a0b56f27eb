package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// expandLogit is log(x/(1-x)) with one division. A power of 2 near x/(1-x) is factored out: u = 2^k*(1-x) is about x, and
//
//	log(x/u) = 2*atanh((x-u)/(x+u))
//
// has an exact numerator, which matters near x = 1/2. The bits of x and of 1-x are nearly their logarithms: their difference
// gives k.
func expandLogit(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		w := b.Cast(ir.Float64, x)
		minusE, n, d := b.oddsRatio(w)
		y := b.plainLogRatio(minusE, b.sum(n), d.hi)
		return b.logitEdges(x, b.Cast(ir.Float32, y))
	}
	tiny := b.Op(ir.OpLt, x, b.f64(0x1p-1022))
	minusE, n, d := b.oddsRatio(b.Op(ir.OpSelect, tiny, b.Op(ir.OpMul, x, b.f64(0x1p54)), x))
	minusE = b.Op(ir.OpAdd, minusE, b.Op(ir.OpSelect, tiny, b.f64(54), b.f64(0)))
	return b.logitEdges(x, b.addExponent(minusE, b.logRatio(n, d), shortLn2))
}

// oddsRatio returns -k, and 2*(x-u) and x+u, for a normal 0 < x < 1.
func (b *builder) oddsRatio(x kernel.Ref) (minusE kernel.Ref, n, d pair) {
	y := b.fastTwoSum(b.f64(1), b.Op(ir.OpNeg, x))
	const half = 1 << (expLen - 1)
	e := b.Op(ir.OpSub, b.Bitcast(ir.Int64, x), b.Bitcast(ir.Int64, y.hi))
	e = b.Op(ir.OpAnd, b.Op(ir.OpAdd, e, b.Const(ir.Int64, one+half)), b.Const(ir.Int64, expMask))
	power := b.Bitcast(ir.Float64, e)
	u := pair{b.Op(ir.OpMul, y.hi, power), b.Op(ir.OpMul, y.lo, power)}
	n.hi = b.Op(ir.OpSub, x, u.hi)
	n.hi, n.lo = b.Op(ir.OpAdd, n.hi, n.hi), b.Op(ir.OpMul, u.lo, b.f64(-2))
	d = b.twoSum(x, u.hi)
	d.lo = b.Op(ir.OpAdd, d.lo, u.lo)
	return b.minus(e), n, d
}

// plainLogRatio is 2*atanh(n/(2*d)) - minusE*log(2) with the accuracy of float32.
func (b *builder) plainLogRatio(minusE, n, d kernel.Ref) kernel.Ref {
	s := b.Op(ir.OpDiv, n, d)
	z := b.Op(ir.OpMul, s, s)
	y := b.Op(ir.OpFMA, b.Op(ir.OpMul, s, z), b.estrin(z, atanhTail32), s)
	return b.Op(ir.OpFMA, minusE, b.f64(-ln2), y)
}

// logitEdges returns y with its values for x that are not in (0, 1).
func (b *builder) logitEdges(x, y kernel.Ref) kernel.Ref {
	dt := b.DType(x)
	edge := b.Op(ir.OpSelect, b.Op(ir.OpEq, x, b.Int(dt, 0)), b.Float(dt, math.Inf(-1)), b.Float(dt, math.NaN()))
	edge = b.Op(ir.OpSelect, b.Op(ir.OpEq, x, b.Int(dt, 1)), b.Float(dt, math.Inf(1)), edge)
	return b.Op(ir.OpUnlikely, b.outside(x, 1, ir.FromFloat(dt, 1)), edge, y)
}
