package lines

import (
	"math"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
)

// bits are the types that elements are sorted as: their bits.
type bits interface {
	uint8 | uint16 | uint32 | uint64
}

// keys says how the bits of elements become keys: unsigned numbers that are less where the
// element comes before. Bits of floats are such numbers once those of negative ones are
// inverted.
type keys[U bits] struct {
	zero               U // the bits of -0, which is +0; 0 if there is no such element
	infinity           U // twice the bits of infinity: those of NaNs are more
	positive, negative U // which bits of an element are inverted, by its first one
}

// keysOf returns the keys of the elements of a type.
func keysOf[U bits](d ir.DType, down bool) keys[U] {
	all := ^U(0)
	sign := all ^ all>>1
	k := keys[U]{infinity: all}
	switch {
	case ir.Signed.Has(d) || d == ir.Fixed16x16:
		k.positive, k.negative = sign, sign
	case ir.Floats.Has(d):
		k = keys[U]{zero: sign, infinity: 2 * U(ir.FromFloat(d, math.Inf(1))), positive: sign, negative: all}
	}
	if down {
		k.positive, k.negative = ^k.positive, ^k.negative
	}
	return k
}

// of returns the key of an element: all ones for a NaN, which comes last.
func (k keys[U]) of(v U) U {
	if v == k.zero {
		v = 0
	}
	if 2*v > k.infinity {
		return ^U(0)
	}
	inverted := k.positive
	if v > ^U(0)>>1 {
		inverted = k.negative
	}
	return v ^ inverted
}

// least returns a number that is below a key if that of an element is. It differs from the key for
// NaNs, and for -0, whose key no element has.
func (k keys[U]) least(v U) U {
	sign := -(v >> (8*unsafe.Sizeof(v) - 1)) // all ones, or 0
	return v ^ k.positive ^ sign&(k.positive^k.negative)
}

// wide reports whether elements have eight bytes: more than a half of a word.
func (k keys[U]) wide() bool { return unsafe.Sizeof(k.zero) == 8 }

// line is elements that are so many bytes apart.
type line[U bits] struct {
	from          unsafe.Pointer
	across, count int
}

func (l line[U]) at(i int) U { return *(*U)(unsafe.Add(l.from, i*l.across)) }
