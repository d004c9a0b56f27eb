package ir

import (
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/ir/scalar"
)

// An element is stored in a uint64: bool as 0 or 1, integers extended to 64 bits by their sign or by zeros, floats as their bits. The
// functions below define the lane ops on such elements.

func refCopy(_, _ DType, a [3]uint64) uint64 { return a[0] }

// arith returns a reference made of one function on floats and one on integers. Floats of fewer bits are computed in float64 and
// rounded once more: for + - * / and sqrt, 53 bits are enough for the result to be rounded once in effect (Figueroa 1995). So
// are the 24 bits of float32 for float16 and bfloat16.
func arith(f func(x, y float64) float64, i func(x, y int64) int64) func(in, out DType, a [3]uint64) uint64 {
	return func(in, _ DType, a [3]uint64) uint64 {
		if Reals.Has(in) {
			return FromFloat(in, f(ToFloat(in, a[0]), ToFloat(in, a[1])))
		}
		return Wrap(in, i(int64(a[0]), int64(a[1])))
	}
}

// rounding returns a reference made of a function on floats.
func rounding(f func(x float64) float64) func(in, out DType, a [3]uint64) uint64 {
	return func(in, _ DType, a [3]uint64) uint64 { return FromFloat(in, f(ToFloat(in, a[0]))) }
}

// bitwise returns a reference made of a function on bits.
func bitwise(f func(x, y uint64) uint64) func(in, out DType, a [3]uint64) uint64 {
	return func(in, _ DType, a [3]uint64) uint64 { return Wrap(in, int64(f(a[0], a[1]))) }
}

// compare returns a reference made of a test of the order of two elements: -1, 0, 1, or 2 if one is NaN.
func compare(f func(order int) bool) func(in, out DType, a [3]uint64) uint64 {
	return func(in, _ DType, a [3]uint64) uint64 { return FromBool(f(order(in, a[0], a[1]))) }
}

var (
	refAdd = arith(func(x, y float64) float64 { return x + y }, func(x, y int64) int64 { return x + y })
	refSub = arith(func(x, y float64) float64 { return x - y }, func(x, y int64) int64 { return x - y })
	refMul = arith(func(x, y float64) float64 { return x * y }, func(x, y int64) int64 { return x * y })
	refNeg = func(in, out DType, a [3]uint64) uint64 {
		switch {
		case Floats.Has(in):
			return a[0] ^ SignBit(in)
		case Reals.Has(in):
			return FromFloat(in, -ToFloat(in, a[0]))
		}
		return Wrap(in, -int64(a[0]))
	}
	refAbs = func(in, out DType, a [3]uint64) uint64 {
		switch {
		case Floats.Has(in):
			return a[0] &^ SignBit(in)
		case Reals.Has(in):
			return FromFloat(in, math.Abs(ToFloat(in, a[0])))
		case int64(a[0]) < 0 && Signed.Has(in):
			return Wrap(in, -int64(a[0]))
		}
		return a[0]
	}
	refSqrt  = rounding(math.Sqrt)
	refFloor = rounding(math.Floor)
	refCeil  = rounding(math.Ceil)
	refTrunc = rounding(math.Trunc)
	refRound = rounding(math.RoundToEven)

	refEq = compare(func(o int) bool { return o == 0 })
	refNe = compare(func(o int) bool { return o != 0 })
	refLt = compare(func(o int) bool { return o == -1 })
	refLe = compare(func(o int) bool { return o == -1 || o == 0 })

	refAnd = bitwise(func(x, y uint64) uint64 { return x & y })
	refOr  = bitwise(func(x, y uint64) uint64 { return x | y })
	refXor = bitwise(func(x, y uint64) uint64 { return x ^ y })
)

// refMulHalves multiplies 16-bit elements, two of which are in each operand.
func refMulHalves(_, out DType, a [3]uint64) uint64 {
	upper := func(x uint64) int64 { return int64(int32(x) >> 16) }
	return Wrap(out, int64(int16(a[0]))*int64(int16(a[1]))+upper(a[0])*upper(a[1]))
}

func refDiv(in, _ DType, a [3]uint64) uint64 {
	switch {
	case Reals.Has(in):
		return FromFloat(in, ToFloat(in, a[0])/ToFloat(in, a[1]))
	case a[1] == 0:
		return 0
	case Unsigned.Has(in):
		return a[0] / a[1]
	}
	return Wrap(in, int64(a[0])/int64(a[1]))
}

func refRem(in, _ DType, a [3]uint64) uint64 {
	switch {
	case a[1] == 0:
		return 0
	case Unsigned.Has(in):
		return a[0] % a[1]
	}
	return Wrap(in, int64(a[0])%int64(a[1]))
}

