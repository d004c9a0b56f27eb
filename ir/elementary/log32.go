package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Logarithms in float32. An OpUnlikely handles subnormal arguments, which are scaled first, and arguments without a logarithm.
//
// log divides x = 2^e * m into 8 pieces by m. Each piece has a constant c and its logarithm in tables:
//
// 	log(x) = e*log(2) - log(c) + log(1+r), r = m*c - 1
//
// c is 1 in the piece that contains 1. c is so short that r is exact wherever its rounding would matter. The first parts of log(2) and
// log(c) have so few bits that their sum is exact. The error is then little more than the rounding of two additions. log2 multiplies r by
// 1/log(2), which would exceed 1 ULP: an inexact product is rounded to more than one place of the result.

const sqrtHalf32 = 0x3f3504f3 // the bits of sqrt(1/2)

// The pieces are of 2^20 numbers each, the first of them from 0.709473*2^e on. logFirst has the bits of 0.709473*2^-125,
// the least normal number with which a first piece begins.
const (
	logFirst = 0x00b5a000
	logPlace = 20
)

// log(2) in two parts, and tables of the parts of -log(c) with 131 times the parts of log(2) added. e comes from a sum of bits that
// begins at 2^-125 and is less by 2^31, or 256 binades.
var (
	ln2Pair32 = [2]float64{0x1.62e4p-1, 0x1.7f7ep-20}
	logFirsts = ir.NewTable([ir.TableLen]float32{0x1.69ef4p+6, 0x1.6a50d8p+6, 0x1.6abcbcp+6, 0x1.6af744p+6, 0x1.6b3558p+6, 0x1.6b9a26p+6, 0x1.6c09f8p+6, 0x1.6c717ep+6})
	logRests  = ir.NewTable([ir.TableLen]float32{0x1.8299e6p-13, 0x1.8a890ep-13, 0x1.878d2ep-13, 0x1.856ef2p-13, 0x1.887af4p-13, 0x1.8446ap-13, 0x1.83ca16p-13, 0x1.81b68ep-13})
	// -c*2^125, as the bits that are left are those of -m*2^-125.
	logScales = ir.NewTable([ir.TableLen]float32{-0x1.6p+125, -0x1.4p+125, -0x1.2p+125, -0x1.1p+125, -0x1p+125, -0x1.dp+124, -0x1.ap+124, -0x1.78p+124})

	// (log(1+r)-r)/r^2, |r| < 0.062. Error relative to the logarithm: below 2^-26.5.
	logPoly = []float64{-0x1.ffffcep-2, 0x1.5554f8p-2, -0x1.00d056p-2, 0x1.9b7852p-3}

	// (log(1+f)-f)/f^2 for 1+f in [sqrt(1/2), sqrt(2)). Error relative to the
	// logarithm: below 2^-27 and 2^-24.
	log2Poly    = []float64{-0x1.fffff8p-2, 0x1.55555p-2, -0x1.000432p-2, 0x1.99a418p-3, -0x1.5425bcp-3, 0x1.226e2ep-3, -0x1.0f4058p-3, 0x1.085fbcp-3, -0x1.384018p-4}
	logPolyFast = []float64{-0x1.fffffap-2, 0x1.5556f2p-2, -0x1.0004bp-2, 0x1.98d336p-3, -0x1.535a3cp-3, 0x1.317e24p-3, -0x1.251406p-3, 0x1.660ec8p-4}

	log2ePair32 = [2]float64{0x1.715476p0, 0x1.4ae0cp-26} // 1/log(2)
)

// logInPieces is log of float32.
func (b *builder) logInPieces(x kernel.Ref) kernel.Ref {
	return b.positive(x, func(x kernel.Ref, down float64) kernel.Ref {
		bits := b.Bitcast(ir.Int32, x)
		t := b.Op(ir.OpAdd, bits, b.Const(ir.Int32, ir.Wrap(ir.Int32, 1<<31-logFirst)))
		e := b.Op(ir.OpAnd, t, b.Int(ir.Int32, -1<<expLen32))
		m := b.Bitcast(ir.Float32, b.Op(ir.OpSub, bits, e))
		e = b.Cast(ir.Float32, e) // times 2^23
		if down != 0 {
			e = b.Op(ir.OpSub, e, b.f32(math.Ldexp(down, expLen32)))
		}
		piece := b.Op(ir.OpShr, t, b.Int(ir.Int32, logPlace))
		plus := func(part float64, table uint64) kernel.Ref {
			return b.Op(ir.OpFMA, e, b.f32(math.Ldexp(part, -expLen32)), b.Table(table, piece))
		}
		r := b.Op(ir.OpFMA, m, b.Table(logScales, piece), b.f32(-1))
		y := b.Op(ir.OpFMA, b.Op(ir.OpMul, r, r), b.polyNative(r, logPoly), plus(ln2Pair32[1], logRests))
		return b.Op(ir.OpAdd, plus(ln2Pair32[0], logFirsts), b.Op(ir.OpAdd, r, y))
	})
}

