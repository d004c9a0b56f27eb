package runtime

import (
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
)

// Overlaps reports whether the stretches of memory from the first to the last
// byte that a and b touch have a byte in common. The two may still have no
// element in common, such as even and odd columns. A tensor without elements
// overlaps nothing.
func Overlaps(a, b *Tensor) bool {
	if a.Size() == 0 || b.Size() == 0 {
		return false
	}
	aFirst, aEnd := a.stretch()
	bFirst, bEnd := b.stretch()
	return aFirst < bEnd && bFirst < aEnd
}

// stretch returns the addresses of the first byte touched and of the one after
// the last. There must be elements.
func (t *Tensor) stretch() (first, end uintptr) {
	lo, hi := t.layout.Bounds()
	return uintptr(t.addr(lo)), uintptr(t.addr(hi)) + uintptr(t.dtype.Size())
}

// Equal reports whether a and b have the same dtype, shape and elements, bit for
// bit: -0 is not +0. Only NaNs are all one. It is for tests; two nil Tensors are
// equal.
func Equal(a, b *Tensor) bool {
	if !a.valid() || !b.valid() {
		return a.valid() == b.valid()
	}
	if a.dtype != b.dtype || !slices.Equal(a.layout.Shape, b.layout.Shape) {
		return false
	}
	return a.Size() == 0 || equalFrom(a, b, 0, a.layout.Offset, b.layout.Offset)
}

// equalFrom compares the elements below locations at and bt, from an axis on.
func equalFrom(a, b *Tensor, axis, at, bt int) bool {
	if axis == a.layout.Rank() {
		return sameElement(a.dtype, a.addr(at), b.addr(bt))
	}
	for range a.layout.Shape[axis] {
		if !equalFrom(a, b, axis+1, at, bt) {
			return false
		}
		at += a.layout.Strides[axis]
		bt += b.layout.Strides[axis]
	}
	return true
}

func sameElement(dt ir.DType, p, q unsafe.Pointer) bool {
	if loadBits(dt, p) == loadBits(dt, q) {
		return true
	}
	switch dt {
	case ir.Float32:
		return *(*float32)(p) != *(*float32)(p) && *(*float32)(q) != *(*float32)(q)
	case ir.Float64:
		return *(*float64)(p) != *(*float64)(p) && *(*float64)(q) != *(*float64)(q)
	}
	return false
}
