package scalar

import "math"

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
