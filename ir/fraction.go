package ir

import (
	"math"
	"strconv"

	"github.com/stridefuse/stridefuse/ir/scalar"
)

// Numbers of types with fractions that are not computed in themselves, as text, and those of
// 16 bits rounded from float64.

// roundToOdd returns v with 24 bits, the last of them set if others were lost. So
// it is a float32, and rounding that to float16 is the one rounding of v (Boldo and
// Melquiond 2008). What is below float32's least normal number is rounded again, to
// what becomes 0.
func roundToOdd(v float64) float64 {
	const lost = 1<<29 - 1
	b := math.Float64bits(v)
	return math.Float64frombits((b | (b&lost + lost)) &^ lost)
}

// bfloat16Of rounds v once. Normal numbers pass through a float32 that is rounded to odd;
// the spacing of subnormal bfloat16, 2^-133, is that of float64 from 2^-81 on.
func bfloat16Of(v float64) uint64 {
	const spaced = 0x1p-81
	if a := math.Abs(v); a < 0x1p-126 {
		a += spaced
		a -= spaced
		return uint64(scalar.BFloat16bits(float32(math.Copysign(a, v))))
	}
	return uint64(scalar.BFloat16bits(float32(roundToOdd(v))))
}

// shortest returns the number of the fewest decimal digits that round to the same element
// as v, of a type that strconv does not have.
func shortest(d DType, v float64) float64 {
	for digits := 0; ; digits++ {
		w, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits, 64), 64)
		if bits := FromFloat(d, w); err != nil || bits == FromFloat(d, v) && reaches(d, bits, w) {
			return w
		}
	}
}

// FormatFloat is strconv.FormatFloat of a number of a type with fractions.
func FormatFloat(d DType, v float64, format byte, precision int) string {
	bits := 64
	switch {
	case d == Float32:
		bits = 32
	case !d.Native() && precision < 0 && !math.IsNaN(v) && !math.IsInf(v, 0):
		v = shortest(d, v)
	}
	return strconv.FormatFloat(v, format, precision, bits)
}

// parseNarrow rounds a decimal number, as ParseFloat does for types that strconv has.
func parseNarrow(d DType, text string) (uint64, error) {
	v, err := strconv.ParseFloat(text, 64)
	bits := FromFloat(d, v)
	if err == nil && !reaches(d, bits, v) {
		err = strconv.ErrRange
	}
	return bits, err
}

// reaches reports whether an element that a number was rounded to is not infinite, or the
// last of its type, because the number is beyond all of them, or NaN because the type has no
// such number.
func reaches(d DType, bits uint64, v float64) bool {
	r := ToFloat(d, bits)
	switch d {
	case Fixed16x16:
		return math.Abs(r-v) <= 0x1p-17 // not of NaN
	case Float4E2M1:
		return math.Abs(v) < 7
	}
	return math.IsNaN(r) == math.IsNaN(v) && (!math.IsInf(r, 0) || math.IsInf(v, 0))
}