// refFMA rounds once, except for bfloat16, where it rounds the result of float32. For float16 the sum of a product and an addend is
// computed in float64. Its error is less than 2^-53 of it, which never changes the rounding to float16, as the product
// has 22 bits.
func refFMA(in, _ DType, a [3]uint64) uint64 {
	switch in {
	case Float32:
		f := math.Float32frombits
		return uint64(math.Float32bits(scalar.FMA32(f(uint32(a[0])), f(uint32(a[1])), f(uint32(a[2])))))
	case BFloat16:
		f := scalar.BFloat16frombits
		return uint64(scalar.BFloat16bits(scalar.FMA32(f(uint16(a[0])), f(uint16(a[1])), f(uint16(a[2])))))
	case Float16, Float64, Fixed16x16:
		return FromFloat(in, math.FMA(ToFloat(in, a[0]), ToFloat(in, a[1]), ToFloat(in, a[2])))
	}
	panic(noMeaning("fma", in))
}

func refScalb(in, _ DType, a [3]uint64) uint64 {
	return FromFloat(in, math.Ldexp(ToFloat(in, a[0]), int(ToFloat(in, a[1]))))
}

func refMin(in, _ DType, a [3]uint64) uint64 {
	if Reals.Has(in) {
		return FromFloat(in, min(ToFloat(in, a[0]), ToFloat(in, a[1])))
	}
	if order(in, a[1], a[0]) < 0 {
		return a[1]
	}
	return a[0]
}

func refMax(in, _ DType, a [3]uint64) uint64 {
	if Reals.Has(in) {
		return FromFloat(in, max(ToFloat(in, a[0]), ToFloat(in, a[1])))
	}
	if order(in, a[1], a[0]) > 0 {
		return a[1]
	}
	return a[0]
}

func refNot(in, _ DType, a [3]uint64) uint64 {
	if in == Bool {
		return a[0] ^ 1
	}
	return Wrap(in, ^int64(a[0]))
}

func refShl(in, _ DType, a [3]uint64) uint64 {
	n := a[1] & laneMask(in)
	if n >= uint64(8*in.Size()) {
		return 0
	}
	return Wrap(in, int64(a[0]<<n))
}

func refShr(in, _ DType, a [3]uint64) uint64 {
	n := min(a[1]&laneMask(in), uint64(8*in.Size()))
	if Signed.Has(in) {
		return Wrap(in, int64(a[0])>>n)
	}
	return a[0] >> n
}

func refSelect(_, _ DType, a [3]uint64) uint64 {
	if a[0] != 0 {
		return a[1]
	}
	return a[2]
}

func refBitcast(in, out DType, a [3]uint64) uint64 {
	return Wrap(out, int64(a[0]&(^uint64(0)>>(64-8*in.Size()))))
}

func laneMask(d DType) uint64 { return ^uint64(0) >> (64 - d.Bits()) }

func SignBit(d DType) uint64 { return 1 << (d.Bits() - 1) }

func FromBool(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// Wrap reduces v to the width of d and extends it again; floats keep bits.
func Wrap(d DType, v int64) uint64 {
	shift := 64 - d.Bits()
	if Complements.Has(d) {
		return uint64(v << shift >> shift)
	}
	return uint64(v) << shift >> shift
}

// ToFloat returns the number of an element of a type with fractions.
func ToFloat(d DType, a uint64) float64 {
	switch d {
	case Float16:
		return float64(scalar.Float16frombits(uint16(a)))
	case BFloat16:
		return float64(scalar.BFloat16frombits(uint16(a)))
	case Float32:
		return float64(math.Float32frombits(uint32(a)))
	case Float64:
		return math.Float64frombits(a)
	case Fixed16x16:
		return scalar.Fixed16x16frombits(uint32(a))
	}
	if Minifloats.Has(d) {
		return minifloatNumber(d, a)
	}
	panic(noMeaning("a number with a fraction", d))
}

// FromFloat returns the element of a type with fractions that is nearest to v, ties to even.
func FromFloat(d DType, v float64) uint64 {
	switch d {
	case Float16:
		return uint64(scalar.Float16bits(float32(roundToOdd(v))))
	case BFloat16:
		return bfloat16Of(v)
	case Float32:
		return uint64(math.Float32bits(float32(v)))
	case Float64:
		return math.Float64bits(v)
	case Fixed16x16:
		return uint64(scalar.Fixed16x16bits(v))
	}
	if Minifloats.Has(d) {
		return minifloatOf(d, v)
	}
	panic(noMeaning("a number with a fraction", d))
}

// IsNaN reports whether an element is not a number.
func IsNaN(d DType, a uint64) bool {
	return (Floats | Minifloats).Has(d) && ToFloat(d, a) != ToFloat(d, a)
}

// IsFinite reports whether an element of a float type is neither NaN nor infinite.
func IsFinite(d DType, a uint64) bool {
	v := ToFloat(d, a)
	return v-v == 0
}

// noMeaning returns the text of the panic in a switch that lacks a case for a type.
func noMeaning(what string, d DType) string {
	return fmt.Sprintf("BUG: ir: %s has no meaning in %s", what, d)
}

// order compares two elements: -1, 0, 1, or 2 where one is NaN.
func order(d DType, a, b uint64) int {
	switch {
	case Reals.Has(d):
		x, y := ToFloat(d, a), ToFloat(d, b)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		case x == y:
			return 0
		}
		return 2
	case a == b:
		return 0
	case Signed.Has(d) && int64(a) < int64(b), !Signed.Has(d) && a < b:
		return -1
	}
	return 1
}
