package scalar

import "math"

// The definition of float16 (IEEE binary16): conversions from and to float32. F16C's instructions compute the same
// bits.

// Float16frombits returns the number for the bits of a float16. A NaN becomes quiet.
func Float16frombits(h uint16) float32 {
	sign, exp, frac := uint32(h&0x8000)<<16, uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch {
	case exp == 0: // zero and subnormals: multiples of 2^-24
		return math.Float32frombits(sign | math.Float32bits(float32(frac)*0x1p-24))
	case exp == 0x1f && frac != 0:
		return math.Float32frombits(sign | 0x7fc00000 | frac<<13)
	case exp == 0x1f:
		return math.Float32frombits(sign | 0x7f800000)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}

// Float16bits rounds f to the nearest float16, ties to even, and returns its bits. Numbers from 65520 on become
// infinite.
func Float16bits(f float32) uint16 {
	const (
		inf         = 0x7f800000
		beyond      = (127 + 16) << 23 // 65536
		leastNormal = (127 - 14) << 23
	)
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	b &^= 1 << 31
	switch {
	case b > inf:
		return sign | 0x7e00 | uint16(b>>13&0x3ff)
	case b >= beyond:
		return sign | 0x7c00
	case b < leastNormal: // the last place of a float32 near 0.5 is that of a float16 near 0
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-math.Float32bits(0.5))
	}
	b += 0xfff + b>>13&1 // to nearest; may carry into the exponent, up to infinity
	return sign | uint16((b-(127-15)<<23)>>13)
}

// The definition of bfloat16, the upper half of a float32: conversions from and to float32.

// BFloat16frombits returns the number for the bits of a bfloat16.
func BFloat16frombits(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// BFloat16bits rounds f to the nearest bfloat16, ties to even, and returns its bits. A NaN becomes quiet.
func BFloat16bits(f float32) uint16 {
	b := math.Float32bits(f)
	if f != f {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// Fixed-point numbers of 32 bits with 16 fraction bits, in two's complement: Q16.16.

// Fixed16x16frombits returns the number for the bits of a fixed-point number.
func Fixed16x16frombits(q uint32) float64 { return float64(int32(q)) * 0x1p-16 }

// Fixed16x16bits rounds f to the nearest fixed-point number, ties to even, and returns its bits. It saturates out of
// range and returns 0 for NaN.
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
