package ir

import (
	"math"
	"strconv"
)

// Numbers of float16 as text, and rounded from float64. Package scalar converts from and
// to float32.

// roundToOdd returns v with 24 bits, the last of them set if others were lost. So
// it is a float32, and rounding that to float16 is the one rounding of v (Boldo and
// Melquiond 2008). What is below float32's least normal number is rounded again, to
// what becomes 0.
func roundToOdd(v float64) float64 {
	const lost = 1<<29 - 1
	b := math.Float64bits(v)
	return math.Float64frombits((b | (b&lost + lost)) &^ lost)
}

// shortest16 returns the number of the fewest decimal digits that round to the same
// float16 as v.
func shortest16(v float64) float64 {
	for digits := 0; ; digits++ {
		w, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits, 64), 64)
		if err != nil || FromFloat(Float16, w) == FromFloat(Float16, v) {
			return w
		}
	}
}

// FormatFloat is strconv.FormatFloat of a number of a float type.
func FormatFloat(d DType, v float64, format byte, precision int) string {
	bits := 64
	switch {
	case d == Float32:
		bits = 32
	case d == Float16 && precision < 0 && !math.IsNaN(v) && !math.IsInf(v, 0):
		v = shortest16(v)
	}
	return strconv.FormatFloat(v, format, precision, bits)
}

// parseFloat16 rounds a decimal number, as ParseFloat does for the other types.
func parseFloat16(text string) (uint64, error) {
	v, err := strconv.ParseFloat(text, 64)
	bits := FromFloat(Float16, v)
	if err == nil && math.IsInf(ToFloat(Float16, bits), 0) && !math.IsInf(v, 0) {
		err = strconv.ErrRange
	}
	return bits, err
}
