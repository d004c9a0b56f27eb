package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Logarithms. x = 2^e * (1+f) with 1+f in [sqrt(1/2), sqrt(2)), and
//
//	log(1+f) = 2*atanh(f/(2+f)) = s + s^3/12 + s^5/80 + ..., s = f/(1+f/2)
//
// where |s| <= 0.344. s is exact for the least f, and log(1) is +0 because e is
// kept negated: -(+0) * log(2) + 0. Plain forms evaluate this in float64, for a
// float32 result or the fast tier; the others keep s as a pair, which makes
// them accurate to 0.56 ULP. The float32 logarithms to the bases e and 2 stay in
// float32 throughout.

const (
	expMask  = 0x7ff << expLen
	log2eLo  = 0x1.777d0ffda0d24p-56
	log10e   = 0x1.bcb7b1526e50ep-2
	log10eLo = 0x1.95355baaafad3p-57
	log10of2 = 0x1.34413509f79ffp-2
)

var (
	sqrtHalf64 = math.Float64bits(math.Sqrt2 / 2)

	// log(2) and log10(2) as pairs whose first is short: a multiple of it is exact.
	shortLn2      = [2]float64{0x1.62e42ffp-1, -0x1.718432a1b0e26p-35}
	shortLog10of2 = [2]float64{0x1.3441350ap-2, -0x1.0c0219dc1da99p-39}

	// (2*atanh(s/2) - s)/s^3 in s^2 for |s| <= 0.401. Error relative to the
	// logarithm: below 2^-35 and 2^-60.
	atanhTail32 = []float64{0x1.5555539741df9p-4, 0x1.999c476151617p-7, 0x1.23da74e454a6fp-9, 0x1.eef6263505d27p-12}
	atanhTail64 = []float64{0x1.5555555555555p-4, 0x1.999999999a034p-7, 0x1.24924923c6ed6p-9, 0x1.c71c72f980af3p-12, 0x1.745ca502f0685p-14, 0x1.3b2ade2c611c7p-16, 0x1.0e78ace5609f9p-18, 0x1.172d0484150cp-20}
)

func expandLog(b *builder, a []kernel.Ref) kernel.Ref {
	if b.isSingle(a[0]) {
		return b.logInPieces(a[0])
	}
	return b.logEdges(a[0], b.log64(a[0]))
}

func expandLog2(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		return b.log2native(x)
	}
	minusE, y := b.logPair(x)
	return b.logEdges(x, b.addExponent(minusE, b.mulPair(y, b.constPair(log2e, log2eLo)), [2]float64{1, 0}))
}

func expandLog10(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if b.isSingle(x) {
		w := b.Cast(ir.Float64, x)
		minusE, f := b.binade(w)
		y := b.plainLog(minusE, f, atanhTail32, log10e, log10of2)
		return b.logEdges(x, b.Cast(ir.Float32, y))
	}
	minusE, y := b.logPair(x)
	return b.logEdges(x, b.addExponent(minusE, b.mulPair(y, b.constPair(log10e, log10eLo)), shortLog10of2))
}

func expandLog1p(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	u := b.Op(ir.OpAdd, x, b.Int(b.DType(x), 1))
	if b.isSingle(x) {
		return b.logEdges(u, b.Cast(ir.Float32, b.log1p32(b.Cast(ir.Float64, x))))
	}
	return b.logEdges(u, b.log1p64(x))
}

// log32 is log with the accuracy of float32, for normal positive float64 x.
func (b *builder) log32(x kernel.Ref) kernel.Ref {
	minusE, f := b.binade(x)
	return b.plainLog(minusE, f, atanhTail32, 1, ln2)
}

// log1p32 is log(1+x) with the accuracy of float32, for x > -1.
func (b *builder) log1p32(x kernel.Ref) kernel.Ref {
	minusE, f, _ := b.binade1p(x)
	return b.plainLog(minusE, f, atanhTail32, 1, ln2)
}

