package tensor

import (
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// At returns one element at the given index, one number for each axis; negative ones count from the end. T must be the
// tensor's element type. At allocates nothing.
func At[T Element](t *Tensor, index ...int) (T, error) {
	p, err := elementAt[T](t, "at", index)
	if err != nil {
		return *new(T), err
	}
	return *p, nil
}

// Set writes one element at an index, as At takes it. All views of the same container see it. If the view repeats the
// element (Expand), all repeats change.
func Set[T Element](t *Tensor, v T, index ...int) error {
	p, err := elementAt[T](t, "set", index)
	if err != nil {
		return err
	}
	*p = v
	return nil
}

func elementAt[T Element](t *Tensor, op string, index []int) (*T, error) {
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
		at += wrapIndex(i, t.layout.Shape[k]) * t.layout.Strides[k]
	}
	return t.addr(at), nil
}

// At returns one element as the Go type of the dtype, float32 for Float32. The function At is faster and typed.
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

// Set writes one element, as the function Set does. value is any Go number, or a bool for Bool. An integer dtype takes
// only exact numbers. A float dtype rounds, but rejects finite numbers beyond its greatest.
func (t *Tensor) Set(value any, index ...int) error {
	if err := t.check("set"); err != nil {
		return err
	}
	bits, err := ir.Encode(t.dtype, value)
	if err != nil {
		return fmt.Errorf("set: %w", err)
	}
	p, err := t.locate("set", index)
	if err != nil {
		return err
	}
	memory.StoreBits(t.dtype, p, bits)
	return nil
}

// RavelIndex returns the row-major position of an index, whatever the layout. Negative indices count from the end of
// their axis.
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

// UnravelIndex returns the index at row-major position k, 0 <= k < Size. It is the inverse of RavelIndex.
func (t *Tensor) UnravelIndex(k int) ([]int, error) {
	if err := t.check("unravel"); err != nil {
		return nil, err
	}
	return layout.Unravel(t.layout.Shape, k)
}

// wrapIndex converts a negative index, counted from the end of an axis.
func wrapIndex(i, extent int) int {
	if i < 0 {
		return i + extent
	}
	return i
}

// checkIndex returns an error if index is not that of an element.
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

// Data returns the elements of a row-major tensor without a copy: writes go both ways.
func Data[T Element](t *Tensor) ([]T, error) {
	if err := checkType[T](t, "data"); err != nil {
		return nil, err
	}
	if !t.layout.IsRowMajor() {
		return nil, fmt.Errorf("data: %s with strides %v is not dense in row-major order: call Contiguous first, or CopyTo",
			t.typeText(), t.layout.Strides)
	}
	if t.Size() == 0 {
		return []T{}, nil
	}
	return unsafe.Slice((*T)(t.Pointer()), t.Size()), nil
}

// All returns an iterator over the elements in row-major order, whatever the layout. T must be the tensor's element
// type.
func All[T Element](t *Tensor) (iter.Seq[T], error) {
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

// CopyTo writes the elements to dst in row-major order. dst must have exactly Size elements, and may overlap the
// tensor's own memory.
func CopyTo[T Element](t *Tensor, dst []T) error {
	if err := checkType[T](t, "copy"); err != nil {
		return err
	}
	if len(dst) != t.Size() {
		return fmt.Errorf("copy: dst holds %d elements, %s has %d", len(dst), t.typeText(), t.Size())
	}
	to := Of(dst)
	if Overlaps(to, t) {
		if t = t.copied("copy: dst overlaps the tensor"); t.err != nil {
			return t.err
		}
	}
	t.gather(to.base)
	return nil
}

// gather writes the elements of a valid tensor to dst, in row-major order.
func (t *Tensor) gather(dst unsafe.Pointer) {
	switch t.dtype.Size() {
	case 1:
		gatherInto(unsafe.Slice((*uint8)(dst), t.Size()), t)
	case 2:
		gatherInto(unsafe.Slice((*uint16)(dst), t.Size()), t)
	case 4:
		gatherInto(unsafe.Slice((*uint32)(dst), t.Size()), t)
	case 8:
		gatherInto(unsafe.Slice((*uint64)(dst), t.Size()), t)
	default:
		panic(fmt.Sprintf("BUG: tensor: an element of %s has %d bytes", t.dtype, t.dtype.Size()))
	}
}

func gatherInto[U any](dst []U, t *Tensor) {
	if len(dst) == 0 {
		return
	}
	l := t.layout.Collapse()
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
