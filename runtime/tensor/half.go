package tensor

// Go types for the 16-bit floats, which Go lacks: the bits, with conversions from and to float32.

import "github.com/stridefuse/stridefuse/ir/scalar"

// Half is an element of dtype Float16: the bits of an IEEE binary16. Go programs compute with its Float32.
type Half uint16

// HalfOf rounds f to the nearest Half, ties to even; from 65520 on the result is infinite.
func HalfOf(f float32) Half { return Half(scalar.Float16bits(f)) }

// Float32 returns the exact number.
func (h Half) Float32() float32 { return scalar.Float16frombits(uint16(h)) }

// String returns the number with the fewest digits that distinguish it from other Halfs.
func (h Half) String() string { return scalarText(h) }

// BFloat is an element of dtype BFloat16: the upper half of the bits of a float32. Go programs compute with its
// Float32.
type BFloat uint16

// BFloatOf rounds f to the nearest BFloat, ties to even; beyond the greatest the result is infinite.
func BFloatOf(f float32) BFloat { return BFloat(scalar.BFloat16bits(f)) }

// Float32 returns the exact number.
func (h BFloat) Float32() float32 { return scalar.BFloat16frombits(uint16(h)) }

// String returns the number with the fewest digits that distinguish it from other BFloats.
func (h BFloat) String() string { return scalarText(h) }
