package ir

import "github.com/stridefuse/stridefuse/ir/scalar"

// Types that are only stored: floats of 8 and 4 bits, integers of 4 and 2 bits. Ops move and convert their elements, but do not compute
// with them. An element is one byte in memory. A shorter one is in the low bits of the byte, extended like elements of any
// other type; the upper bits are ignored when it is read.

// The sets of such types.
var (
	Minifloats = SetOf(Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ, Float8E8M0, Float4E2M1)
	Subbytes   = SetOf(Int4, Int2, Uint4, Uint2)
	Stored     = Minifloats | Subbytes
)

// minifloats are the formats of Minifloats that have a sign.
var minifloats = map[DType]*scalar.Minifloat{
	Float8E4M3FN: &scalar.Float8E4M3FN, Float8E4M3FNUZ: &scalar.Float8E4M3FNUZ,
	Float8E5M2: &scalar.Float8E5M2, Float8E5M2FNUZ: &scalar.Float8E5M2FNUZ, Float4E2M1: &scalar.Float4E2M1,
}

// Minifloat returns the format of a type of Minifloats, or nil for Float8E8M0.
func (d DType) Minifloat() *scalar.Minifloat { return minifloats[d] }

// minifloatNumber returns the number of an element.
func minifloatNumber(d DType, a uint64) float64 {
	if f := d.Minifloat(); f != nil {
		return f.Number(uint8(a))
	}
	return scalar.Float8E8M0Number(uint8(a))
}

// minifloatOf returns the element nearest to v.
func minifloatOf(d DType, v float64) uint64 {
	if f := d.Minifloat(); f != nil {
		return uint64(f.Bits(v))
	}
	return uint64(scalar.Float8E8M0Bits(v))
}
