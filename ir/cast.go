package ir

import "math"

// RefCast defines cast. Float and fixed-point to int truncates and saturates, and NaN gives 0; int to int wraps; to float rounds once,
// ties to even; to fixed-point rounds likewise and saturates; to bool is x != 0.
func RefCast(in, out DType, a [3]uint64) uint64 {
	switch {
	case out == Bool:
		if Fractions.Has(in) {
			return FromBool(ToFloat(in, a[0]) != 0)
		}
		return FromBool(a[0] != 0)
	case Fractions.Has(in) && Fractions.Has(out):
		return FromFloat(out, ToFloat(in, a[0]))
	case Fractions.Has(in):
		return saturateInt(out, ToFloat(in, a[0]))
	case Fractions.Has(out):
		return floatOfInt(in, out, a[0])
	}
	return Wrap(out, int64(a[0]))
}

// floatOfInt rounds an integer once. Integers that float64 does not hold exceed the greatest float16 and most minifloats, so an
// intermediate rounding does not matter for these types. For bfloat16 and float8e8m0 the integer first loses 11 bits; the
// last bit that is left is set if any of them was.
func floatOfInt(in, out DType, a uint64) uint64 {
	const lost = 1<<11 - 1
	large := out == BFloat16 || out == Float8E8M0
	switch {
	case large && in == Uint64 && a >= 1<<53:
		a = (a | (a&lost + lost)) &^ lost
	case large && in != Uint64 && (int64(a) >= 1<<53 || int64(a) < -1<<53):
		a = (a | (a&lost + lost)) &^ lost
	}
	switch {
	case out == Float32 && in == Uint64:
		return uint64(math.Float32bits(float32(a)))
	case out == Float32:
		return uint64(math.Float32bits(float32(int64(a))))
	case in == Uint64:
		return FromFloat(out, float64(a))
	}
	return FromFloat(out, float64(int64(a)))
}

// saturateInt converts a float to an integer of d: truncated, or the nearest bound of d if out of range.
func saturateInt(d DType, v float64) uint64 {
	lo, hi := intRange(d)
	switch {
	case v != v:
		return 0
	case v <= lo:
		return Wrap(d, int64(lo))
	case v >= hi:
		return maxOf(d)
	case d == Uint64:
		return uint64(v)
	}
	return Wrap(d, int64(v))
}

// intRange returns the least value of d and the least power of two beyond it.
func intRange(d DType) (lo, hi float64) {
	bits := d.Bits()
	if Complements.Has(d) {
		return -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)
	}
	return 0, math.Ldexp(1, bits)
}

// maxOf returns the greatest integer of d.
func maxOf(d DType) uint64 {
	if Complements.Has(d) {
		return SignBit(d) - 1
	}
	return laneMask(d)
}
