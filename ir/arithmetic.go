package ir

import "math"

// Arithmetic computes a lane op on operands of type in, with a result of type out. The definitions of reductions, scans and products
// are its methods: they fix which ops are applied to which values in which order, whatever the ops compute.
type Arithmetic func(op Op, in, out DType, a [3]uint64) uint64

// Defined is the arithmetic of the op table.
var Defined Arithmetic = func(op Op, in, out DType, a [3]uint64) uint64 { return op.Info().Ref(in, out, a) }

// Uninterpreted returns an arithmetic for proofs that two programs compute their results by the same expressions. An op that rounds
// returns an arbitrary number that depends only on the seed, the op and its operands; it keeps commutativity and the identity of
// the op. If one program adds in another order, contracts a product and a sum, or rounds in another place, its results therefore
// differ, except by chance: one in as many numbers as the type has between two powers of two, 2^23 in float32.
//
// Ops that do not round have their defined results. So have casts, and the exact products by 2^16 and 2^-16 in float64 that convert
// fixed-point numbers. So a program that takes the maximum of other elements differs only if that is another element.
//
// One in infinite results is infinite, or none if infinite is 0. That tests results of sums that overflow.
func Uninterpreted(seed, infinite uint64) Arithmetic {
	return func(op Op, in, out DType, a [3]uint64) uint64 {
		info := op.Info()
		if !info.Rounds || !Reals.Has(in) || op == OpMul && in == Float64 && (isFixedScale(a[0]) || isFixedScale(a[1])) {
			return info.Ref(in, out, a)
		}
		if info.Commutative {
			if info.Identity != nil {
				switch identity, _ := info.Identity(in); identity {
				case a[1]:
					return a[0]
				case a[0]:
					return a[1]
				}
			}
			a[0], a[1] = min(a[0], a[1]), max(a[0], a[1])
		}
		h := seed + uint64(op)<<8 + uint64(out)
		for _, x := range a {
			h = Mix(h, x)
		}
		if infinite > 0 && h>>5%infinite == 0 && Floats.Has(out) {
			return FromFloat(out, math.Inf(1))
		}
		return Arbitrary(out, h)
	}
}

func isFixedScale(x uint64) bool {
	v := math.Float64frombits(x)
	return v == 0x1p16 || v == 0x1p-16
}

// Arbitrary returns the number of a type of Fractions that a hash determines. Its magnitude is between 2^-6 and 2^6.
func Arbitrary(d DType, h uint64) uint64 {
	exponent := h>>1&15%12 - 6 + 1023
	return FromFloat(d, math.Float64frombits(h<<63|exponent<<52|h>>12))
}

// Combine applies an op to two operands of the type that the result has.
func (f Arithmetic) Combine(op Op, d DType, x, y uint64) uint64 { return f(op, d, d, [3]uint64{x, y}) }

// Cast is OpCast.
func (f Arithmetic) Cast(from, to DType, x uint64) uint64 {
	return f(OpCast, from, to, [3]uint64{x})
}
