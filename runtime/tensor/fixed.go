package tensor

import "github.com/stridefuse/stridefuse/ir/scalar"

// Fixed is an element of dtype Fixed16x16: a signed Q16.16, the number times 2^16 in an int32. Go programs compute with
// its Float64.
type Fixed int32

// FixedOf rounds f to the nearest Fixed, ties to even. It saturates out of range and returns 0 for NaN.
func FixedOf(f float64) Fixed { return Fixed(scalar.Fixed16x16bits(f)) }

// Float64 returns the exact number.
func (q Fixed) Float64() float64 { return scalar.Fixed16x16frombits(uint32(q)) }

// String returns the number with the fewest digits that distinguish it from other Fixeds.
func (q Fixed) String() string { return scalarText(q) }
