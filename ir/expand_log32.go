package ir

import "math"

// Logarithms within float32. Subnormal arguments, which are scaled first, and
// those without a logarithm are left to an OpSeldom.

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

func (b *Builder) log32native(x Ref) Ref { return b.native(x, b.logSum) }

func (b *Builder) log2native(x Ref) Ref { return b.native(x, b.log2Sum) }

func fastLog(b *Builder, a []Ref) Ref   { return b.fastLog(a[0], 1, ln2) }
func fastLog2(b *Builder, a []Ref) Ref  { return b.fastLog(a[0], log2e, 1) }
func fastLog10(b *Builder, a []Ref) Ref { return b.fastLog(a[0], log10e, log10of2) }

// fastLog returns log(x)*scale, unit being that of 2, with one rounding after
// the other.
func (b *Builder) fastLog(x Ref, scale, unit float64) Ref {
	if b.DType(x) == Float64 {
		minusE, f := b.anyBinade(x)
		return b.logEdges(x, b.plainLog(minusE, f, atanhTail64, scale, unit))
	}
	return b.native(x, func(minusE, f Ref) Ref {
		p := b.log1pFast(f)
		if scale != 1 {
			p = b.Op(OpMul, p, b.f32(scale))
		}
		return b.Op(OpFMA, minusE, b.f32(-unit), p)
	})
}

// fastLog1p follows binade1p.
func fastLog1p(b *Builder, a []Ref) Ref {
	x := a[0]
	if b.DType(x) == Float64 {
		minusE, f, _ := b.binade1p(x)
		u := b.Op(OpAdd, x, b.f64(1))
		return b.logEdges(u, b.plainLog(minusE, f, atanhTail64, 1, ln2))
	}
	return b.logEdges(b.Op(OpAdd, x, b.f32(1)), b.log1pNative(x))
}

// log1pNative is log(1+x) for -1 < x < +Inf.
func (b *Builder) log1pNative(x Ref) Ref {
	minusE, t := b.minusExponent(b.Op(OpAdd, x, b.f32(1)))
	p := b.Op(OpMul, b.Bitcast(Float32, b.Op(OpAdd, t, b.Const(Int32, uint64(math.Float32bits(4))))), b.f32(0.25))
	f := b.Op(OpFMA, x, p, b.Op(OpNeg, b.Op(OpSub, b.f32(1), p)))
	return b.Op(OpFMA, minusE, b.f32(-ln2), b.log1pFast(f))
}

// log1pFast is log(1+f) for a fraction f of binade32.
func (b *Builder) log1pFast(f Ref) Ref {
	return b.Op(OpFMA, b.Op(OpMul, f, f), b.estrin(f, logPolyFast), f)
}

// native applies a logarithm of 2^e * (1+f) to x.
func (b *Builder) native(x Ref, log func(minusE, f Ref) Ref) Ref {
	const least = 0x00800000 // the bits of the least normal number
	y := log(b.binade32(x))
	minusE, f := b.binade32(b.Op(OpMul, x, b.f32(0x1p25)))
	small := log(b.Op(OpAdd, minusE, b.f32(25)), f)
	edge := b.Op(OpSelect, b.Op(OpLt, x, b.f32(0x1p-126)), small, b.Op(OpSqrt, x))
	edge = b.Op(OpSelect, b.Op(OpLt, x, b.f32(0)), b.f32(math.NaN()), edge)
	edge = b.Op(OpSelect, b.Op(OpEq, x, b.f32(0)), b.f32(math.Inf(-1)), edge)
	return b.Op(OpSeldom, b.outside(x, least, fromFloat(Float32, math.Inf(1))), edge, y)
}

// binade32 splits a normal positive float32 x = 2^e * (1+f).
func (b *Builder) binade32(x Ref) (minusE, f Ref) {
	minusE, t := b.minusExponent(x)
	m := b.Op(OpAdd, b.Bitcast(Int32, x), t)
	return minusE, b.Op(OpSub, b.Bitcast(Float32, m), b.f32(1))
}

// minusExponent returns -e for which x/2^e is in [sqrt(1/2), sqrt(2)), and the
// same as an addend to an exponent.
func (b *Builder) minusExponent(x Ref) (minusE, t Ref) {
	t = b.Op(OpSub, b.Int(Int32, sqrtHalf32+1<<23-1), b.Bitcast(Int32, x))
	minusE = b.Cast(Float32, b.Op(OpShr, t, b.Int(Int32, 23)))
	return minusE, b.Op(OpAnd, t, b.Int(Int32, -1<<23))
}

// logSum returns log(1+f) - minusE*log(2), its two great terms added exactly.
func (b *Builder) logSum(minusE, f Ref) Ref {
	s := b.fastTwoSum(b.Op(OpMul, minusE, b.f32(-ln2Pair32[0])), f)
	lo := b.Op(OpFMA, minusE, b.f32(-ln2Pair32[1]), s.lo)
	return b.Op(OpAdd, s.hi, b.Op(OpFMA, f, b.logRest(f), lo))
}

// log2Sum returns log2(1+f) - minusE.
func (b *Builder) log2Sum(minusE, f Ref) Ref {
	p := b.twoProd(f, b.f32(log2ePair32[0]))
	s := b.fastTwoSum(b.Op(OpNeg, minusE), p.hi)
	rest := b.logRest(f)
	p.lo = b.Op(OpFMA, f, b.f32(log2ePair32[1]), p.lo)
	lo := b.Op(OpAdd, b.Op(OpFMA, p.lo, rest, p.lo), s.lo)
	return b.Op(OpAdd, s.hi, b.Op(OpFMA, p.hi, rest, lo))
}

// logRest returns log(1+f)/f - 1.
func (b *Builder) logRest(f Ref) Ref {
	const low = 3 // terms whose rounding counts
	return b.Op(OpMul, f, b.horner(f, logPoly[:low], b.estrin(f, logPoly[low:])))
}
