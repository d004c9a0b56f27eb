package lines

import (
	"math"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
)

// bits are the types that elements are sorted as: unsigned integers with their bits.
type bits interface {
	uint8 | uint16 | uint32 | uint64
}

// keys maps the bits of elements to keys: unsigned numbers in the order of the elements. Bits of floats are such numbers once
// those of negative floats are inverted.
type keys[U bits] struct {
	zero               U // the bits of -0, which is +0; 0 if there is no such element
	infinity           U // twice the bits of infinity; those of NaNs are greater
	positive, negative U // the bits that are inverted in an element, by its sign bit
	nans               U // the number of NaNs of each sign
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
		infinity := U(ir.FromFloat(d, math.Inf(1)))
		k = keys[U]{zero: sign, infinity: 2 * infinity, positive: sign, negative: all, nans: sign - 1 - infinity}
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
	return k.least(v)
}

// least returns a number that is below a key whenever the element's key is. It differs from the key for NaNs, and for -0, whose
// bits are no element's key.
func (k keys[U]) least(v U) U {
	sign := -(v >> (8*unsafe.Sizeof(v) - 1)) // all ones, or 0
	return v ^ k.positive ^ sign&k.flipped()
}

// flipped returns the bits that are inverted in only one of negative and positive elements. The first bit never is one of them.
func (k keys[U]) flipped() U { return k.positive ^ k.negative }

// exact returns another key, which is unique to the element's bits. The keys of -0 and +0 are adjacent, and those of NaNs come last;
// least begins with the NaNs of one sign.
func (k keys[U]) exact(v U) U { return k.least(v) - k.nans }

// element returns the bits of an exact key.
func (k keys[U]) element(key U) U {
	v := (key + k.nans) ^ k.positive
	sign := -(v >> (8*unsafe.Sizeof(v) - 1))
	return v ^ sign&k.flipped()
}

// class is a range of exact keys, from least to most, of elements that count as equal and keep their order.
type class[U bits] struct{ least, most U }

func (c class[U]) has(key U) bool { return key-c.least <= c.most-c.least }

// classes returns the classes of zeros and of NaNs if elements are floats.
func (k keys[U]) classes() [2]class[U] {
	zero := min(k.exact(0), k.exact(k.zero))
	return [2]class[U]{{zero, zero + 1}, {-(2 * k.nans), ^U(0)}}
}

// wide reports whether elements have eight bytes: more than half a word.
func (k keys[U]) wide() bool { return unsafe.Sizeof(k.zero) == 8 }

// line is a line of elements with a constant distance in bytes.
type line[U bits] struct {
	from          unsafe.Pointer
	across, count int
}

func (l line[U]) at(i int) U { return *(*U)(unsafe.Add(l.from, i*l.across)) }

func (l line[U]) set(i int, v U) { *(*U)(unsafe.Add(l.from, i*l.across)) = v }

// sideBySide returns the address of the contiguous elements: their own if they are contiguous, else memory, which they are copied to.
func (l line[U]) sideBySide(memory unsafe.Pointer) unsafe.Pointer {
	if l.across == int(unsafe.Sizeof(U(0))) {
		return l.from
	}
	to := unsafe.Slice((*U)(memory), l.count)
	for i := range to {
		to[i] = l.at(i)
	}
	return memory
}

// asLong reports whether elements are as long as their keys.
func asLong[U bits, K word]() bool { return unsafe.Sizeof(U(0)) == unsafe.Sizeof(K(0)) }

// inVectors reports whether the elements are contiguous and as long as their keys.
func inVectors[U bits, K word](l line[U]) bool {
	return asLong[U, K]() && l.across == int(unsafe.Sizeof(U(0)))
}

// keysAs converts keys to the type K, which has the size of U.
func keysAs[K word, U bits](k keys[U]) keys[K] {
	return keys[K]{K(k.zero), K(k.infinity), K(k.positive), K(k.negative), K(k.nans)}
}
