package tensor

import (
	"math"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

func loadAny(dt ir.DType, p unsafe.Pointer) any {
	switch bits := memory.LoadBits(dt, p); dt {
	case ir.Bool:
		return bits != 0
	case ir.Uint8:
		return uint8(bits)
	case ir.Int32:
		return int32(bits)
	case ir.Uint32:
		return uint32(bits)
	case ir.Int64:
		return int64(bits)
	case ir.Float32:
		return math.Float32frombits(uint32(bits))
	default:
		return math.Float64frombits(bits)
	}
}

// numberBits is ir.Encode of a float, without its allocation for the numbers that
// no rule stands against.
func numberBits(dt ir.DType, f float64) (uint64, error) {
	switch i := int32(f); { // any int32 if f is out of range: not equal then
	case (dt == ir.Int32 || dt == ir.Int64) && float64(i) == f:
		return uint64(i), nil
	case dt == ir.Float64:
		return math.Float64bits(f), nil
	case dt == ir.Float32 && math.Abs(f) < math.MaxFloat32:
		return uint64(math.Float32bits(float32(f))), nil
	}
	return ir.Encode(dt, f)
}

// Equal reports whether a and b have the same dtype, shape and elements, bit for
// bit: -0 is not +0. Only NaNs are all one. It is for tests; a failed tensor
// equals nothing.
func Equal(a, b *Tensor) bool {
	if !a.Valid() || !b.Valid() || a.dtype != b.dtype ||
		!slices.Equal(a.layout.Shape, b.layout.Shape) {
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
	if memory.LoadBits(dt, p) == memory.LoadBits(dt, q) {
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
