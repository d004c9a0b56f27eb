package runtime

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
)

// At returns one element: an index for each axis, negative ones counted from
// the end of theirs. T must be the tensor's element type; At allocates nothing.
func At[T Scalar](t *Tensor, index ...int) (T, error) {
	p, err := element[T](t, "at", index)
	if err != nil {
		return *new(T), err
	}
	return *p, nil
}

// Set writes one element, named as At names it. Views of the same container see
// it; so do all the indices that a view made by Expand repeats it at.
func Set[T Scalar](t *Tensor, v T, index ...int) error {
	p, err := element[T](t, "set", index)
	if err != nil {
		return err
	}
	*p = v
	return nil
}

func element[T Scalar](t *Tensor, op string, index []int) (*T, error) {
	if err := checkType[T](t, op); err != nil {
		return nil, err
	}
	p, err := t.locate(op, index)
	return (*T)(p), err
}

// locate returns the address of an element of a valid tensor.
func (t *Tensor) locate(op string, index []int) (unsafe.Pointer, error) {
	if err := t.checkIndex(op, index); err != nil {
		return nil, err
	}
	at := t.layout.Offset
	for k, i := range index {
		at += wrap(i, t.layout.Shape[k]) * t.layout.Strides[k]
	}
	return t.addr(at), nil
}

// At returns one element as Go's type of the dtype, float32 for Float32. The
// function At is faster and typed.
func (t *Tensor) At(index ...int) (any, error) {
	if err := t.check("at"); err != nil {
		return nil, err
	}
	p, err := t.locate("at", index)
	if err != nil {
		return nil, err
	}
	return loadAny(t.dtype, p), nil
}

// Set writes one element, as the function Set does. value is any Go number, or
// a bool for Bool. An integer dtype takes it only when it is exactly that
// number; a floating-point dtype rounds it, but refuses a finite one past its
// greatest.
func (t *Tensor) Set(value any, index ...int) error {
	if err := t.check("set"); err != nil {
		return err
	}
	bits, err := encode(t.dtype, value)
	if err != nil {
		return fmt.Errorf("set: %w", err)
	}
	p, err := t.locate("set", index)
	if err != nil {
		return err
	}
	storeBits(t.dtype, p, bits)
	return nil
}

// Data returns the elements in row-major order without a copy: writes go both
// ways. It needs a row-major tensor.
func Data[T Scalar](t *Tensor) ([]T, error) {
	if err := checkType[T](t, "data"); err != nil {
		return nil, err
	}
	if !t.layout.IsRowMajor() {
		return nil, fmt.Errorf("data: %s with strides %v does not lie densely in row-major order: call Contiguous first, or CopyTo",
			t.typeText(), t.layout.Strides)
	}
	if t.Size() == 0 {
		return []T{}, nil
	}
	return unsafe.Slice((*T)(t.Pointer()), t.Size()), nil
}

// All returns an iterator over the elements in row-major order of the indices,
// whatever the layout. T must be the tensor's element type.
func All[T Scalar](t *Tensor) (iter.Seq[T], error) {
	if err := checkType[T](t, "all"); err != nil {
		return nil, err
	}
	return func(yield func(T) bool) {
		for at := range t.layout.All() {
			if !yield(*(*T)(t.addr(at))) {
				return
			}
		}
	}, nil
}

// CopyTo writes the elements to dst in row-major order of the indices. dst must
// hold exactly Size elements; it may overlap the tensor's own memory.
func CopyTo[T Scalar](t *Tensor, dst []T) error {
	if err := checkType[T](t, "copy"); err != nil {
		return err
	}
	if len(dst) != t.Size() {
		return fmt.Errorf("copy: dst holds %d elements, %s has %d", len(dst), t.typeText(), t.Size())
	}
	to := &Tensor{t.dtype, ir.RowMajor(len(dst)), unsafe.Pointer(unsafe.SliceData(dst))}
	if Overlaps(to, t) {
		var err error
		if t, err = t.Clone(); err != nil {
			return fmt.Errorf("copy: dst overlaps the tensor: %w", err)
		}
	}
	t.gather(to.base)
	return nil
}

// gather writes the elements of a valid tensor to dst, in row-major order.
func (t *Tensor) gather(dst unsafe.Pointer) {
	switch t.dtype.Size() {
	case 1:
		gather(unsafe.Slice((*uint8)(dst), t.Size()), t)
	case 4:
		gather(unsafe.Slice((*uint32)(dst), t.Size()), t)
	case 8:
		gather(unsafe.Slice((*uint64)(dst), t.Size()), t)
	}
}

func gather[U any](dst []U, t *Tensor) {
	if len(dst) == 0 {
		return
	}
	l := t.layout.Fold()
	n, step := 1, 1 // the innermost axis
	if last := l.Rank() - 1; last >= 0 {
		n, step = l.Shape[last], l.Strides[last]
		l.Shape, l.Strides = l.Shape[:last], l.Strides[:last]
	}
	for at := range l.All() {
		row := dst[:n]
		if dst = dst[n:]; step == 1 {
			copy(row, unsafe.Slice((*U)(t.addr(at)), n))
			continue
		}
		for i := range row {
			row[i] = *(*U)(t.addr(at + i*step))
		}
	}
}

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
