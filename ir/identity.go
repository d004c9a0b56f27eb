package ir

import "math"

// The identities of the op table: elements that leave the other operand as it
// is, bit for bit.

// identityZero is 0, of floats +0: x - (+0) is x for every x, -0 too.
func identityZero(DType) (uint64, bool) { return 0, true }

// identitySum is 0, of floats -0: -0 + (+0) would be +0.
func identitySum(d DType) (uint64, bool) {
	if Floats.Has(d) {
		return fromFloat(d, math.Copysign(0, -1)), true
	}
	return 0, true
}

func identityOne(d DType) (uint64, bool) {
	if Floats.Has(d) {
		return fromFloat(d, 1), true
	}
	return 1, true
}

// identityOnes has every bit set; of bools it is true.
func identityOnes(d DType) (uint64, bool) {
	if d == Bool {
		return 1, true
	}
	return wrap(d, -1), true
}
