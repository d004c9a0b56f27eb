package ir

import "math"

// The identities of the op table: elements c with which x op c is x, bit for
// bit.

// identityZero is the identity of x - c, x | c, x ^ c and shifts. For floats it is +0, as -0 - -0 would be +0.
func identityZero(DType) (uint64, bool) { return 0, true }

// identitySum is -0 for floats, as -0 + +0 is +0.
func identitySum(d DType) (uint64, bool) {
	if Floats.Has(d) {
		return SignBit(d), true
	}
	return 0, true
}

func identityOne(d DType) (uint64, bool) {
	if Reals.Has(d) {
		return FromFloat(d, 1), true
	}
	return 1, true
}

// identityIntOne is the identity of rounded division for integers. Rounded division of floats has none.
func identityIntOne(d DType) (uint64, bool) { return 1, Ints.Has(d) }

// identityOnes has every bit set. It is the identity of x & c; for bools it is true.
func identityOnes(d DType) (uint64, bool) {
	if d == Bool {
		return 1, true
	}
	return Wrap(d, -1), true
}

// identityMin is the greatest element.
func identityMin(d DType) (uint64, bool) {
	if Reals.Has(d) {
		return FromFloat(d, math.Inf(1)), true
	}
	return maxOf(d), true
}

// identityMax is the least element.
func identityMax(d DType) (uint64, bool) {
	switch {
	case Reals.Has(d):
		return FromFloat(d, math.Inf(-1)), true
	case Signed.Has(d):
		return Wrap(d, int64(SignBit(d))), true
	}
	return 0, true
}

// identityTrue is the identity of x == c, which is x for bools only.
func identityTrue(d DType) (uint64, bool) { return 1, d == Bool }

// identityFalse is the identity of x != c for bools.
func identityFalse(d DType) (uint64, bool) { return 0, d == Bool }
