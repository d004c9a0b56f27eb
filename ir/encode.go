package ir

import (
	"errors"
	"fmt"
	"math"
	"reflect"
)

// ErrNoNumber is wrapped by Encode's errors for a Go value that is neither a number nor a bool.
var ErrNoNumber = errors.New("neither a number nor a bool")

// Encode returns the element of a type for a Go value: a bool, or a number of one of Go's integer or float types or of a type
// derived from one. Only a bool is an element of Bool, and a bool is an element of no other type. An integer type takes a
// number, also from a float, only if it represents it exactly. A float type rounds once, ties to even, but a finite number stays
// finite.
func Encode(dt DType, value any) (bits uint64, err error) {
	if err := dt.Check(); err != nil {
		return 0, err
	}
	switch v := value.(type) { // whose bits are in an integer
	case interface{ Float32() float32 }:
		value = v.Float32()
	case interface{ Float64() float64 }:
		value = v.Float64()
	}
	v := reflect.ValueOf(value)
	isBool := v.Kind() == reflect.Bool
	switch {
	case !isBool && !v.CanInt() && !v.CanUint() && !v.CanFloat():
		return 0, fmt.Errorf("%v (%T) is %w", value, value, ErrNoNumber)
	case isBool && dt != Bool:
		return 0, fmt.Errorf("%v is not a number, for %s", value, dt)
	case isBool:
		return FromBool(v.Bool()), nil
	case dt == Bool:
		return 0, fmt.Errorf("%v is not a bool: use true or false, or Cast the bools", value)
	case v.CanFloat() && Fractions.Has(dt):
		return within(dt, FromFloat(dt, v.Float()), v.Float(), value)
	case v.CanFloat():
		return encodeIntegral(dt, v.Float())
	case v.CanUint() && Fractions.Has(dt):
		return within(dt, floatOfInt(Uint64, dt, v.Uint()), float64(v.Uint()), value)
	case Fractions.Has(dt):
		return within(dt, floatOfInt(Int64, dt, uint64(v.Int())), float64(v.Int()), value)
	case v.CanUint():
		return encodeInt(dt, v.Uint(), false, value)
	}
	return encodeInt(dt, uint64(v.Int()), v.Int() < 0, value)
}

// within returns the element that a number was rounded to, or an error if the number is outside the range of the type.
func within(dt DType, bits uint64, number float64, value any) (uint64, error) {
	if !reaches(dt, bits, number) {
		return 0, fmt.Errorf("%v is past the greatest %s, %v", value, dt, Greatest(dt))
	}
	return bits, nil
}

// Greatest returns the greatest finite number of a type of Fractions.
func Greatest(dt DType) float64 {
	last := FromFloat(dt, math.Inf(1))
	if v := ToFloat(dt, last); math.IsInf(v, 0) || math.IsNaN(v) {
		last--
	}
	return ToFloat(dt, last)
}

// encodeIntegral converts a float to an element of an integer type, or returns an error.
func encodeIntegral(dt DType, f float64) (uint64, error) {
	switch {
	case math.IsInf(f, 0) || math.IsNaN(f):
		return 0, fmt.Errorf("%v is no number of %s: Cast to a float type", f, dt)
	case f != math.Trunc(f):
		return 0, fmt.Errorf("%v is not an integer, for %s: round it, or Cast to a float type", f, dt)
	case f < math.MinInt64 || f >= math.MaxUint64: // as floats, -2^63 and 2^64
		return 0, outside(dt, f)
	case f < 0:
		return encodeInt(dt, uint64(int64(f)), true, f)
	}
	return encodeInt(dt, uint64(f), false, f)
}

// encodeInt converts an integer, given by its low 64 bits and its sign, to an element of an integer type, or returns an error.
func encodeInt(dt DType, bits uint64, negative bool, value any) (uint64, error) {
	fits := bits <= maxOf(dt)
	if negative {
		fits = Complements.Has(dt) && IsElement(dt, bits)
	}
	if !fits {
		return 0, outside(dt, value)
	}
	return bits, nil
}

func outside(dt DType, value any) error {
	least := int64(0)
	if Complements.Has(dt) {
		least = -1 << (dt.Bits() - 1)
	}
	return fmt.Errorf("%v is outside %s, [%d, %d]", value, dt, least, maxOf(dt))
}
