package tensor

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
