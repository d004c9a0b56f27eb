package scalar

import "math"

// Fixed-point numbers of 32 bits, 16 of them behind the point, in two's complement: Q16.16.

// Fixed16x16frombits returns the number of the bits of a fixed-point number.
func Fixed16x16frombits(q uint32) float64 { return float64(int32(q)) * 0x1p-16 }

// Fixed16x16bits returns the bits of the fixed-point number nearest to f, the even one of
// two, or of the least or the greatest where f is beyond it; 0 for NaN.
func Fixed16x16bits(f float64) uint32 {
	switch r := math.RoundToEven(f * 0x1p16); {
	case r != r:
		return 0
	case r >= math.MaxInt32:
		return math.MaxInt32
	case r <= math.MinInt32:
		return 1 << 31
	default:
		return uint32(int32(r))
	}
}
