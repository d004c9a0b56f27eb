package graph

import (
	"iter"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Tensor is an n-d array in memory. Package tensor documents its methods.
//
// Constructors and views return no error. If one fails, the Tensor remembers why: its method Err returns the error, and
// so does a graph or a run that receives the Tensor.
type Tensor = tensor.Tensor

// Element lists the Go types of elements.
type Element = tensor.Element

// Half is the Go type of Float16 elements: their bits.
type Half = tensor.Half

// HalfOf rounds f to the nearest Half, ties to even.
func HalfOf(f float32) Half { return tensor.HalfOf(f) }

// BFloat is the Go type of BFloat16 elements: their bits.
type BFloat = tensor.BFloat

// BFloatOf rounds f to the nearest BFloat, ties to even.
func BFloatOf(f float32) BFloat { return tensor.BFloatOf(f) }

// Fixed is the Go type of Fixed16x16 elements: the number times 2^16.
type Fixed = tensor.Fixed

// FixedOf rounds f to the nearest Fixed, ties to even. It saturates out of range and returns 0 for NaN.
func FixedOf(f float64) Fixed { return tensor.FixedOf(f) }

// Of returns data as a row-major tensor of that shape, without a copy: writes go both ways. Without a shape it is 1-d
// of len(data). A shape without axes, such as that of a scalar t in Of(data, t.Shape()...), makes a scalar.
func Of[T Element](data []T, shape ...int) *Tensor { return tensor.Of(data, shape...) }

// OfRows returns a matrix of copies of the given rows, which must have equal lengths.
func OfRows[T Element](rows [][]T) *Tensor { return tensor.OfRows(rows) }

// OfColumns returns a matrix of copies of the given columns, which must have equal lengths.
func OfColumns[T Element](columns ...[]T) *Tensor { return tensor.OfColumns(columns...) }

// Rows returns copies of the rows of a matrix.
func Rows[T Element](t *Tensor) ([][]T, error) { return tensor.Rows[T](t) }

// Columns returns copies of the columns of a matrix.
func Columns[T Element](t *Tensor) ([][]T, error) { return tensor.Columns[T](t) }

// ScalarOf returns a tensor of rank 0 that holds v.
func ScalarOf[T Element](v T) *Tensor { return tensor.ScalarOf(v) }

// A Layout says where the elements of a tensor are: shape, strides and offset, in elements.
type Layout = layout.Layout

// OfLayout returns data as a tensor of any layout, without a copy. Every element of the layout must be in data.
func OfLayout[T Element](data []T, l Layout) *Tensor { return tensor.OfLayout(data, l) }

// New returns a tensor of zeros.
func New(dt DType, shape ...int) *Tensor { return tensor.New(dt, shape...) }

// Zeros is New under NumPy's name.
func Zeros(dt DType, shape ...int) *Tensor { return tensor.Zeros(dt, shape...) }

// Ones returns a tensor of ones, or of true.
func Ones(dt DType, shape ...int) *Tensor { return tensor.Ones(dt, shape...) }

// Full returns a tensor whose elements are all v, a Go number or bool. Fill returns a Node that needs no memory.
func Full(dt DType, v any, shape ...int) *Tensor { return tensor.Full(dt, v, shape...) }

// Eye returns the n by n identity matrix.
func Eye(dt DType, n int) *Tensor { return tensor.Eye(dt, n) }

// Arange returns the numbers start, start+step, ... before stop.
func Arange(dt DType, start, stop, step float64) *Tensor {
	return tensor.Arange(dt, start, stop, step)
}

// Linspace returns n numbers from start to stop, both included.
func Linspace(dt DType, start, stop float64, n int) *Tensor {
	return tensor.Linspace(dt, start, stop, n)
}

// LinspaceOpen returns n numbers from start to just before stop: Linspace without its end.
func LinspaceOpen(dt DType, start, stop float64, n int) *Tensor {
	return tensor.LinspaceOpen(dt, start, stop, n)
}

// Uniform returns uniform random numbers from lo to just below hi, the same for a seed on every machine.
func Uniform(dt DType, seed uint64, lo, hi float64, shape ...int) *Tensor {
	return tensor.Uniform(dt, seed, lo, hi, shape...)
}

// Normal returns normally distributed random numbers, the same for a seed on every machine.
func Normal(dt DType, seed uint64, mean, std float64, shape ...int) *Tensor {
	return tensor.Normal(dt, seed, mean, std, shape...)
}

// Data returns the elements in row-major order without a copy. The tensor must
// be row-major, as the outputs of programs are.
func Data[T Element](t *Tensor) ([]T, error) { return tensor.Data[T](t) }

// At returns the element at an index; negative numbers count from the end.
func At[T Element](t *Tensor, index ...int) (T, error) { return tensor.At[T](t, index...) }

// Set writes the element at an index; negative numbers count from the end. Views of
// the same memory see it.
func Set[T Element](t *Tensor, v T, index ...int) error { return tensor.Set(t, v, index...) }

// All returns the elements in row-major order, for any layout.
func All[T Element](t *Tensor) (iter.Seq[T], error) { return tensor.All[T](t) }

// Copy writes the elements of src to dst, which has the same dtype and shape. Both
// may be of any layout, and may overlap.
func Copy(dst, src *Tensor) error { return tensor.Copy(dst, src) }

// CopyTo writes the elements to a slice in row-major order. The slice must have the exact length.
func CopyTo[T Element](t *Tensor, dst []T) error { return tensor.CopyTo(t, dst) }

// Equal reports whether a and b have the same dtype, shape and elements, bit for
// bit: -0 is not +0, and all NaNs are equal.
func Equal(a, b *Tensor) bool { return tensor.Equal(a, b) }

// Overlaps reports whether the ranges of memory of a and b, from the first to the last byte that each touches, overlap.
func Overlaps(a, b *Tensor) bool { return tensor.Overlaps(a, b) }
