package tensor

import "github.com/stridefuse/stridefuse/ir/scalar"

// Fixed is an element of dtype Fixed16x16: a signed Q16.16, the number times 2^16 in an
// int32. Go computes with its Float64.
type Fixed int32

// FixedOf returns the Fixed nearest to f, the even one of two; beyond the least and the
// greatest those; 0 for NaN.
func FixedOf(f float64) Fixed { return Fixed(scalar.Fixed16x16bits(f)) }

// Float64 returns the number, which float64 has exactly.
func (q Fixed) Float64() float64 { return scalar.Fixed16x16frombits(uint32(q)) }

// String returns the number in the fewest digits that tell it from other Fixeds.
func (q Fixed) String() string { return scalarText(q) }
