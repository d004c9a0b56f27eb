package tensor

import (
	"iter"
	"math"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

// numberBits is ir.Encode for a float, without an allocation for valid numbers.
func numberBits(dt ir.DType, f float64) (uint64, error) {
	switch i := int32(f); { // out of range i is arbitrary, and differs from f
	case (dt == ir.Int32 || dt == ir.Int64) && float64(i) == f:
		return uint64(i), nil
	case ir.Floats.Has(dt):
		if bits := ir.FromFloat(dt, f); !math.IsInf(ir.ToFloat(dt, bits), 0) {
			return bits, nil
		}
	}
	return ir.Encode(dt, f)
}

// Equal reports whether a and b have the same dtype, shape and elements, bit for bit: -0 is not +0, but all NaNs are
// equal. It is for tests; a failed tensor equals nothing.
func Equal(a, b *Tensor) bool {
	if !a.Valid() || !b.Valid() || a.dtype != b.dtype ||
		!slices.Equal(a.layout.Shape, b.layout.Shape) {
		return false
	}
	return a.Size() == 0 || equalFrom(a, b, 0, a.layout.Offset, b.layout.Offset)
}

// equalFrom compares the elements at locations at and bt, from an axis on.
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
	a, b := ir.Wrap(dt, int64(memory.LoadBits(dt, p))), ir.Wrap(dt, int64(memory.LoadBits(dt, q)))
	return a == b || ir.IsNaN(dt, a) && ir.IsNaN(dt, b)
}

// Words returns the elements of a tensor in row-major order, as package ir has them.
func Words(t *Tensor) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		if t.Size() == 0 {
			return
		}
		t := t.Contiguous()
		for i := range t.Size() {
			if !yield(ir.Wrap(t.dtype, int64(memory.LoadBits(t.dtype, t.addr(t.layout.Offset+i))))) {
				return
			}
		}
	}
}

// OfWords returns a tensor of the given elements in row-major order: a failed tensor if memory is short.
func OfWords(dt ir.DType, words []uint64, shape ...int) *Tensor {
	t := New(dt, shape...)
	if t.Err() == nil {
		for i, bits := range words {
			memory.StoreBits(dt, t.addr(t.layout.Offset+i), bits)
		}
	}
	return t
}
