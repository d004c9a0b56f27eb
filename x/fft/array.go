package fft

import (
	"context"
	"fmt"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/tensor"
	"github.com/stridefuse/stridefuse/x/fft/internal/kernel"
)

// This file converts tensors to arrays of elements and back.

// fail returns an error on the line of the user's call.
func fail(op, format string, args ...any) error {
	return &graph.Error{Pos: ir.CallerPos(), Op: op, Msg: fmt.Sprintf(format, args...)}
}

const noContext = "the context is nil: give it context.Background()"

// check returns an error for a tensor whose elements can't be transformed.
func check(op string, t *graph.Tensor) error {
	if err := t.Err(); err != nil {
		return err
	}
	if dt := t.DType(); dt != graph.Float32 && dt != graph.Float64 {
		return fail(op, "the operand is %v%v: it must be float32 or float64", dt, t.Shape())
	}
	return nil
}

// complexShape returns the shape of the numbers of a tensor whose last axis has their parts.
func complexShape(op string, t *graph.Tensor) ([]int, error) {
	if err := check(op, t); err != nil {
		return nil, err
	}
	rank := t.Rank() - 1
	if rank < 0 || t.Extent(rank) != 2 {
		return nil, fail(op, "the operand has shape %v: its last axis must have the 2 parts of complex numbers", t.Shape())
	}
	return t.Shape()[:rank], nil
}

// array has the elements of a row-major tensor.
type array[T kernel.Element] struct {
	*graph.Tensor
	data []T
}

// newArray returns a new array, or an error if there is no memory for it.
func newArray[T kernel.Element](shape ...int) (array[T], error) {
	dt := graph.Float64
	if unsafe.Sizeof(*new(T)) == 4 {
		dt = graph.Float32
	}
	return arrayOf[T](tensor.NewResult(dt, shape...))
}

func arrayOf[T kernel.Element](t *graph.Tensor) (array[T], error) {
	data, err := graph.Data[T](t)
	return array[T]{t, data}, err
}

// release gives the memory of an array back, unless it is that of a room.
func (a array[T]) release() {
	if a.Tensor != nil {
		_ = a.Tensor.Release()
	}
}

// unless returns the tensor of an array, or an error.
func (a array[T]) unless(err error) (*graph.Tensor, error) {
	if err != nil {
		return nil, err
	}
	return a.Tensor, nil
}

// resized returns the elements of a tensor with other extents: lines are cut, or continued by zeros. The result may be
// the tensor's own memory.
func resized[T kernel.Element](ctx context.Context, t *graph.Tensor, shape []int) (array[T], error) {
	if slices.Equal(t.Shape(), shape) {
		return arrayOf[T](t.Contiguous())
	}
	out, err := newArray[T](shape...)
	if err != nil {
		return out, err
	}
	w := getWork[T]()
	defer w.put()
	err = spans(ctx, workersFor(len(out.data)), len(out.data), w, func(begin, end int, _ *work[T]) { clear(out.data[begin:end]) })
	if err != nil {
		return out, err
	}
	to := out.Tensor
	for axis, extent := range shape {
		n := min(extent, t.Extent(axis))
		t, to = t.SliceAxis(axis, 0, n, 1), to.SliceAxis(axis, 0, n, 1)
	}
	return out, graph.Copy(to, t)
}

func size(shape []int) int {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return n
}

// around returns the numbers of lines before and behind an axis.
func around(shape []int, axis int) (outer, inner int) {
	return size(shape[:axis]), size(shape[axis+1:])
}
