package fft

import (
	"context"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// Norm says what transforms divide by; n is the number of elements in all transformed axes together.
type Norm uint8

const (
	Backward Norm = iota // the inverse divides by n: NumPy's default
	Ortho                // both divide by the square root of n
	Forward              // the forward transform divides by n
)

// divisor returns the divisor of a transform of n numbers.
func (norm Norm) divisor(n int, inverse bool) float64 {
	switch {
	case norm == Ortho:
		return math.Sqrt(float64(n))
	case inverse == (norm == Backward):
		return float64(n)
	}
	return 1
}

// Options are the options of a transform. The zero Options transform the last axis, with NumPy's default norm.
type Options struct {
	Axes []int // axes to transform, by default the last one; negative ones count from the end
	Norm Norm
	N    int // only for IRFFT: extent of the last of Axes in the result; 0 means 2*(m-1), or 1 for one element
}

// FFT returns the transform of complex numbers z [..., 2], of the same shape: element k along an
// axis of n is the sum of z[j]·exp(-2πi·jk/n) over j.
func FFT(ctx context.Context, z *graph.Tensor, o Options) (*graph.Tensor, error) {
	return complexToComplex(ctx, "fft", z, o, false)
}

// IFFT returns the inverse of FFT.
func IFFT(ctx context.Context, z *graph.Tensor, o Options) (*graph.Tensor, error) {
	return complexToComplex(ctx, "ifft", z, o, true)
}

func complexToComplex(ctx context.Context, op string, z *graph.Tensor, o Options, inverse bool) (*graph.Tensor, error) {
	a, err := readComplex(op, z)
	if err != nil {
		return nil, err
	}
	axes, err := o.axes(op, a.shape)
	if err != nil {
		return nil, err
	}
	count := a.count(axes)
	if err := a.transform(ctx, axes, inverse); err != nil {
		return nil, err
	}
	return a.tensor(o.Norm.divisor(count, inverse)), nil
}

// RFFT returns the transform of real numbers x. Along the last of the axes it returns only elements 0 to n/2, since the
// others are their conjugates: x [..., n] gives [..., n/2+1, 2].
func RFFT(ctx context.Context, x *graph.Tensor, o Options) (*graph.Tensor, error) {
	const op = "rfft"
	shape, dt, data, err := readReal(op, x)
	if err != nil {
		return nil, err
	}
	axes, err := o.axes(op, shape)
	if err != nil {
		return nil, err
	}
	last := axes[len(axes)-1]
	n := shape[last]
	a := array{op: op, dtype: dt, shape: slices.Clone(shape)}
	count := array{shape: shape}.count(axes)
	a.shape[last] = n/2 + 1
	a.data = make([]complex128, size(a.shape))
	if err := realAxis(ctx, data, a.data, shape, last); err != nil {
		return nil, err
	}
	if err := a.transform(ctx, axes[:len(axes)-1], false); err != nil {
		return nil, err
	}
	return a.tensor(o.Norm.divisor(count, false)), nil
}

// IRFFT returns the inverse of RFFT: real numbers from complex z [..., m, 2], Options.N of them along the last of the
// axes. N is 2*(m-1), the default, or 2*m-1. Imaginary parts that the transform of real numbers can't have are ignored,
// as in NumPy.
func IRFFT(ctx context.Context, z *graph.Tensor, o Options) (*graph.Tensor, error) {
	const op = "irfft"
	a, err := readComplex(op, z)
	if err != nil {
		return nil, err
	}
	axes, err := o.axes(op, a.shape)
	if err != nil {
		return nil, err
	}
	last := axes[len(axes)-1]
	m, n := a.shape[last], o.N
	if n == 0 {
		n = max(1, 2*(m-1))
	}
	if n < 1 || n/2+1 != m {
		return nil, fail(op, "axis %d has %d elements: N is %d, and N/2+1 must be %d", last, m, n, m)
	}
	if err := a.transform(ctx, axes[:len(axes)-1], true); err != nil {
		return nil, err
	}
	shape := slices.Clone(a.shape)
	shape[last] = n
	out := make([]float64, size(shape))
	if err := inverseRealAxis(ctx, a.data, out, shape, last); err != nil {
		return nil, err
	}
	divisor := o.Norm.divisor(array{shape: shape}.count(axes), true)
	for i := range out {
		out[i] /= divisor
	}
	return realTensor(a.dtype, out, shape), nil
}

// axes returns the axes to transform, counted from 0. An axis named twice or without elements is an error.
func (o Options) axes(op string, shape []int) ([]int, error) {
	if o.N != 0 && op != "irfft" {
		return nil, fail(op, "N is %d: it is an option of irfft alone", o.N)
	}
	if o.Norm > Forward {
		return nil, fail(op, "norm %d: it is Backward, Ortho or Forward", o.Norm)
	}
	axes := slices.Clone(o.Axes)
	if len(axes) == 0 {
		axes = []int{-1}
	}
	for i, axis := range axes {
		if axis < 0 {
			axes[i] += len(shape)
		}
		switch {
		case axes[i] < 0 || axes[i] >= len(shape):
			return nil, fail(op, "axis %d: the numbers have shape %v", axis, shape)
		case slices.Contains(axes[:i], axes[i]):
			return nil, fail(op, "axis %d is given twice", axes[i])
		case shape[axes[i]] == 0:
			return nil, fail(op, "axis %d of shape %v has no elements", axes[i], shape)
		}
	}
	return axes, nil
}
