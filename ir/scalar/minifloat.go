package scalar

import "math"

// Floats of 8 and 4 bits: the meaning of their bits, and rounding to them.

// Minifloat is a format with a sign, an exponent and a fraction in one byte. Without the sign, bits have the order of
// the numbers.
type Minifloat struct {
	Fraction int   // number of bits of the fraction
	Bias     int   // bias of the exponent
	Sign     uint8 // bit of the sign
	Greatest uint8 // bits of the greatest finite number
	Over     uint8 // bits of results beyond it: infinity, NaN or Greatest
	NaN      uint8 // bits of NaN
	OneZero  bool  // whether the bits of -0 are those of NaN
}

// The formats: those of the Open Compute Project, and those of Graphcore and AMD, whose names end in fnuz (arXiv
// 2209.05433 and 2206.02915). Float4E2M1 has no NaN; NaN becomes -0.
var (
	Float8E4M3FN   = Minifloat{3, 7, 0x80, 0x7e, 0x7f, 0x7f, false}
	Float8E4M3FNUZ = Minifloat{3, 8, 0x80, 0x7f, 0x80, 0x80, true}
	Float8E5M2     = Minifloat{2, 15, 0x80, 0x7b, 0x7c, 0x7e, false}
	Float8E5M2FNUZ = Minifloat{2, 16, 0x80, 0x7f, 0x80, 0x80, true}
	Float4E2M1     = Minifloat{1, 1, 0x08, 0x07, 0x07, 0x08, false}
)

// Number returns the number of the bits of an element. Bits above the sign are ignored.
func (f *Minifloat) Number(bits uint8) float64 {
	a := int(bits & (f.Sign - 1))
	v := math.Ldexp(float64(a), 1-f.Bias-f.Fraction) // below the least normal number
	if exponent := a >> f.Fraction; exponent > 0 {
		implicit := 1 << f.Fraction
		v = math.Ldexp(float64(implicit|a&(implicit-1)), exponent-f.Bias-f.Fraction)
	}
	negative := bits&f.Sign != 0
	switch {
	case f.OneZero && negative && a == 0, a > int(f.Greatest) && (a != int(f.Over) || f.Over == f.NaN):
		return math.NaN()
	case a > int(f.Greatest):
		v = math.Inf(1)
	}
	if negative {
		return -v
	}
	return v
}

// Bits rounds v to the nearest element, ties to even, and returns its bits.
func (f *Minifloat) Bits(v float64) uint8 {
	if v != v {
		return f.NaN
	}
	exponent := max(math.Ilogb(v), 1-f.Bias)
	steps := math.RoundToEven(math.Ldexp(math.Abs(v), f.Fraction-exponent))
	bits := uint8(min(float64(f.Over), steps+float64((exponent+f.Bias-1)<<f.Fraction)))
	if math.Signbit(v) && !(f.OneZero && bits == 0) {
		bits |= f.Sign
	}
	return bits
}

// Float8E8M0Number returns the power of two of the bits of a float8e8m0, or NaN.
func Float8E8M0Number(bits uint8) float64 {
	if bits == 0xff {
		return math.NaN()
	}
	return math.Ldexp(1, int(bits)-127)
}

// Float8E8M0Bits rounds v to the nearest power of two, ties to the greater, and returns its bits. Zero becomes the
// least one; negative numbers, and numbers that round to 2^128 or more, become NaN.
func Float8E8M0Bits(v float64) uint8 {
	switch {
	case v < 0x1.8p-127 && v >= 0:
		return 0
	case !(v > 0 && v < 0x1.8p127):
		return 0xff
	}
	exponent := math.Ilogb(v)
	if v >= math.Ldexp(1.5, exponent) {
		exponent++
	}
	return uint8(exponent + 127)
}
