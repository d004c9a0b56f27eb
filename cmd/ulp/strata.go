package main

import (
	"math"
	"math/rand/v2"

	"github.com/stridefuse/stridefuse/ir"
)

// stratum draws arguments from one kind of place. Its results are then rounded to the element type.
type stratum func(r *rand.Rand, dt ir.DType) float64

// anything is any element, by its bits.
func anything(r *rand.Rand, dt ir.DType) float64 { return fromBits(dt, r.Uint64()) }

// bits draws elements between lo and hi uniformly over bit patterns, so equally many from each power of 2.
func bits(lo, hi float64) stratum {
	return func(r *rand.Rand, dt ir.DType) float64 {
		a, b := ordinal(dt, lo), ordinal(dt, hi)
		a, b = min(a, b), max(a, b)
		return fromOrdinal(dt, a+int64(r.Uint64N(uint64(b-a)+1)))
	}
}

// values draws numbers uniformly between lo and hi.
func values(lo, hi float64) stratum {
	return func(r *rand.Rand, _ ir.DType) float64 { return lo + (hi-lo)*r.Float64() }
}

// around draws elements near a point, from the next one to about 1% off.
func around(p float64) stratum {
	return func(r *rand.Rand, dt ir.DType) float64 { return beside(r, dt, p) }
}

func beside(r *rand.Rand, dt ir.DType, p float64) float64 {
	off := int64(math.Exp2(r.Float64() * float64(formats[dt].Bits-7)))
	if r.IntN(2) == 0 {
		off = -off
	}
	return fromOrdinal(dt, ordinal(dt, p)+off)
}

// points draws given points, and elements close to them.
func points(p ...float64) stratum {
	return func(r *rand.Rand, dt ir.DType) float64 {
		at := p[r.IntN(len(p))]
		if r.IntN(2) == 0 {
			return at
		}
		return fromOrdinal(dt, ordinal(dt, at)+r.Int64N(65)-32)
	}
}

// multiples draws elements close to k*c, |k| <= most, with equally many k from each power of 2.
func multiples(c, most float64) stratum {
	return func(r *rand.Rand, dt ir.DType) float64 {
		k := math.Round(math.Exp2(r.Float64() * math.Log2(most)))
		if r.IntN(2) == 0 {
			k = -k
		}
		if r.IntN(4) == 0 {
			return beside(r, dt, k*c)
		}
		return fromOrdinal(dt, ordinal(dt, k*c)+r.Int64N(9)-4)
	}
}

// aroundPowers draws elements near p*2^k.
func aroundPowers(p float64) stratum {
	return func(r *rand.Rand, dt ir.DType) float64 {
		f := formats[dt]
		return beside(r, dt, math.Ldexp(p, f.Least+r.IntN(f.Most-f.Least)))
	}
}

// integers draws whole numbers and halves up to most.
func integers(most int) stratum {
	return func(r *rand.Rand, _ ir.DType) float64 { return float64(r.IntN(4*most+1)-2*most) / 2 }
}

// oneMinus draws 1-t for t of all magnitudes, and the negatives.
func oneMinus(r *rand.Rand, dt ir.DType) float64 {
	x := 1 - math.Exp2(-r.Float64()*float64(formats[dt].Bits))
	if r.IntN(4) == 0 {
		return -x
	}
	return x
}

// onePlus draws 1+t for t of all magnitudes below 1.
func onePlus(r *rand.Rand, dt ir.DType) float64 {
	return 1 + math.Exp2(-r.Float64()*float64(formats[dt].Bits))
}

// plain draws elements of any power of 2 with few significant bits. Pairs of them have exact results, ties, and
// quotients near integers.
func plain(r *rand.Rand, dt ir.DType) float64 {
	f := formats[dt]
	x := math.Ldexp(float64(1+r.IntN(1<<r.IntN(5))), f.Least+r.IntN(f.Most-f.Least-4))
	if r.IntN(2) == 0 {
		x = -x
	}
	return fromOrdinal(dt, ordinal(dt, x)+int64(max(r.IntN(8)-5, 0)))
}

// subnormal draws elements below the normal range, or slightly above.
func subnormal(r *rand.Rand, dt ir.DType) float64 {
	least := int64(1) << (formats[dt].Bits - 1)
	return fromOrdinal(dt, r.Int64N(4*least)-2*least)
}

// tiny draws elements below the normal range, equally many from each power of 2.
func tiny(r *rand.Rand, dt ir.DType) float64 {
	n := int64(math.Exp2(r.Float64() * float64(formats[dt].Bits-1)))
	if r.IntN(2) == 0 {
		n = -n
	}
	return fromOrdinal(dt, n)
}

// specials are tried with every function, and in all pairs with functions of two arguments.
func specials(dt ir.DType) []float64 {
	f := formats[dt]
	most := math.Ldexp(1-math.Ldexp(1, -f.Bits), f.Most)
	out := []float64{math.NaN()}
	for _, x := range []float64{0, math.Inf(1), most, math.Ldexp(1, f.Least), 3 * math.Ldexp(1, f.Least), math.Ldexp(1, f.Least+f.Bits-1),
		math.Ldexp(1, f.Least+f.Bits-1) - math.Ldexp(1, f.Least), math.Ldexp(1, f.Bits-1), math.Ldexp(1, f.Bits) - 1, math.Ldexp(1, f.Bits), math.Ldexp(1, f.Bits+1),
		1, 1 - math.Ldexp(1, -f.Bits), 1 + math.Ldexp(1, 1-f.Bits), 0.5, 0.25, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 10, 100, 1000, math.Ldexp(1, -f.Bits), math.Ldexp(1, -2*f.Bits),
		math.Pi, math.E, math.Ln2, math.Pi / 2, math.Pi / 4} {
		out = append(out, x, -x)
	}
	return out
}

// Strata shared by several functions.
var (
	logarithms = []stratum{around(1), onePlus, oneMinus, aroundPowers(math.Sqrt2), aroundPowers(1), values(0, 4), bits(0, math.MaxFloat64), bits(0.5, 2)}
	quotients  = []stratum{integers(1 << 20), bits(0x1p-20, 0x1p20), bits(0x1p-60, 0x1p60), points(1, 2, 3, 7, 0.1), values(-100, 100)}
	magnitudes = []stratum{values(-4, 4), bits(0x1p-30, 0x1p30), aroundPowers(1), bits(0x1p-1074, 0x1p-1000), bits(0x1p-149, 0x1p-120), bits(0x1p120, 0x1p128), bits(0x1p1000, math.MaxFloat64)}
)
