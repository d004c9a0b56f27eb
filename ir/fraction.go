package ir

import (
	"math"
	"strconv"

	"github.com/stridefuse/stridefuse/ir/scalar"
)

// Numbers of types with fractions that are not computed in themselves: their text, and rounding from float64 to 16 bits.

// roundToOdd returns v with 24 bits, the last of which is set if other bits were lost. The result is a float32, and rounding it to
// float16 is the single rounding of v (Boldo and Melquiond 2008). Numbers below float32's least normal number are rounded again,
// but become 0 anyway.
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

// shortest returns the number with the fewest decimal digits that rounds to the same element as v, for a type that strconv does
// not support.
func shortest(d DType, v float64) float64 {
	for digits := 0; ; digits++ {
		w, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits, 64), 64)
		if bits := FromFloat(d, w); err != nil || bits == FromFloat(d, v) && reaches(d, bits, w) {
			return w
		}
	}
}

// FormatFloat is strconv.FormatFloat for a number of a type with fractions.
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

// parseNarrow rounds a decimal number once, as ParseFloat does for the types that strconv supports.
func parseNarrow(d DType, text string) (uint64, error) {
	v, err := strconv.ParseFloat(text, 64)
	bits := FromFloat(d, v)
	if err == nil && !reaches(d, bits, v) {
		err = strconv.ErrRange
	}
	return bits, err
}

// reaches reports whether a number is within the range of the type. It is not if its element is infinite or the last of its type
// because the number is too large, or NaN because the type has no such number.
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