// log64 is log for positive finite x.
func (b *builder) log64(x kernel.Ref) kernel.Ref {
	minusE, y := b.logPair(x)
	return b.addExponent(minusE, y, shortLn2)
}

// log1p64 is log(1+x) for -1 < x < +Inf.
func (b *builder) log1p64(x kernel.Ref) kernel.Ref {
	minusE, f, rest := b.binade1p(x)
	y := b.logRatio(pair{f, b.f64(0)}, b.half1p(f))
	// rest is not 0 only next to 1+f = sqrt(1/2), where 1/(1+f) is about 11/8.
	y.lo = b.Op(ir.OpFMA, rest, b.f64(1.375), y.lo)
	return b.sameZero(x, b.addExponent(minusE, y, shortLn2))
}

// logPair splits a positive finite x: log(x) is the pair less minusE*log(2).
func (b *builder) logPair(x kernel.Ref) (minusE kernel.Ref, y pair) {
	minusE, f := b.anyBinade(x)
	return minusE, b.logRatio(pair{f, b.f64(0)}, b.half1p(f))
}

// anyBinade is binade for subnormal x too.
func (b *builder) anyBinade(x kernel.Ref) (minusE, f kernel.Ref) {
	tiny := b.Op(ir.OpLt, x, b.f64(0x1p-1022))
	minusE, f = b.binade(b.Op(ir.OpSelect, tiny, b.Op(ir.OpMul, x, b.f64(0x1p54)), x))
	return b.Op(ir.OpAdd, minusE, b.Op(ir.OpSelect, tiny, b.f64(54), b.f64(0))), f
}

// binade splits a normal positive x = 2^e * (1+f).
func (b *builder) binade(x kernel.Ref) (minusE, f kernel.Ref) {
	e := b.exponent(x)
	m := b.Op(ir.OpAdd, b.Bitcast(ir.Int64, x), b.Op(ir.OpSub, b.Const(ir.Int64, one), e))
	return b.minus(e), b.Op(ir.OpSub, b.Bitcast(ir.Float64, m), b.f64(1))
}

// binade1p splits 1+x = 2^e * (1+f+rest). With p = 2^-e, f is p*x + (p-1), rounded once, and rest is the rounding error. rest is 0 except for
// x in [0.41, 0.5).
func (b *builder) binade1p(x kernel.Ref) (minusE, f, rest kernel.Ref) {
	e := b.exponent(b.Op(ir.OpAdd, x, b.f64(1)))
	p := b.Bitcast(ir.Float64, b.Op(ir.OpSub, b.Const(ir.Int64, 2048<<expLen), e))
	p = b.Op(ir.OpMul, p, b.f64(0.25)) // in two steps: e may be 1024
	q := b.Op(ir.OpSub, b.f64(1), p)
	f = b.Op(ir.OpFMA, x, p, b.Op(ir.OpNeg, q)) // 0 keeps its sign
	return b.minus(e), f, b.Op(ir.OpFMA, x, p, b.Op(ir.OpNeg, b.Op(ir.OpAdd, q, f)))
}

// exponent returns e+1023 in the position of the exponent, where x/2^e is in [sqrt(1/2), sqrt(2)).
func (b *builder) exponent(x kernel.Ref) kernel.Ref {
	t := b.Op(ir.OpAdd, b.Bitcast(ir.Int64, x), b.Const(ir.Int64, one-sqrtHalf64))
	return b.Op(ir.OpAnd, t, b.Const(ir.Int64, expMask))
}

// minus returns -e as a float64, given the result of exponent.
func (b *builder) minus(e kernel.Ref) kernel.Ref {
	e = b.Op(ir.OpShr, e, b.Int(ir.Int64, expLen))
	t := b.Bitcast(ir.Float64, b.Op(ir.OpOr, e, b.Const(ir.Int64, math.Float64bits(0x1p52))))
	return b.Op(ir.OpSub, b.f64(0x1p52+1023), t)
}

