package tensor

import (
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Tensor is an n-d array: a dtype and a layout over a container of elements.
//
// A view shares its container, so a write through one view is seen through all. Any number of goroutines may read a
// Tensor at once; during a write no other goroutine may use the container. A Tensor itself never changes: views are new
// Tensors.
//
// Constructors and views return no error, so that calls chain. If one fails, it returns a failed tensor, which has
// dtype ir.Invalid, no elements, and an error that Err returns. Every operation on it returns that error again, so the
// first error of a chain is found at its end, as the example of Err shows. A nil Tensor and a zero Tensor count as
// failed.
type Tensor struct {
	dtype  ir.DType
	layout layout.Layout
	base   unsafe.Pointer // address of location 0 of the layout; keeps the container alive
	life   *Life          // of the container's memory; nil if that never ends
	err    *ir.Error      // why the tensor failed
}

// Valid reports whether the tensor has not failed, and its memory has not been released.
func (t *Tensor) Valid() bool {
	return t != nil && t.dtype != ir.Invalid && !t.ended()
}

// failed is what Parts uses for a nil tensor, and for one whose memory has been released.
var failed Tensor

// Over returns a tensor over the caller's memory: location 0 of the layout is at base, which keeps the memory alive.
// Nothing is checked: the layout must stay within the memory.
func Over(d ir.DType, l layout.Layout, base unsafe.Pointer) *Tensor {
	return &Tensor{dtype: d, layout: l, base: base}
}

// Parts returns what an executor reads at each run, without a copy: the dtype, the layout, which must not be changed,
// and the address of location 0. A failed tensor has the dtype ir.Invalid.
func (t *Tensor) Parts() (ir.DType, *layout.Layout, unsafe.Pointer) {
	if t == nil || t.ended() {
		t = &failed
	}
	return t.dtype, &t.layout, t.base
}

// Err returns nil for a good tensor, otherwise the first mistake: an *ir.Error with the line of the user's code that
// called the constructor or the view. (A nil or zero Tensor has no line.)
func (t *Tensor) Err() error {
	switch {
	case t.Valid():
		return nil
	case t != nil && t.err != nil:
		return t.err
	case t != nil && t.dtype != ir.Invalid:
		return &ir.Error{Msg: t.life.reason()}
	}
	return &ir.Error{Msg: "the tensor is nil or zero: make one with Of or New"}
}

// Failf returns a failed tensor for a mistake at the caller's line.
func Failf(format string, args ...any) *Tensor {
	return &Tensor{err: &ir.Error{Pos: ir.CallerPos(), Msg: fmt.Sprintf(format, args...)}}
}

// passOn returns the result of an operation on a failed tensor: the same tensor, so that the first error stays.
func (t *Tensor) passOn(op string) *Tensor {
	if t != nil && t.err != nil {
		return t
	}
	return Failf("%s: %v", op, t.Err())
}

// check returns the error of a failed tensor, nil for a good one.
func (t *Tensor) check(op string) error {
	if t.Valid() {
		return nil
	}
	return t.passOn(op).err
}

// checkType returns an error if t's elements are not of Go type T.
func checkType[T Element](t *Tensor, op string) error {
	if err := t.check(op); err != nil {
		return err
	}
	if want := DTypeOf[T](); t.dtype != want {
		return fmt.Errorf("%s: the tensor holds %s, the type argument is %s: use %s", op, t.dtype, want, t.dtype)
	}
	return nil
}

// DType returns the type of the elements, ir.Invalid for a failed tensor.
func (t *Tensor) DType() ir.DType {
	if !t.Valid() {
		return ir.Invalid
	}
	return t.dtype
}

// Layout returns a copy of the layout. Its locations count elements from the start of the container, or after Bitcast
// from the view's least location.
func (t *Tensor) Layout() layout.Layout {
	if !t.Valid() {
		return layout.Layout{}
	}
	return layout.Layout{Shape: t.Shape(), Strides: t.Strides(), Offset: t.layout.Offset}
}

// Shape returns a copy of the extents of the axes, outermost first.
func (t *Tensor) Shape() []int {
	if !t.Valid() {
		return nil
	}
	return append([]int{}, t.layout.Shape...)
}

// Strides returns a copy of the distances between consecutive indices of each axis, in elements (NumPy counts bytes).
// They may be negative, or zero after Expand.
func (t *Tensor) Strides() []int {
	if !t.Valid() {
		return nil
	}
	return append([]int{}, t.layout.Strides...)
}

// Extent returns the extent of one axis, counted from the end if negative. It returns 0 for a missing axis, and for a
// failed tensor.
func (t *Tensor) Extent(axis int) int {
	if k := t.wrapAxis(axis); k >= 0 {
		return t.layout.Shape[k]
	}
	return 0
}

// Stride returns the distance between consecutive indices of an axis, as Strides does, or 0 where Extent returns 0 for
// a missing axis.
func (t *Tensor) Stride(axis int) int {
	if k := t.wrapAxis(axis); k >= 0 {
		return t.layout.Strides[k]
	}
	return 0
}

// wrapAxis converts a negative axis, counted from the end. It returns -1 if there is no such axis.
func (t *Tensor) wrapAxis(axis int) int {
	rank := t.Rank()
	if axis < 0 {
		axis += rank
	}
	if axis < 0 || axis >= rank {
		return -1
	}
	return axis
}

// Rank returns the number of axes, 0 for a scalar.
func (t *Tensor) Rank() int {
	if !t.Valid() {
		return 0
	}
	return t.layout.Rank()
}

// Size returns the number of elements, the product of the shape.
func (t *Tensor) Size() int {
	if !t.Valid() {
		return 0
	}
	return t.layout.Size()
}

// Bytes returns Size times the bytes of an element, the size of a copy. It is clipped to the greatest int, which a view
// made by Expand can exceed.
func (t *Tensor) Bytes() int {
	size := max(t.DType().Size(), 1)
	if n := t.Size(); n <= math.MaxInt/size {
		return n * size
	}
	return math.MaxInt
}

// Pointer returns the address of the element at index 0,...,0, or nil if there are no elements. It keeps the container
// alive.
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

// Overlaps reports whether the memory ranges of a and b, from the first to the last byte that each touches, overlap.
// The two may still share no element, such as even and odd columns. A tensor without elements overlaps nothing.
func Overlaps(a, b *Tensor) bool {
	if a.Size() == 0 || b.Size() == 0 {
		return false
	}
	aFirst, aEnd := a.stretch()
	bFirst, bEnd := b.stretch()
	return aFirst < bEnd && bFirst < aEnd
}

// stretch returns the addresses of the first byte touched and of the byte after the last. There must be elements.
func (t *Tensor) stretch() (first, end uintptr) {
	lo, hi := t.layout.Bounds()
	return uintptr(t.addr(lo)), uintptr(t.addr(hi)) + uintptr(t.dtype.Size())
}

// IsRowMajor reports whether the elements are contiguous in memory in row-major order, as Data needs.
func (t *Tensor) IsRowMajor() bool { return t.Valid() && t.layout.IsRowMajor() }

// typeText prints dtype and shape, "float32[2,3]".
func (t *Tensor) typeText() string { return TypeText(t.dtype, t.layout.Shape) }

// TypeText returns a type as messages show it, "float32[2,3]".
func TypeText(dt ir.DType, shape []int) string { return dt.String() + shapeText(shape) }

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
