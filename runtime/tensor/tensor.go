package tensor

import (
	"fmt"
	"math"
	"strconv"
	"sync/atomic"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Tensor is an n-d array: a dtype and a layout over a container of elements.
//
// A view shares its container, so a write through one is seen by all. Any number
// of goroutines may read a Tensor at once; a write needs that no other goroutine
// uses the container. A Tensor itself never changes: views are new ones.
//
// Constructors and views return no error, so that calls chain. What they can't
// make is a failed tensor: it has dtype ir.Invalid and no elements, and carries
// an error, which Err returns. Every operation on it gives that error again, so
// the first one of a chain is found at its end, as the example of Err shows. A nil Tensor and a zero Tensor count as failed.
type Tensor struct {
	dtype  ir.DType
	layout layout.Layout
	base   unsafe.Pointer // location 0 of the layout; keeps the container alive
	closed *atomic.Bool   // whether the container has ended; nil if it never does
	err    *ir.Error      // why there is no tensor
}

// Valid reports whether the tensor has not failed, and its memory has not ended.
func (t *Tensor) Valid() bool {
	return t != nil && t.dtype != ir.Invalid && (t.closed == nil || !t.closed.Load())
}

// failed is what Parts sees of a tensor that is nil, or whose memory has ended.
var failed Tensor

// Over returns a tensor over memory of the caller's: location 0 of the layout is at
// base, which keeps that memory alive. Nothing is checked: the layout must stay within
// the memory.
func Over(d ir.DType, l layout.Layout, base unsafe.Pointer) *Tensor {
	return &Tensor{dtype: d, layout: l, base: base}
}

// OverFile is Over of memory that ends: once closed is set, the tensor and all views of it
// count as failed.
func OverFile(d ir.DType, l layout.Layout, base unsafe.Pointer, closed *atomic.Bool) *Tensor {
	return &Tensor{dtype: d, layout: l, base: base, closed: closed}
}

// MayEnd reports whether a tensor, which is not nil, is over memory that ends: see OverFile.
func MayEnd(t *Tensor) bool { return t.closed != nil }

// Parts returns what an executor reads at each run, without a copy: the dtype, the
// layout, which must not be changed, and the address of the layout's location 0. A
// failed tensor has the dtype ir.Invalid.
func (t *Tensor) Parts() (ir.DType, *layout.Layout, unsafe.Pointer) {
	if t == nil || t.closed != nil && t.closed.Load() {
		t = &failed
	}
	return t.dtype, &t.layout, t.base
}

// Err returns nil for a good tensor, and else what went wrong first: an
// *ir.Error with the line of the user's code that called the constructor or the
// view. (There is no line for a nil or a zero Tensor.)
func (t *Tensor) Err() error {
	switch {
	case t.Valid():
		return nil
	case t != nil && t.err != nil:
		return t.err
	case t != nil && t.dtype != ir.Invalid:
		return &ir.Error{Msg: "the file that the tensor is memory of was closed: Clone what is needed longer"}
	}
	return &ir.Error{Msg: "the tensor is nil or zero: make one with Of or New"}
}

// Failf returns a failed tensor, for a mistake on the caller's line.
func Failf(format string, args ...any) *Tensor {
	return &Tensor{err: &ir.Error{Pos: ir.CallerPos(), Msg: fmt.Sprintf(format, args...)}}
}

// passOn returns what an operation makes of a failed tensor: the same, so that
// the first error stays.
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

// checkType returns an error when t's elements are not Go's T.
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

// Layout returns a copy of the layout. Its locations count elements from the
// start of the container, or, after Bitcast, from the view's least location.
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

// Strides returns a copy of the steps from one index of an axis to the next, in
// elements (NumPy counts bytes). They may be negative, or zero after Expand.
func (t *Tensor) Strides() []int {
	if !t.Valid() {
		return nil
	}
	return append([]int{}, t.layout.Strides...)
}

// Extent returns the extent of one axis, which counts from the end if negative:
// 0 for an axis that there is not, and of a failed tensor.
func (t *Tensor) Extent(axis int) int {
	if k := t.wrapAxis(axis); k >= 0 {
		return t.layout.Shape[k]
	}
	return 0
}

// Stride returns the step from one index of an axis to the next, as Strides
// does, and 0 where Extent returns 0 for want of an axis.
func (t *Tensor) Stride(axis int) int {
	if k := t.wrapAxis(axis); k >= 0 {
		return t.layout.Strides[k]
	}
	return 0
}

// wrapAxis counts a negative axis from the end. It returns -1 if there is no
// such axis.
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

// IsRowMajor reports whether the elements are dense in memory in the order of
// their indices, the last axis fastest: what Data needs.
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
