package runtime

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
)

// Scalar lists Go's types of the elements that run.
type Scalar interface {
	bool | uint8 | int32 | uint32 | int64 | float32 | float64
}

// DTypeOf returns the dtype whose elements are Go's T.
func DTypeOf[T Scalar]() ir.DType {
	switch any(*new(T)).(type) {
	case bool:
		return ir.Bool
	case uint8:
		return ir.Uint8
	case int32:
		return ir.Int32
	case uint32:
		return ir.Uint32
	case int64:
		return ir.Int64
	case float32:
		return ir.Float32
	default:
		return ir.Float64
	}
}

// Tensor is an n-d array: a dtype and a layout over a container of elements.
//
// A view shares its container, so a write through one is seen by all. Any number
// of goroutines may read a Tensor at once; a write needs that no other goroutine
// uses the container. A Tensor itself never changes: views are new ones.
//
// A nil Tensor and a zero Tensor hold nothing: what returns an error says so,
// and the rest returns zero values.
type Tensor struct {
	dtype  ir.DType
	layout ir.Layout
	base   unsafe.Pointer // location 0 of the layout; keeps the container alive
}

func (t *Tensor) valid() bool { return t != nil && t.dtype != ir.Invalid }

// check returns an error for a tensor that holds nothing.
func (t *Tensor) check(op string) error {
	if t.valid() {
		return nil
	}
	return fmt.Errorf("%s: the tensor is nil or zero: make one with Of or New", op)
}

// checkType returns an error when t's elements are not Go's T.
func checkType[T Scalar](t *Tensor, op string) error {
	if err := t.check(op); err != nil {
		return err
	}
	if want := DTypeOf[T](); t.dtype != want {
		return fmt.Errorf("%s: the tensor holds %s, the type argument is %s: use %s", op, t.dtype, want, t.dtype)
	}
	return nil
}

// DType returns the type of the elements, ir.Invalid for a nil Tensor.
func (t *Tensor) DType() ir.DType {
	if !t.valid() {
		return ir.Invalid
	}
	return t.dtype
}

// Layout returns a copy of the layout. Its locations count elements from the
// start of the container, or, after Bitcast, from the view's least location.
func (t *Tensor) Layout() ir.Layout {
	if !t.valid() {
		return ir.Layout{}
	}
	return ir.Layout{Shape: t.Shape(), Strides: t.Strides(), Offset: t.layout.Offset}
}

// Shape returns a copy of the extents of the axes, outermost first.
func (t *Tensor) Shape() []int {
	if !t.valid() {
		return nil
	}
	return append([]int{}, t.layout.Shape...)
}

// Strides returns a copy of the steps from one index of an axis to the next, in
// elements (NumPy counts bytes). They may be negative, or zero after Expand.
func (t *Tensor) Strides() []int {
	if !t.valid() {
		return nil
	}
	return append([]int{}, t.layout.Strides...)
}

// Rank returns the number of axes, 0 for a scalar.
func (t *Tensor) Rank() int {
	if !t.valid() {
		return 0
	}
	return t.layout.Rank()
}

// Size returns the number of elements, the product of the shape.
func (t *Tensor) Size() int {
	if !t.valid() {
		return 0
	}
	return t.layout.Size()
}

// Bytes returns Size times the bytes of an element: what a copy would take. It
// stops at the greatest int, which a view made by Expand can pass.
func (t *Tensor) Bytes() int {
	size := max(t.DType().Size(), 1)
	if n := t.Size(); n <= math.MaxInt/size {
		return n * size
	}
	return math.MaxInt
}

// Pointer returns the address of the element at index 0,...,0, and nil when
// there are no elements. It keeps the container alive while it is held.
func (t *Tensor) Pointer() unsafe.Pointer {
	if t.Size() == 0 {
		return nil
	}
	return t.addr(t.layout.Offset)
}

// addr returns the address of a location.
func (t *Tensor) addr(location int) unsafe.Pointer {
	return unsafe.Add(t.base, location*t.dtype.Size())
}

// IsRowMajor reports whether the elements lie densely in memory in the order of
// their indices, the last axis fastest: what Data needs.
func (t *Tensor) IsRowMajor() bool { return t.valid() && t.layout.IsRowMajor() }

// RavelIndex returns the place of an index when the elements are counted with
// the last axis fastest, whatever their layout. Negative indices count from the
// end of their axis.
func (t *Tensor) RavelIndex(index ...int) (int, error) {
	if err := t.check("ravel"); err != nil {
		return 0, err
	}
	if err := t.checkIndex("ravel", index); err != nil {
		return 0, err
	}
	at := 0
	for k, i := range index {
		at = at*t.layout.Shape[k] + wrapIndex(i, t.layout.Shape[k])
	}
	return at, nil
}

// UnravelIndex returns the index at place k, 0 <= k < Size: RavelIndex's inverse.
func (t *Tensor) UnravelIndex(k int) ([]int, error) {
	if err := t.check("unravel"); err != nil {
		return nil, err
	}
	return ir.Unravel(t.layout.Shape, k)
}

// wrapIndex counts a negative index from the end of an axis.
func wrapIndex(i, extent int) int {
	if i < 0 {
		return i + extent
	}
	return i
}

// checkIndex returns an error when index does not name an element.
func (t *Tensor) checkIndex(op string, index []int) error {
	if len(index) != t.layout.Rank() {
		return fmt.Errorf("%s: %d indices %v for %s: give one for each of its %d axes",
			op, len(index), slices.Clone(index), t.typeText(), t.layout.Rank())
	}
	for k, i := range index {
		if n := t.layout.Shape[k]; i < -n || i >= n {
			return fmt.Errorf("%s: index %d is outside axis %d of %s: allowed is [%d, %d)", op, i, k, t.typeText(), -n, n)
		}
	}
	return nil
}

// typeText prints dtype and shape, "float32[2,3]".
func (t *Tensor) typeText() string { return typeText(t.dtype, t.layout.Shape) }

func typeText(dt ir.DType, shape []int) string { return dt.String() + shapeText(shape) }

func shapeText(shape []int) string {
	text := []byte{'['}
	for k, n := range shape {
		if k > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendInt(text, int64(n), 10)
	}
	return string(append(text, ']'))
}
