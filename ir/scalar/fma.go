package scalar

import "math"

// Multiply-add of float32, rounded once. FMA32 is the definition, the same code on every machine. The generated Go loops use
// MulAdd32, which the Go compiler inlines: it is one instruction on machines whose instruction Go selects for x*y + z, and
// elsewhere a sum in float64. Tied32, Inexact32 and Tiny32 find the rare sums that FMA32 has to round.

// FMA32 returns x*y + z rounded once. The product is exact in float64.
func FMA32(x, y, z float32) float32 {
	if s := float64(float64(x)*float64(y)) + float64(z); !tied32(s) && !tiny32(s) {
		return float32(s)
	}
	return slowFMA32(x, y, z)
}

// CallFMA is math.FMA, not inlined, for code that should be short.
//
//go:noinline
func CallFMA(x, y, z float64) float64 { return math.FMA(x, y, z) }

// tied32 reports whether s is halfway between two normal floats: one pattern of the last 29 bits. If the exact number is not
// s, but was rounded to it, rounding s to float32 may give another result than rounding the exact number.
func tied32(s float64) bool { return uint32(math.Float64bits(s))<<3 == 1<<31 }

// tiny32 reports whether s is in the subnormal range of float32, where halfway is elsewhere, and not 0.
func tiny32(s float64) bool {
	const normal = (1023 - 126) << 53 // the bits of the least normal float32 as a float64, shifted as those of s
	return math.Float64bits(s)<<1-1 < normal-1
}

// LeastAddend32 is the least magnitude of an addend for which no sum has to be rounded that Tiny32 finds. If a subnormal
// float32 is left of such an addend and of a product of two floats, which has 48 bits, it is a multiple of 2^-149, and so exact.
const LeastAddend32 = 0x1p-100

// Tame32 is Magnitude32 of a number between 1 and 2, where the search for the least factor may begin.
const Tame32 = 1 << 31

// Magnitude32 returns the bits of x without its sign, from the second one on, and for 0 a number above all others.
func Magnitude32(x float32) uint32 { return math.Float32bits(x)<<1 - 1 }

// AreTame32 reports whether no sum of products has to be rounded that Tiny32 finds, given the least Magnitude32, or Tame32, of the left
// and of the right factors. All products are then multiples of 2^-149: the exponents of two factors are at least -103 together, and
// the last of their 48 bits is 46 below.
func AreTame32(left, right uint32) bool {
	const bias, least = 127, 1 << 24 // a subnormal float has the exponent of a normal one, and fewer bits
	return left >= least-1 && right >= least-1 && (left+1)>>24+(right+1)>>24 >= 2*bias-103
}

// slowFMA32 is FMA32 of any operands: the sum is rounded to odd in float64, so that
// rounding it to float32 is innocuous (Boldo and Melquiond 2008).
func slowFMA32(x, y, z float32) float32 {
	p, c := float64(float64(x)*float64(y)), float64(z)
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

// fuses compares MulAdd32 with FMA32 for operands for which two roundings differ. They are variables, so that the compiler
// computes nothing beforehand.
func fuses(x, y, z []float32) bool {
	for i := range x {
		s := MulAdd32(x[i], y[i], z[i])
		if !Tied32(s) && !Tiny32(s) && float32(s) != FMA32(x[i], y[i], z[i]) {
			return false
		}
	}
	return true
}

var rounds = fuses(
	[]float32{1 + 0x1p-12, 1 + 0x1p-12, 1 + 0x1p-23, 0x1p-75},
	[]float32{1 + 0x1p-12, -1 - 0x1p-12, 1 - 0x1p-23, 0x1p-75},
	[]float32{0x1p-60, -0x1p-60, -1, 0x1p-149})

// MulAdd32Rounds reports whether MulAdd32 was found to be right when the program started. The language allows a compiler
// not to fuse x*y + z. Generated Go loops are then not used, and kernels are computed by their definition.
func MulAdd32Rounds() bool { return rounds }
