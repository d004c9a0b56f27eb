package graph

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// Facts about element types. Their methods IntLimits and FloatLimits are NumPy's iinfo and finfo.

// DTypes is a set of element types.
type DTypes = ir.DTypes

// The kinds of element types, as sets: Integers.Has(dt) reports whether dt is an integer type.
var (
	Bools            = ir.Bools
	SignedIntegers   = ir.Signed
	UnsignedIntegers = ir.Unsigned
	Integers         = ir.Ints
	Floats           = ir.Floats
	Numeric          = ir.Numeric // integers, floats and Fixed16x16
)

// ResultType returns the least type that holds the elements of all the given types, as NumPy's result_type. No operation
// of this package promotes: Cast operands to it. Bools become numbers and integers floats; Int64 with Uint64 gives
// Float64. BFloat16 with Float16 or an integer gives Float32. Fixed16x16 gives Float64 with a float, Uint16 or an integer
// of 32 bits or more. A type that operations do not compute with has a common type only with itself.
func ResultType(dt DType, more ...DType) (DType, error) {
	if err := dt.Check(); err != nil {
		return dt, err
	}
	for _, d := range more {
		to, ok := ir.Promote(dt, d)
		if !ok {
			return to, fmt.Errorf("no type holds the elements of %s and %s", dt, d)
		}
		dt = to
	}
	return dt, nil
}

// CanCast reports whether to is the ResultType of both types: whether it holds the elements of from, up to the rounding
// of large integers to floats.
func CanCast(from, to DType) bool {
	d, ok := ir.Promote(from, to)
	return ok && d == to
}
