package scalar

import "math"

// The one definition of float16, IEEE's binary16: how its bits become a float32, and
// how a float32 is rounded to them. F16C's instructions compute the same bits.

// Float16frombits returns the number of the bits of a float16. A NaN becomes a quiet
// one.
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

// Float16bits returns the bits of the float16 nearest to f, the even one of two.
// Numbers of 65520 and beyond become infinite.
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
	case b < leastNormal: // one of float32 beside 0.5 is one of float16 beside 0
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-math.Float32bits(0.5))
	}
	b += 0xfff + b>>13&1 // to the nearest, also into the next exponent, and to infinity
	return sign | uint16((b-(127-15)<<23)>>13)
}

// The one definition of bfloat16, the upper half of a float32: how a float32 is rounded to
// it.

// BFloat16frombits returns the number of the bits of a bfloat16.
func BFloat16frombits(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// BFloat16bits returns the bits of the bfloat16 nearest to f, the even one of two. A NaN
// becomes a quiet one.
func BFloat16bits(f float32) uint16 {
	b := math.Float32bits(f)
	if f != f {
		return uint16(b>>16) | 0x40
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

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
