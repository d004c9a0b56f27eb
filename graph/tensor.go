package graph

import (
	"iter"

	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Tensor is an n-d array in memory. Package runtime documents its methods.
//
// Constructors and views return no error. What they can't make is a Tensor that
// remembers why; a graph or a run that it is given to returns that error, and
// its method Err tells.
type Tensor = tensor.Tensor

// Element lists Go's types of the elements that run.
type Element = tensor.Element

// Half is Go's type of the elements of dtype Float16: their bits.
type Half = tensor.Half

// HalfOf returns the Half nearest to f.
func HalfOf(f float32) Half { return tensor.HalfOf(f) }

// Of returns data as a tensor of that shape, row-major, without a copy: writes
// go both ways. Without a shape it is 1-d of len(data).
func Of[T Element](data []T, shape ...int) *Tensor { return tensor.Of(data, shape...) }

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

// All returns the elements in row-major order of their indices, of any layout.
func All[T Element](t *Tensor) (iter.Seq[T], error) { return tensor.All[T](t) }
