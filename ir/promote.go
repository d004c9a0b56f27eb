package ir

import "math"

// Facts about element types that users ask for: their limits, and the type that holds the elements of two.

// IntLimits are the limits of an integer type.
type IntLimits struct {
	Bits     int
	Least    int64
	Greatest uint64
}

// IntLimits returns the limits of an integer type; ok is false for other types.
func (d DType) IntLimits() (l IntLimits, ok bool) {
	switch {
	case Complements.Has(d):
		half := uint64(1) << (d.Bits() - 1)
		return IntLimits{d.Bits(), -int64(half), half - 1}, true
	case Unsigned.Has(d) || d == Uint4 || d == Uint2:
		return IntLimits{d.Bits(), 0, math.MaxUint64 >> (64 - d.Bits())}, true
	}
	return IntLimits{}, false
}

// FloatLimits are the limits of a float type.
type FloatLimits struct {
	Bits              int
	Greatest          float64 // the greatest finite number; the least one is -Greatest
	Epsilon           float64 // the distance from 1 to the next number
	SmallestNormal    float64
	SmallestSubnormal float64
}

// FloatLimits returns the limits of Float16, BFloat16, Float32 and Float64; ok is false for other types.
func (d DType) FloatLimits() (l FloatLimits, ok bool) {
	if !Floats.Has(d) {
		return FloatLimits{}, false
	}
	epsilon, least := ToFloat(d, FromFloat(d, 1)+1)-1, ToFloat(d, 1)
	return FloatLimits{d.Bits(), Greatest(d), epsilon, least / epsilon, least}, true
}

// Promote returns the least type that holds the elements of two types that ops compute with, as NumPy's promote_types:
// bools become numbers, and integers floats. Int64 with Uint64 gives Float64, as no integer type holds both. For types
// that NumPy lacks: BFloat16 with Float16 or an integer gives Float32, Fixed16x16 with a float, Uint16 or an integer of 32 bits
// or more Float64.
// ok is false for types that are only stored, unless they are the same.
func Promote(a, b DType) (d DType, ok bool) {
	switch {
	case a == b:
		return a, a.Check() == nil
	case !Computed.Has(a) || !Computed.Has(b):
		return Invalid, false
	}
	return promote(a, b), true
}

// Class orders bools, 0, before integers, 1, and these before types with fractions, 2.
func Class(d DType) int {
	switch {
	case d == Bool:
		return 0
	case Reals.Has(d):
		return 2
	}
	return 1
}

func promote(a, b DType) DType {
	if Class(a) > Class(b) || Class(a) == Class(b) && a.Size() > b.Size() {
		a, b = b, a
	}
	switch { // a has the lower class, or is not larger
	case a == b || Class(a) == 0:
		return b
	case a == Fixed16x16, b == Fixed16x16 && !SetOf(Int8, Uint8, Int16).Has(a):
		return Float64 // the only other type with 32 significant bits
	case Class(a) == 2 && a.Size() == b.Size():
		return Float32 // Float16 with BFloat16
	case Class(a) == 2:
		return b
	case Class(b) == 2:
		if f := FloatOf(a); f.Size() > b.Size() || b == BFloat16 {
			return promote(f, b)
		}
		return b
	case Unsigned.Has(a) == Unsigned.Has(b) || Unsigned.Has(a) && a.Size() < b.Size():
		return b
	}
	unsigned := a // the other one is signed and not larger
	if Unsigned.Has(b) {
		unsigned = b
	}
	switch unsigned {
	case Uint8:
		return Int16
	case Uint16:
		return Int32
	case Uint32:
		return Int64
	}
	return Float64
}

// FloatOf returns the least float type that NumPy's functions compute elements of type d in: Float16 for one byte,
// Float32 for two and Float64 for more. Types with fractions stay.
func FloatOf(d DType) DType {
	switch {
	case Reals.Has(d):
		return d
	case d.Size() == 1:
		return Float16
	case d.Size() == 2:
		return Float32
	}
	return Float64
}
