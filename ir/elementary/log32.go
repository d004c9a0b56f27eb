package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Logarithms within float32. Subnormal arguments, which are scaled first, and
// those without a logarithm are left to an OpUnlikely.

const sqrtHalf32 = 0x3f3504f3 // the bits of sqrt(1/2)

var (
	// (log(1+f)-f)/f^2 for 1+f in [sqrt(1/2), sqrt(2)). Error relative to the
	// logarithm: below 2^-27 and 2^-24.
	logPoly     = []float64{-0x1.fffff8p-2, 0x1.55555p-2, -0x1.000432p-2, 0x1.99a418p-3, -0x1.5425bcp-3, 0x1.226e2ep-3, -0x1.0f4058p-3, 0x1.085fbcp-3, -0x1.384018p-4}
	logPolyFast = []float64{-0x1.fffffap-2, 0x1.5556f2p-2, -0x1.0004bp-2, 0x1.98d336p-3, -0x1.535a3cp-3, 0x1.317e24p-3, -0x1.251406p-3, 0x1.660ec8p-4}

	// log(2) and 1/log(2); the first of log(2) is short.
	ln2Pair32   = [2]float64{0x1.62ep-1, 0x1.0bfbe8p-15}
	log2ePair32 = [2]float64{0x1.715476p0, 0x1.4ae0cp-26}
)

func (b *builder) log32native(x kernel.Ref) kernel.Ref { return b.native(x, b.logSum) }

func (b *builder) log2native(x kernel.Ref) kernel.Ref { return b.native(x, b.log2Sum) }

func fastLog(b *builder, a []kernel.Ref) kernel.Ref   { return b.fastLog(a[0], 1, [2]float64{ln2}) }
func fastLog2(b *builder, a []kernel.Ref) kernel.Ref  { return b.fastLog(a[0], log2e, [2]float64{1}) }
func fastLog10(b *builder, a []kernel.Ref) kernel.Ref { return b.fastLog(a[0], log10e, shortLog10of2) }

// fastLog returns log(x)*scale, unit being that of 2, with one rounding after
// the other. With a unit of two parts the logarithms of the powers of 10 are whole.
func (b *builder) fastLog(x kernel.Ref, scale float64, unit [2]float64) kernel.Ref {
	if !b.isSingle(x) {
		minusE, f := b.anyBinade(x)
		y := b.plainLog(minusE, f, atanhTail64, scale, unit[1])
		return b.logEdges(x, b.plusExponent(minusE, y, unit[0]))
	}
	return b.native(x, func(minusE, f kernel.Ref) kernel.Ref {
		p := b.log1pFast(f)
		if scale != 1 {
			p = b.Op(ir.OpMul, p, b.f32(scale))
		}
		first := ir.ToFloat(ir.Float32, ir.FromFloat(ir.Float32, unit[0]))
		if unit[1] != 0 {
			p = b.plusExponent(minusE, p, unit[0]-first+unit[1])
		}
		return b.plusExponent(minusE, p, first)
	})
}

// fastLog1p follows binade1p.
func fastLog1p(b *builder, a []kernel.Ref) kernel.Ref {
	x := a[0]
	if !b.isSingle(x) {
		minusE, f, _ := b.binade1p(x)
		u := b.Op(ir.OpAdd, x, b.f64(1))
		return b.logEdges(u, b.plainLog(minusE, f, atanhTail64, 1, ln2))
	}
	return b.logEdges(b.Op(ir.OpAdd, x, b.f32(1)), b.log1pNative(x))
}

// log1pNative is log(1+x) for -1 < x < +Inf.
func (b *builder) log1pNative(x kernel.Ref) kernel.Ref {
	minusE, t := b.minusExponent(b.Op(ir.OpAdd, x, b.f32(1)))
	p := b.Op(ir.OpMul, b.Bitcast(ir.Float32, b.Op(ir.OpAdd, t, b.Const(ir.Int32, uint64(math.Float32bits(4))))), b.f32(0.25))
	f := b.Op(ir.OpFMA, x, p, b.Op(ir.OpNeg, b.Op(ir.OpSub, b.f32(1), p)))
	return b.Op(ir.OpFMA, minusE, b.f32(-ln2), b.log1pFast(f))
}

