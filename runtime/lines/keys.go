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
	zero      U // -0, which is +0; 0 if there is no such element
	magnitude U // the bits of an element without its sign
	infinity  U // the greatest magnitude that is no NaN
	sign      U // inverted: negative elements come before positive ones
	negative  U // inverted besides if the element is negative
	down      U // inverted if the greatest come first
}

// keysOf returns the keys of the elements of a type.
func keysOf[U bits](d ir.DType, down bool) keys[U] {
	all := ^U(0)
	top := all ^ all>>1
	k := keys[U]{magnitude: all, infinity: all}
	switch {
	case ir.Signed.Has(d):
		k.sign = top
	case ir.Floats.Has(d):
		k = keys[U]{zero: top, magnitude: ^top, infinity: U(ir.FromFloat(d, math.Inf(1))), sign: top, negative: ^top}
	}
	if down {
		k.down = all
	}
	return k
}

// of returns the key of an element: all ones for a NaN, which comes last.
func (k *keys[U]) of(v U) U {
	if v == k.zero {
		v = 0
	}
	if v&k.magnitude > k.infinity {
		return ^U(0)
	}
	inverted := k.sign ^ k.down
	if v&k.sign != 0 {
		inverted ^= k.negative
	}
	return v ^ inverted
}

// line is elements that are so many bytes apart.
type line[U bits] struct {
	from          unsafe.Pointer
	across, count int
}

func (l *line[U]) at(i int) U { return *(*U)(unsafe.Add(l.from, i*l.across)) }
