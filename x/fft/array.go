package fft

import (
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
	"github.com/stridefuse/stridefuse/ir"
)

// This file converts tensors to arrays of numbers and back.

// array is an array of complex numbers, row-major, in its own memory.
type array struct {
	op    string // the function, for errors
	dtype graph.DType
	shape []int
	data  []complex128
}

// fail returns an error on the line of the user's call.
func fail(op, format string, args ...any) error {
	return &graph.Error{Pos: ir.CallerPos(), Op: op, Msg: fmt.Sprintf(format, args...)}
}

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

// readComplex copies the complex numbers of a tensor whose last axis has their parts.
func readComplex(op string, t *graph.Tensor) (array, error) {
	if err := check(op, t); err != nil {
		return array{}, err
	}
	rank := t.Rank() - 1
	if rank < 0 || t.Extent(rank) != 2 {
		return array{}, fail(op, "the operand has shape %v: its last axis must have the 2 parts of complex numbers", t.Shape())
	}
	a := array{op: op, dtype: t.DType(), shape: t.Shape()[:rank]}
	if a.dtype == graph.Float64 {
		own := t.Clone()
		if err := own.Err(); err != nil {
			return a, err
		}
		var err error
		a.data, err = cmplx.Data[complex128](own)
		return a, err
	}
	narrow, err := cmplx.Data[complex64](t.Contiguous())
	a.data = make([]complex128, len(narrow))
	for i, v := range narrow {
		a.data[i] = complex128(v)
	}
	return a, err
}

// readReal returns the numbers of a tensor, which must not be written to.
func readReal(op string, t *graph.Tensor) (shape []int, dt graph.DType, data []float64, err error) {
	if err := check(op, t); err != nil {
		return nil, dt, nil, err
	}
	shape, dt = t.Shape(), t.DType()
	if dt == graph.Float64 {
		data, err = graph.Data[float64](t.Contiguous())
		return shape, dt, data, err
	}
	narrow, err := graph.Data[float32](t.Contiguous())
	data = make([]float64, len(narrow))
	for i, v := range narrow {
		data[i] = float64(v)
	}
	return shape, dt, data, err
}

// tensor returns the numbers, divided by a divisor, as a tensor.
func (a array) tensor(divisor float64) *graph.Tensor {
	if a.dtype == graph.Float64 {
		for i, v := range a.data {
			a.data[i] = complex(real(v)/divisor, imag(v)/divisor)
		}
		return cmplx.Of(a.data, a.shape...)
	}
	narrow := make([]complex64, len(a.data))
	for i, v := range a.data {
		narrow[i] = complex(float32(real(v)/divisor), float32(imag(v)/divisor))
	}
	return cmplx.Of(narrow, a.shape...)
}

// realTensor returns real numbers as a tensor.
func realTensor(dt graph.DType, data []float64, shape []int) *graph.Tensor {
	if dt == graph.Float64 {
		return graph.Of(data, shape...)
	}
	narrow := make([]float32, len(data))
	for i, v := range data {
		narrow[i] = float32(v)
	}
	return graph.Of(narrow, shape...)
}

// count returns the product of the extents of some axes.
func (a array) count(axes []int) int {
	n := 1
	for _, axis := range axes {
		n *= a.shape[axis]
	}
	return n
}

func size(shape []int) int {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return n
}
