package tensor

// Go's types of the 16-bit floats, which Go has none of: the bits, with conversions from
// and to float32.

import "github.com/stridefuse/stridefuse/ir/scalar"

// Half is an element of dtype Float16: the bits of an IEEE binary16. Go computes with
// its Float32.
type Half uint16

// HalfOf returns the Half nearest to f, the even one of two; from 65520 on, infinity.
func HalfOf(f float32) Half { return Half(scalar.Float16bits(f)) }

// Float32 returns the number, which float32 has exactly.
func (h Half) Float32() float32 { return scalar.Float16frombits(uint16(h)) }

// String returns the number in the fewest digits that tell it from other Halfs.
func (h Half) String() string { return scalarText(h) }

// BFloat is an element of dtype BFloat16: the upper half of the bits of a float32. Go
// computes with its Float32.
type BFloat uint16

// BFloatOf returns the BFloat nearest to f, the even one of two; beyond the greatest,
// infinity.
func BFloatOf(f float32) BFloat { return BFloat(scalar.BFloat16bits(f)) }

// Float32 returns the number, which float32 has exactly.
func (h BFloat) Float32() float32 { return scalar.BFloat16frombits(uint16(h)) }

// String returns the number in the fewest digits that tell it from other BFloats.
func (h BFloat) String() string { return scalarText(h) }
