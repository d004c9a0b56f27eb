package runtime

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
)

// loadBits returns an element's bits, in the low bits of the result.
func loadBits(dt ir.DType, p unsafe.Pointer) uint64 {
	switch dt.Size() {
	case 1:
		return uint64(*(*uint8)(p))
	case 4:
		return uint64(*(*uint32)(p))
	default:
		return *(*uint64)(p)
	}
}

// storeBits writes what loadBits reads.
func storeBits(dt ir.DType, p unsafe.Pointer, bits uint64) {
	switch dt.Size() {
	case 1:
		*(*uint8)(p) = uint8(bits)
	case 4:
		*(*uint32)(p) = uint32(bits)
	default:
		*(*uint64)(p) = bits
	}
}

func loadAny(dt ir.DType, p unsafe.Pointer) any {
	switch bits := loadBits(dt, p); dt {
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

// intRanges holds the least and the greatest integer of each integer dtype.
var intRanges = map[ir.DType][2]int64{
	ir.Uint8:  {0, math.MaxUint8},
	ir.Int32:  {math.MinInt32, math.MaxInt32},
	ir.Uint32: {0, math.MaxUint32},
	ir.Int64:  {math.MinInt64, math.MaxInt64},
}

// encode returns the bits of a Go value as an element, by the rules of Set.
func encode(dt ir.DType, value any) (uint64, error) {
	v := reflect.ValueOf(value)
	switch isBool := v.Kind() == reflect.Bool; {
	case isBool != (dt == ir.Bool):
		return 0, fmt.Errorf("%v (%T) is no element of a %s tensor", value, value, dt)
	case isBool && v.Bool():
		return 1, nil
	case isBool:
		return 0, nil
	case v.CanInt():
		return encodeInt(dt, v.Int())
	case v.CanUint() && v.Uint() <= math.MaxInt64:
		return encodeInt(dt, int64(v.Uint()))
	case v.CanUint() && dt == ir.Float32:
		return uint64(math.Float32bits(float32(v.Uint()))), nil
	case v.CanUint() && dt == ir.Float64:
		return math.Float64bits(float64(v.Uint())), nil
	case v.CanUint():
		return 0, outOfRange(dt, value)
	case v.CanFloat():
		return encodeFloat(dt, v.Float())
	}
	return 0, fmt.Errorf("%v (%T) is not a number", value, value)
}

func encodeInt(dt ir.DType, i int64) (uint64, error) {
	switch dt {
	case ir.Float32:
		return uint64(math.Float32bits(float32(i))), nil
	case ir.Float64:
		return math.Float64bits(float64(i)), nil
	}
	if r := intRanges[dt]; i < r[0] || i > r[1] {
		return 0, outOfRange(dt, i)
	}
	return uint64(i), nil
}

func encodeFloat(dt ir.DType, f float64) (uint64, error) {
	switch {
	case dt == ir.Float64:
		return math.Float64bits(f), nil
	case dt == ir.Float32:
		if math.IsInf(float64(float32(f)), 0) && !math.IsInf(f, 0) {
			return 0, fmt.Errorf("%v is past the greatest float32, %v", f, math.MaxFloat32)
		}
		return uint64(math.Float32bits(float32(f))), nil
	case f != math.Trunc(f): // NaN too
		return 0, fmt.Errorf("%v is not an integer, for a %s tensor: round it first", f, dt)
	case f < -1<<63 || f >= 1<<63:
		return 0, outOfRange(dt, f)
	}
	return encodeInt(dt, int64(f))
}

func outOfRange(dt ir.DType, value any) error {
	r := intRanges[dt]
	return fmt.Errorf("%v is outside %s, [%d, %d]", value, dt, r[0], r[1])
}

// Equal reports whether a and b have the same dtype, shape and elements, bit for
// bit: -0 is not +0. Only NaNs are all one. It is for tests; a failed tensor
// equals nothing.
func Equal(a, b *Tensor) bool {
	if !a.valid() || !b.valid() || a.dtype != b.dtype ||
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