// log1pFast is log(1+f) for a fraction f of binade32.
func (b *builder) log1pFast(f kernel.Ref) kernel.Ref {
	return b.Op(ir.OpFMA, b.Op(ir.OpMul, f, f), b.estrin(f, logPolyFast), f)
}

// native applies a logarithm of 2^e * (1+f) to x.
func (b *builder) native(x kernel.Ref, log func(minusE, f kernel.Ref) kernel.Ref) kernel.Ref {
	const least = 0x00800000 // the bits of the least normal number
	y := log(b.binade32(x))
	minusE, f := b.binade32(b.Op(ir.OpMul, x, b.f32(0x1p25)))
	small := log(b.Op(ir.OpAdd, minusE, b.f32(25)), f)
	edge := b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.f32(0x1p-126)), small, b.Op(ir.OpSqrt, x))
	edge = b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.f32(0)), b.f32(math.NaN()), edge)
	edge = b.Op(ir.OpSelect, b.Op(ir.OpEq, x, b.f32(0)), b.f32(math.Inf(-1)), edge)
	return b.Op(ir.OpUnlikely, b.outside(x, least, ir.FromFloat(ir.Float32, math.Inf(1))), edge, y)
}

// binade32 splits a normal positive float32 x = 2^e * (1+f).
func (b *builder) binade32(x kernel.Ref) (minusE, f kernel.Ref) {
	minusE, t := b.minusExponent(x)
	m := b.Op(ir.OpAdd, b.Bitcast(ir.Int32, x), t)
	return minusE, b.Op(ir.OpSub, b.Bitcast(ir.Float32, m), b.f32(1))
}

// minusExponent returns -e for which x/2^e is in [sqrt(1/2), sqrt(2)), and the
// same as an addend to an exponent.
func (b *builder) minusExponent(x kernel.Ref) (minusE, t kernel.Ref) {
	t = b.Op(ir.OpSub, b.Int(ir.Int32, sqrtHalf32+1<<23-1), b.Bitcast(ir.Int32, x))
	minusE = b.Cast(ir.Float32, b.Op(ir.OpShr, t, b.Int(ir.Int32, 23)))
	return minusE, b.Op(ir.OpAnd, t, b.Int(ir.Int32, -1<<23))
}

// logSum returns log(1+f) - minusE*log(2), its two great terms added exactly.
func (b *builder) logSum(minusE, f kernel.Ref) kernel.Ref {
	s := b.fastTwoSum(b.Op(ir.OpMul, minusE, b.f32(-ln2Pair32[0])), f)
	lo := b.Op(ir.OpFMA, minusE, b.f32(-ln2Pair32[1]), s.lo)
	return b.Op(ir.OpAdd, s.hi, b.Op(ir.OpFMA, f, b.logRest(f), lo))
}

// log2Sum returns log2(1+f) - minusE.
func (b *builder) log2Sum(minusE, f kernel.Ref) kernel.Ref {
	p := b.twoProd(f, b.f32(log2ePair32[0]))
	s := b.fastTwoSum(b.Op(ir.OpNeg, minusE), p.hi)
	rest := b.logRest(f)
	p.lo = b.Op(ir.OpFMA, f, b.f32(log2ePair32[1]), p.lo)
	lo := b.Op(ir.OpAdd, b.Op(ir.OpFMA, p.lo, rest, p.lo), s.lo)
	return b.Op(ir.OpAdd, s.hi, b.Op(ir.OpFMA, p.hi, rest, lo))
}

// logRest returns log(1+f)/f - 1.
func (b *builder) logRest(f kernel.Ref) kernel.Ref {
	const low = 3 // terms whose rounding counts
	return b.Op(ir.OpMul, f, b.horner(f, logPoly[:low], b.estrin(f, logPoly[low:])))
}
