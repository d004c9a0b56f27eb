package ir

import (
	"fmt"
	"math/bits"
)

// DType is the type of one element.
type DType uint8

// The element types. Those after Fixed16x16 are Stored: ops move and convert them, but do not compute with them.
const (
	Invalid    DType = iota
	Bool             // one byte, 0 or 1
	Int8             // two's complement
	Int16            //
	Int32            //
	Int64            //
	Uint8            //
	Uint16           //
	Uint32           //
	Uint64           //
	Float16          // IEEE binary16, computed in float32
	BFloat16         // upper half of binary32, computed in float32
	Float32          // IEEE binary32
	Float64          // IEEE binary64
	Fixed16x16       // signed Q16.16 in an int32: multiples of 2^-16, computed in float64

	Float8E4M3FN   // 4 bits of exponent and 3 of fraction; NaN, no infinity
	Float8E4M3FNUZ // the same, half as large, with one NaN and no -0
	Float8E5M2     // the upper half of binary16
	Float8E5M2FNUZ // the same, half as large, with one NaN, no infinity and no -0
	Float8E8M0     // a power of two from 2^-127 to 2^127, or NaN
	Float4E2M1     // 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives, in the low bits of a byte
	Int4           // two's complement, in the low bits of a byte
	Int2           //
	Uint4          // the low bits of a byte
	Uint2          //
	numDTypes
)

// dtypeInfo is a row of the table of element types.
type dtypeInfo struct {
	name string // Go's name, in messages
	text string // the name in IR text
	bits int    // of an element; in memory it has whole bytes
	// compute is the type in which elements are computed: the type itself if it has kernels of every kind. Any other
	// type has only loads, stores and conversions. An op on it is the op of the compute type, whose result is rounded or
	// wrapped to the type; reductions, scans and products convert their operands once and their results once (package
	// elementary, passes/casts.go).
	compute DType
	// total is the type of sums and products of many elements. For 8-bit and 16-bit integers and bools it holds the sum of
	// 2^32 elements; for other types it is the type itself.
	total DType
}

var dtypes = [numDTypes]dtypeInfo{
	Invalid:    {"invalid", "invalid", 0, Invalid, Invalid},
	Bool:       {"bool", "bool", 8, Bool, Int64},
	Int8:       {"int8", "i8", 8, Int32, Int64},
	Int16:      {"int16", "i16", 16, Int32, Int64},
	Int32:      {"int32", "i32", 32, Int32, Int32},
	Int64:      {"int64", "i64", 64, Int64, Int64},
	Uint8:      {"uint8", "u8", 8, Uint8, Uint64},
	Uint16:     {"uint16", "u16", 16, Int32, Uint64},
	Uint32:     {"uint32", "u32", 32, Uint32, Uint32},
	Uint64:     {"uint64", "u64", 64, Uint64, Uint64},
	Float16:    {"float16", "f16", 16, Float32, Float16},
	BFloat16:   {"bfloat16", "bf16", 16, Float32, BFloat16},
	Float32:    {"float32", "f32", 32, Float32, Float32},
	Float64:    {"float64", "f64", 64, Float64, Float64},
	Fixed16x16: {"fixed16x16", "q16x16", 32, Float64, Fixed16x16},

	Float8E4M3FN:   {"float8e4m3fn", "f8e4m3fn", 8, Float32, Float8E4M3FN},
	Float8E4M3FNUZ: {"float8e4m3fnuz", "f8e4m3fnuz", 8, Float32, Float8E4M3FNUZ},
	Float8E5M2:     {"float8e5m2", "f8e5m2", 8, Float32, Float8E5M2},
	Float8E5M2FNUZ: {"float8e5m2fnuz", "f8e5m2fnuz", 8, Float32, Float8E5M2FNUZ},
	Float8E8M0:     {"float8e8m0", "f8e8m0", 8, Float32, Float8E8M0},
	Float4E2M1:     {"float4e2m1", "f4e2m1", 4, Float32, Float4E2M1},
	Int4:           {"int4", "i4", 4, Int32, Int4},
	Int2:           {"int2", "i2", 2, Int32, Int2},
	Uint4:          {"uint4", "u4", 4, Int32, Uint4},
	Uint2:          {"uint2", "u2", 2, Int32, Uint2},
}

func (d DType) info() *dtypeInfo {
	if d >= numDTypes {
		d = Invalid
	}
	return &dtypes[d]
}

// String returns Go's name of the type, "float32".
func (d DType) String() string { return d.info().name }

// Text returns the name in IR text, "f32".
func (d DType) Text() string { return d.info().text }

// Bits returns the number of bits of an element.
func (d DType) Bits() int { return d.info().bits }

// Size returns the bytes of one element in memory.
func (d DType) Size() int { return (d.Bits() + 7) / 8 }

// Compute returns the type in which elements are computed: see dtypeInfo.
func (d DType) Compute() DType { return d.info().compute }

// Total returns the type of sums and products of many elements: see dtypeInfo.
func (d DType) Total() DType { return d.info().total }

// Native reports whether the type has kernels of every kind: it is computed in itself.
func (d DType) Native() bool { return d != Invalid && d.Compute() == d }

// Check returns an error for a type that does not exist.
func (d DType) Check() error {
	if d == Invalid || d >= numDTypes {
		return fmt.Errorf("dtype %d does not exist", uint8(d))
	}
	return nil
}

// ParseDType finds a type by its name in IR text.
func ParseDType(text string) (DType, bool) {
	for d := Bool; d < numDTypes; d++ {
		if dtypes[d].text == text {
			return d, true
		}
	}
	return Invalid, false
}

// DTypes is a set of element types: an op's domain.
type DTypes uint32

// SetOf returns the set of the given types.
func SetOf(ds ...DType) DTypes {
	var s DTypes
	for _, d := range ds {
		s |= 1 << d
	}
	return s
}

// The sets in the domains of ops.
var (
	Bools    = SetOf(Bool)
	Signed   = SetOf(Int8, Int16, Int32, Int64)
	Unsigned = SetOf(Uint8, Uint16, Uint32, Uint64)
	Ints     = Signed | Unsigned
	Floats   = SetOf(Float16, BFloat16, Float32, Float64)
	Reals    = Floats | SetOf(Fixed16x16)
	Numeric  = Ints | Reals
	Computed = Numeric | Bools // types that ops compute with
	AllTypes = Computed | Stored
	// Fractions are the types of numbers with fractions, Complements the types in two's complement.
	Fractions   = Reals | Minifloats
	Complements = Signed | SetOf(Int4, Int2)
	shorts      = SetOf(Int8, Int16, Uint8, Uint16)
	singles     = Floats &^ SetOf(Float64) // computed in float32
	Native      = setWhere(DType.Native)
)

// setWhere returns the set of the types with a property.
func setWhere(has func(DType) bool) DTypes {
	var s DTypes
	for d := Bool; d < numDTypes; d++ {
		if has(d) {
			s |= 1 << d
		}
	}
	return s
}

// Has reports whether d is in the set.
func (s DTypes) Has(d DType) bool { return s&(1<<d) != 0 }

// List returns the members in their declared order.
func (s DTypes) List() []DType {
	out := make([]DType, 0, bits.OnesCount32(uint32(s)))
	for d := Bool; d < numDTypes; d++ {
		if s.Has(d) {
			out = append(out, d)
		}
	}
	return out
}

// String lists the members, "float32, float64".
func (s DTypes) String() string {
	text := ""
	for i, d := range s.List() {
		if i > 0 {
			text += ", "
		}
		text += d.String()
	}
	return text
}
