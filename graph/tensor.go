package graph

import (
	"iter"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Tensor is an n-d array in memory. Package tensor documents its methods.
//
// Constructors and views return no error. What they can't make is a Tensor that
// remembers why; a graph or a run that it is given to returns that error, and
// its method Err returns.
type Tensor = tensor.Tensor

// Element lists Go's types of the elements that run.
type Element = tensor.Element

// Half is Go's type of the elements of dtype Float16: their bits.
type Half = tensor.Half

// HalfOf returns the Half nearest to f, the even one of two.
func HalfOf(f float32) Half { return tensor.HalfOf(f) }

// BFloat is Go's type of the elements of dtype BFloat16: their bits.
type BFloat = tensor.BFloat

// BFloatOf returns the BFloat nearest to f, the even one of two.
func BFloatOf(f float32) BFloat { return tensor.BFloatOf(f) }

// Fixed is Go's type of the elements of dtype Fixed16x16: the number times 2^16.
type Fixed = tensor.Fixed

// FixedOf returns the Fixed nearest to f, the even one of two; beyond the least and the
// greatest those; 0 for NaN.
func FixedOf(f float64) Fixed { return tensor.FixedOf(f) }

// Of returns data as a tensor of that shape, row-major, without a copy: writes
// go both ways. Without a shape it is 1-d of len(data); a shape of no axes, as
// that of a scalar t in Of(data, t.Shape()...), makes a scalar.
func Of[T Element](data []T, shape ...int) *Tensor { return tensor.Of(data, shape...) }

// OfRows returns a matrix with the elements of rows, which all must have as many. They are
// copied.
func OfRows[T Element](rows [][]T) *Tensor { return tensor.OfRows(rows) }

// OfColumns returns a matrix whose columns are the elements of slices, which all must have
// as many, as the fields of a struct of columns. They are copied.
func OfColumns[T Element](columns ...[]T) *Tensor { return tensor.OfColumns(columns...) }

// Rows returns copies of the rows of a matrix.
func Rows[T Element](t *Tensor) ([][]T, error) { return tensor.Rows[T](t) }

// Columns returns copies of the columns of a matrix.
func Columns[T Element](t *Tensor) ([][]T, error) { return tensor.Columns[T](t) }

// ScalarOf returns a tensor of rank 0 that holds v.
func ScalarOf[T Element](v T) *Tensor { return tensor.ScalarOf(v) }

// A Layout says where the elements of a tensor are: shape, strides and offset, in
// elements.
type Layout = layout.Layout

// OfLayout returns data as a tensor of any layout, without a copy. Every location
// of the layout must be in data.
func OfLayout[T Element](data []T, l Layout) *Tensor { return tensor.OfLayout(data, l) }

// New returns a tensor of zeros.
func New(dt DType, shape ...int) *Tensor { return tensor.New(dt, shape...) }

// Zeros is New under NumPy's name.
func Zeros(dt DType, shape ...int) *Tensor { return tensor.Zeros(dt, shape...) }

// Ones returns a tensor of ones, or of true.
func Ones(dt DType, shape ...int) *Tensor { return tensor.Ones(dt, shape...) }

// Full returns a tensor whose elements are all v, a Go number or bool. For a
// Node that needs no memory see Fill.
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

// Uniform returns random numbers of at least lo and less than hi, the same for
// the same seed on every machine.
func Uniform(dt DType, seed uint64, lo, hi float64, shape ...int) *Tensor {
	return tensor.Uniform(dt, seed, lo, hi, shape...)
}

// Normal returns random numbers of a normal distribution, the same for the same
// seed on every machine.
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

// All returns the elements in row-major order of their indices, of any layout.
func All[T Element](t *Tensor) (iter.Seq[T], error) { return tensor.All[T](t) }

// Copy writes the elements of src to dst, which has the same dtype and shape. Both
// may be of any layout, and may overlap.
func Copy(dst, src *Tensor) error { return tensor.Copy(dst, src) }

// CopyTo writes the elements to a slice in row-major order of their indices. The
// slice must hold exactly as many.
func CopyTo[T Element](t *Tensor, dst []T) error { return tensor.CopyTo(t, dst) }

// Equal reports whether a and b have the same dtype, shape and elements, bit for
// bit: -0 is not +0, and all NaNs are equal.
func Equal(a, b *Tensor) bool { return tensor.Equal(a, b) }

// Overlaps reports whether the memory from the first to the last byte that a and b
// touch has a byte in common.
func Overlaps(a, b *Tensor) bool { return tensor.Overlaps(a, b) }
