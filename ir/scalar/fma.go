package scalar

import "math"

// FMA32 returns x*y + z rounded once. The product is exact in float64.
func FMA32(x, y, z float32) float32 {
	if s := float64(x)*float64(y) + float64(z); !Doubtful32(s) {
		return float32(s)
	}
	return slowFMA32(x, y, z)
}

// CallFMA is math.FMA, not inlined, for code that should be short.
//
//go:noinline
func CallFMA(x, y, z float64) float64 { return math.FMA(x, y, z) }

// Doubtful32 reports whether rounding to float32 may give another result for the exact number than for s, to which it
// was rounded. That is possible if s is halfway between two floats (one pattern of the last 29 bits) or in the
// subnormal range, where halfway is elsewhere.
func Doubtful32(s float64) bool {
	const leastNormal = (1023 - 126) << 20 // compared with the upper half of a float64
	b := math.Float64bits(s)
	high, low := uint32(b>>32), uint32(b) // fast on 32-bit machines too
	return low<<3 == 1<<31 || high<<1 < leastNormal<<1 && s != 0
}

// slowFMA32 is FMA32 of any operands: the sum is rounded to odd in float64, so that
// rounding it to float32 is innocuous (Boldo and Melquiond 2008).
func slowFMA32(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return float32(s)
	}
	t := s - p // Knuth's two-sum: p + c == s + e
	e := float64(p-float64(s-t)) + float64(c-t)
	if b := math.Float64bits(s); e != 0 && b&1 == 0 {
		if (e > 0) == (s > 0) {
			b++
		} else {
			b--
		}
		s = math.Float64frombits(b)
	}
	return float32(s)
}