func (b *builder) log2native(x kernel.Ref) kernel.Ref { return b.native(x, b.log2Sum) }

// fastLog of float32 is that of the default tier.
func fastLog(b *builder, a []kernel.Ref) kernel.Ref {
	if b.isSingle(a[0]) {
		return expandLog(b, a)
	}
	return b.fastLog(a[0], 1, [2]float64{ln2})
}

func fastLog2(b *builder, a []kernel.Ref) kernel.Ref  { return b.fastLog(a[0], log2e, [2]float64{1}) }
func fastLog10(b *builder, a []kernel.Ref) kernel.Ref { return b.fastLog(a[0], log10e, shortLog10of2) }

// fastLog returns log(x)*scale, rounding after each step. unit is the result for 2. With a unit of two parts the logarithms of the powers of
// 10 are exact.
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

// fastLog1p uses binade1p.
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

// native applies log, a logarithm of 2^e * (1+f), to x.
func (b *builder) native(x kernel.Ref, log func(minusE, f kernel.Ref) kernel.Ref) kernel.Ref {
	return b.positive(x, func(x kernel.Ref, down float64) kernel.Ref {
		minusE, f := b.binade32(x)
		if down != 0 {
			minusE = b.Op(ir.OpAdd, minusE, b.f32(down))
		}
		return log(minusE, f)
	})
}

// positive applies a logarithm of x/2^down, for x whose bits are at least logFirst, to any x. Lesser x are handled like denormal ones.
func (b *builder) positive(x kernel.Ref, log func(x kernel.Ref, down float64) kernel.Ref) kernel.Ref {
	const up = 25
	y, small := log(x, 0), log(b.Op(ir.OpMul, x, b.f32(1<<up)), up)
	edge := b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.f32(0x1p-125)), small, b.Op(ir.OpSqrt, x))
	edge = b.Op(ir.OpSelect, b.Op(ir.OpLt, x, b.f32(0)), b.f32(math.NaN()), edge)
	edge = b.Op(ir.OpSelect, b.Op(ir.OpEq, x, b.f32(0)), b.f32(math.Inf(-1)), edge)
	return b.Op(ir.OpUnlikely, b.outside(x, logFirst, ir.FromFloat(ir.Float32, math.Inf(1))), edge, y)
}

// binade32 splits a normal positive float32 x = 2^e * (1+f).
func (b *builder) binade32(x kernel.Ref) (minusE, f kernel.Ref) {
	minusE, t := b.minusExponent(x)
	m := b.Op(ir.OpAdd, b.Bitcast(ir.Int32, x), t)
	return minusE, b.Op(ir.OpSub, b.Bitcast(ir.Float32, m), b.f32(1))
}

// minusExponent returns -e, where x/2^e is in [sqrt(1/2), sqrt(2)), and the same as an addend to an exponent.
func (b *builder) minusExponent(x kernel.Ref) (minusE, t kernel.Ref) {
	t = b.Op(ir.OpSub, b.Int(ir.Int32, sqrtHalf32+1<<23-1), b.Bitcast(ir.Int32, x))
	minusE = b.Cast(ir.Float32, b.Op(ir.OpShr, t, b.Int(ir.Int32, 23)))
	return minusE, b.Op(ir.OpAnd, t, b.Int(ir.Int32, -1<<23))
}

// log2Sum returns log2(1+f) - minusE.
func (b *builder) log2Sum(minusE, f kernel.Ref) kernel.Ref {
	p := b.twoProd(f, b.f32(log2ePair32[0]))
	s := b.fastTwoSum(b.Op(ir.OpNeg, minusE), p.hi)
	rest := b.log2Rest(f)
	p.lo = b.Op(ir.OpFMA, f, b.f32(log2ePair32[1]), p.lo)
	lo := b.Op(ir.OpAdd, b.Op(ir.OpFMA, p.lo, rest, p.lo), s.lo)
	return b.Op(ir.OpAdd, s.hi, b.Op(ir.OpFMA, p.hi, rest, lo))
}

// log2Rest returns log(1+f)/f - 1.
func (b *builder) log2Rest(f kernel.Ref) kernel.Ref {
	const low = 3 // terms whose rounding counts
	return b.Op(ir.OpMul, f, b.horner(f, log2Poly[:low], b.estrin(f, log2Poly[low:])))
}
