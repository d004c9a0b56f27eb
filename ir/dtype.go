package ir

import (
	"fmt"
	"math/bits"
)

// DType is the type of one element.
type DType uint8

// The element types. Those that Runs reports have kernels; the others have
// their place in every table and answer with an error that says so.
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
	Fixed16x16       // signed Q16.16 in an int32
	QInt8            // int8 with scale and zero point
	QUint8           // uint8 with scale and zero point
	numDTypes
)

type dtypeInfo struct {
	name string // Go's name, in messages
	text string // the name in IR text
	size int    // bytes
	runs bool
}

var dtypes = [numDTypes]dtypeInfo{
	Invalid:    {"invalid", "invalid", 0, false},
	Bool:       {"bool", "bool", 1, true},
	Int8:       {"int8", "i8", 1, false},
	Int16:      {"int16", "i16", 2, false},
	Int32:      {"int32", "i32", 4, true},
	Int64:      {"int64", "i64", 8, true},
	Uint8:      {"uint8", "u8", 1, true},
	Uint16:     {"uint16", "u16", 2, false},
	Uint32:     {"uint32", "u32", 4, true},
	Uint64:     {"uint64", "u64", 8, false},
	Float16:    {"float16", "f16", 2, false},
	BFloat16:   {"bfloat16", "bf16", 2, false},
	Float32:    {"float32", "f32", 4, true},
	Float64:    {"float64", "f64", 8, true},
	Fixed16x16: {"fixed16x16", "q16x16", 4, false},
	QInt8:      {"qint8", "qi8", 1, false},
	QUint8:     {"quint8", "qu8", 1, false},
}

func (d DType) info() dtypeInfo {
	if d >= numDTypes {
		d = Invalid
	}
	return dtypes[d]
}

// String returns Go's name of the type, "float32".
func (d DType) String() string { return d.info().name }

// Text returns the name in IR text, "f32".
func (d DType) Text() string { return d.info().text }

// Size returns the bytes of one element.
func (d DType) Size() int { return d.info().size }

// Runs reports whether kernels exist for the type.
func (d DType) Runs() bool { return d.info().runs }

// CheckRuns returns an error for a type that is declared but has no kernels yet.
func (d DType) CheckRuns() error {
	if d == Invalid || d >= numDTypes {
		return fmt.Errorf("dtype %d does not exist", uint8(d))
	}
	if !d.Runs() {
		return fmt.Errorf("dtype %s has no kernels yet; use one of %s", d, Running)
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

// The sets that op rows are made of.
var (
	Bools    = SetOf(Bool)
	Signed   = SetOf(Int8, Int16, Int32, Int64)
	Unsigned = SetOf(Uint8, Uint16, Uint32, Uint64)
	Ints     = Signed | Unsigned
	Floats   = SetOf(Float16, BFloat16, Float32, Float64)
	Numeric  = Ints | Floats
	AllTypes = Numeric | Bools
	Running  = SetOf(Bool, Uint8, Int32, Uint32, Int64, Float32, Float64)
)

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
