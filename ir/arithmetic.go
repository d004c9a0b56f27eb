package ir

import "math"

// Arithmetic computes a lane op: of operands of type in, an element of type out. The
// definitions of reductions, scans and products are its methods: they say which ops are
// applied to what in which order, whatever the ops compute.
type Arithmetic func(op Op, in, out DType, a [3]uint64) uint64

// Defined is the arithmetic of the op table.
var Defined Arithmetic = func(op Op, in, out DType, a [3]uint64) uint64 { return op.Info().Ref(in, out, a) }

// Uninterpreted returns an arithmetic for proofs that two programs compute their results by
// the same expressions. An op that rounds gives an arbitrary number,
// which follows from the seed, the op and its operands: nothing is known of the op
// but whether it commutes, and what its identity is. So the results of two programs differ,
// but for chance, where one of them adds in another order, contracts a product and a sum, or
// rounds in another place, whatever the inputs are. All other ops are as defined.
//
// One number of 16 is infinite: programs compute what is computed of sums that overflow, too.
func Uninterpreted(seed uint64) Arithmetic {
	return func(op Op, in, out DType, a [3]uint64) uint64 {
		info := op.Info()
		if !op.rounds(in, a) {
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
		return arbitrary(out, h)
	}
}

// Combine applies an op to two operands of the type that the result has.
func (f Arithmetic) Combine(op Op, d DType, x, y uint64) uint64 { return f(op, d, d, [3]uint64{x, y}) }

// Cast is OpCast.
func (f Arithmetic) Cast(from, to DType, x uint64) uint64 {
	return f(OpCast, from, to, [3]uint64{x})
}

// rounds reports whether what an op gives for some operands of a type is rounded. A product
// by a power of two is not.
func (op Op) rounds(in DType, a [3]uint64) bool {
	switch op {
	case OpMul:
		return Reals.Has(in) && !isPowerOfTwo(in, a[0]) && !isPowerOfTwo(in, a[1])
	case OpAdd, OpSub, OpDiv, OpSqrt, OpFMA:
		return Reals.Has(in)
	}
	return false
}

func isPowerOfTwo(d DType, x uint64) bool {
	fraction, _ := math.Frexp(ToFloat(d, x))
	return fraction == .5
}

// arbitrary returns the number that follows from a hash: of one to eight, or infinity.
func arbitrary(d DType, h uint64) uint64 {
	if h%16 == 0 && Floats.Has(d) {
		return FromFloat(d, math.Inf(1))
	}
	v := math.Float64frombits(h>>12 | 1023<<52) // of one to two
	return FromFloat(d, [...]float64{v, -v, 2 * v, -4 * v}[h>>8%4])
}
