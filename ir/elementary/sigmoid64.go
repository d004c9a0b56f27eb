package elementary

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The float64 forms of the logistic family. exp is a pair throughout, scaled
// by gateUnit64 so that neither it nor its inverse leaves the normal range
// while the result is above 0.

const (
	gateExp64  = 128
	gateUnit64 = 0x1p-128
)

// geluLine and geluCube to twice the precision.
var (
	geluLinePair = [2]float64{geluLine, -0x1.cbc0d30ebfd15p-54}
	geluCubePair = [2]float64{geluCube, -0x1.6c843a29d1c7p-61}
)

// sigmoid64 is 1/(1+exp(-x)) for -750 <= x <= 40.
func (b *builder) sigmoid64(x kernel.Ref) kernel.Ref {
	return b.Op(ir.OpMul, b.sum(b.gate64(pair{x, b.f64(0)})), b.f64(gateUnit64))
}

// gated64 is y/(1+exp(-x)), and y from 40 on, for -760 <= x.
func (b *builder) gated64(y kernel.Ref, x pair) kernel.Ref {
	return b.scaled64(b.gate64(x), y)
}

// scaled64 returns q*y*gateUnit64, but y from 40 on and where it is a zero.
func (b *builder) scaled64(q pair, y kernel.Ref) kernel.Ref {
	z := b.Op(ir.OpMul, b.scaleSum(q, y), b.f64(gateUnit64))
	whole := b.Op(ir.OpOr, b.Op(ir.OpLt, b.f64(40), y), b.Op(ir.OpEq, y, b.f64(0)))
	return b.Op(ir.OpSelect, whole, y, z)
}

// gate64 is 1/(1+exp(-x))/gateUnit64.
func (b *builder) gate64(x pair) pair {
	unit := b.f64(gateUnit64)
	e := b.expScaled(b.negPair(x), -gateExp64)
	d := b.twoSum(unit, e.hi)
	d.lo = b.Op(ir.OpAdd, d.lo, e.lo)
	inv := b.Op(ir.OpDiv, b.f64(1), d.hi)
	minus := b.Op(ir.OpNeg, inv)
	rest := b.Op(ir.OpFMA, minus, d.lo, b.Op(ir.OpFMA, minus, d.hi, b.f64(1)))
	return pair{inv, b.Op(ir.OpMul, rest, inv)}
}

// expScaled is exp(x)*2^n, for an n that keeps it in the normal range.
func (b *builder) expScaled(x pair, n int64) pair {
	m, k, _ := b.expPair(x)
	power := b.Bitcast(ir.Float64, b.toExponent(b.Op(ir.OpAdd, k, b.Int(ir.Int64, n-bias))))
	return pair{b.Op(ir.OpMul, m.hi, power), b.Op(ir.OpMul, m.lo, power)}
}

// geluTanh64 is y/(1+exp(-2u)) for -22 <= x.
func (b *builder) geluTanh64(y, x kernel.Ref) kernel.Ref {
	s := b.mulPair(b.twoProd(x, x), b.constPair(geluCubePair[0], geluCubePair[1]))
	w := b.twoSum(s.hi, b.f64(geluLinePair[0]))
	w.lo = b.Op(ir.OpAdd, w.lo, b.Op(ir.OpAdd, s.lo, b.f64(geluLinePair[1])))
	return b.gated64(y, b.scalePair(w, x))
}

// mish64 is y*tanh(log(1+exp(x))), and y from 40 on, for -760 <= x <= 40.
func (b *builder) mish64(y, x kernel.Ref) kernel.Ref {
	e := b.expScaled(pair{x, b.f64(0)}, gateExp64)
	n := b.mulPair(e, b.plusTwo(e))
	return b.scaled64(b.divPair(n, b.plusTwo(n)), y)
}

// plusTwo returns x*gateUnit64 + 2.
func (b *builder) plusTwo(x pair) pair {
	unit := b.f64(gateUnit64)
	y := b.twoSum(b.Op(ir.OpMul, x.hi, unit), b.f64(2))
	return pair{y.hi, b.Op(ir.OpFMA, x.lo, unit, y.lo)}
}

// softplus64 is max(y, 0) + log(1+exp(x)) for -760 <= x <= 0. log(1+f) is
// 2*atanh(s/2) with s = f/(1+f/2), at most 2/3.
func (b *builder) softplus64(y, x kernel.Ref) kernel.Ref {
	m, _, kf := b.expPair(pair{x, b.f64(0)})
	f := pair{b.Op(ir.OpScalb, m.hi, kf), b.Op(ir.OpScalb, m.lo, kf)}
	d := b.half1p(f.hi)
	d.lo = b.Op(ir.OpFMA, f.lo, b.f64(0.5), d.lo)
	s := b.divPair(f, d)
	z := b.Op(ir.OpMul, s.hi, s.hi)
	lo := b.Op(ir.OpFMA, b.Op(ir.OpMul, s.hi, z), b.estrin(z, softplusPoly64), s.lo)
	t := b.twoSum(b.positivePart(y), s.hi)
	sum := b.Op(ir.OpAdd, t.hi, b.Op(ir.OpAdd, t.lo, lo))
	return b.Op(ir.OpSelect, b.Op(ir.OpLt, b.f64(40), y), y, sum)
}

// (2*atanh(s/2)-s)/s^3 in s^2, s <= 2/3, relative error 2^-54.0.
var softplusPoly64 = []float64{0x1.5555555555555p-4, 0x1.9999999999baep-7, 0x1.24924924739c8p-9, 0x1.c71c71e138d9bp-12, 0x1.745d1118262bdp-14, 0x1.3b149625df8ddp-16, 0x1.10fbbf77d41e2p-18, 0x1.e47e5b5dd7e5dp-21, 0x1.94513c438565bp-23, 0x1.1a939a7d1a892p-24, -0x1.360864e9d0af7p-27, 0x1.7b24616cbd694p-27}