// half1p returns 1 + f/2 as a pair.
func (b *builder) half1p(f kernel.Ref) pair {
	hi := b.Op(ir.OpFMA, f, b.f64(0.5), b.f64(1))
	return pair{hi, b.Op(ir.OpFMA, f, b.f64(0.5), b.Op(ir.OpSub, b.f64(1), hi))}
}

// logRatio returns 2*atanh(n/(2*d)), which is log(1+n) where d = 1+n/2.
func (b *builder) logRatio(n, d pair) pair {
	s := b.divPair(n, d)
	z := b.Op(ir.OpMul, s.hi, s.hi)
	cube := b.Op(ir.OpMul, s.hi, z)
	return pair{s.hi, b.Op(ir.OpFMA, cube, b.estrin(z, atanhTail64), s.lo)}
}

// addExponent returns y - minusE*unit, rounded, for the logarithm of 2 as unit.
func (b *builder) addExponent(minusE kernel.Ref, y pair, unit [2]float64) kernel.Ref {
	s := b.fastTwoSum(b.Op(ir.OpMul, minusE, b.f64(-unit[0])), y.hi)
	lo := b.Op(ir.OpAdd, s.lo, y.lo)
	if unit[1] != 0 {
		lo = b.Op(ir.OpFMA, minusE, b.f64(-unit[1]), lo)
	}
	return b.Op(ir.OpAdd, s.hi, lo)
}

// plainLog returns log(1+f)*scale - minusE*unit without compensation.
func (b *builder) plainLog(minusE, f kernel.Ref, tail []float64, scale, unit float64) kernel.Ref {
	s := b.Op(ir.OpDiv, f, b.Op(ir.OpFMA, f, b.f64(0.5), b.f64(1)))
	z := b.Op(ir.OpMul, s, s)
	y := b.Op(ir.OpFMA, b.Op(ir.OpMul, s, z), b.estrin(z, tail), s)
	if scale != 1 {
		y = b.Op(ir.OpMul, y, b.f64(scale))
	}
	return b.plusExponent(minusE, y, unit)
}

// plusExponent returns y - minusE*unit.
func (b *builder) plusExponent(minusE, y kernel.Ref, unit float64) kernel.Ref {
	if unit == 0 {
		return y
	}
	return b.Op(ir.OpFMA, minusE, b.Float(b.DType(y), -unit), y)
}

// logEdges returns y, the logarithm of x, corrected for x that are not positive and finite: -Inf at 0, +Inf at +Inf, NaN otherwise.
func (b *builder) logEdges(x, y kernel.Ref) kernel.Ref {
	dt := b.DType(x)
	edge := b.Op(ir.OpSelect, b.Op(ir.OpEq, x, b.Int(dt, 0)), b.Float(dt, math.Inf(-1)), b.Op(ir.OpSqrt, x))
	least, infinity := uint64(1), ir.FromFloat(dt, math.Inf(1))
	return b.Op(ir.OpUnlikely, b.outside(x, least, infinity), edge, y)
}

// outside reports whether the bits of x, unsigned, are not in [lo, hi).
func (b *builder) outside(x kernel.Ref, lo, hi uint64) kernel.Ref {
	bits := ir.Int64
	if b.isSingle(x) {
		bits = ir.Int32
	}
	least := ir.SignBit(bits)
	c := func(v uint64) kernel.Ref { return b.Const(bits, ir.Wrap(bits, int64(v))) }
	return b.Op(ir.OpLt, c(hi-lo-1+least), b.Op(ir.OpAdd, b.Bitcast(bits, x), c(least-lo)))
}

// sameZero returns y, or x where that is a zero.
func (b *builder) sameZero(x, y kernel.Ref) kernel.Ref {
	return b.Op(ir.OpSelect, b.Op(ir.OpEq, x, b.Int(b.DType(x), 0)), x, y)
}
