package ir

import "math"

// The one definition of bfloat16, the upper half of a float32: how a float32 and a float64
// are rounded to it. Arithmetic is that of float32, rounded after each op.

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

// bfloat16Of rounds v once. Normal numbers pass through a float32 that is rounded to odd;
// the spacing of subnormal bfloat16, 2^-133, is that of float64 from 2^-81 on.
func bfloat16Of(v float64) uint64 {
	const spaced = 0x1p-81
	if a := math.Abs(v); a < 0x1p-126 {
		a += spaced
		a -= spaced
		return uint64(BFloat16bits(float32(math.Copysign(a, v))))
	}
	return uint64(BFloat16bits(float32(roundToOdd(v))))
}
