package fft

import (
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// This file has frequencies, and shifts of their order.

// FFTFreq returns the frequencies [n] of the elements of a transform of n samples that are d apart: 0, 1, ..., then the
// negative ones, -n/2, ..., -1, divided by n*d. The type is Float32 or Float64.
func FFTFreq(dt graph.DType, n int, d float64) (*graph.Tensor, error) {
	return frequencies("fftfreq", dt, n, n, d, false)
}

// RFFTFreq returns the frequencies [n/2+1] of the elements of RFFT of n samples that are d apart: 0, 1, ..., n/2, divided
// by n*d. The type is Float32 or Float64.
func RFFTFreq(dt graph.DType, n int, d float64) (*graph.Tensor, error) {
	return frequencies("rfftfreq", dt, n, n/2+1, d, true)
}

func frequencies(op string, dt graph.DType, n, count int, d float64, half bool) (*graph.Tensor, error) {
	switch {
	case dt != graph.Float32 && dt != graph.Float64:
		return nil, fail(op, "the type is %v: it must be float32 or float64", dt)
	case n < 1:
		return nil, fail(op, "n is %d: it must be at least 1", n)
	case d == 0:
		return nil, fail(op, "samples are 0 apart")
	}
	t := graph.New(dt, count)
	if err := t.Err(); err != nil {
		return nil, err
	}
	unit := 1 / (float64(n) * d)
	value := func(i int) float64 {
		if !half && i > (n-1)/2 {
			i -= n
		}
		return float64(i) * unit
	}
	if dt == graph.Float32 {
		data, err := graph.Data[float32](t)
		for i := range data {
			data[i] = float32(value(i))
		}
		return t, err
	}
	data, err := graph.Data[float64](t)
	for i := range data {
		data[i] = value(i)
	}
	return t, err
}

// FFTShift returns a copy of t, of any type, in which the element of frequency 0 is in the middle of each of some axes:
// element i of an axis of n goes to (i + n/2) modulo n. The axes are those of the tensor, and at least one: of complex
// numbers the last axis has the parts.
func FFTShift(t *graph.Tensor, axes ...int) (*graph.Tensor, error) {
	return shifted("fftshift", t, axes, func(n int) int { return n - n/2 })
}

// IFFTShift returns the inverse of FFTShift.
func IFFTShift(t *graph.Tensor, axes ...int) (*graph.Tensor, error) {
	return shifted("ifftshift", t, axes, func(n int) int { return n / 2 })
}

// shifted copies a tensor with the elements of axes from first(n) on before the others.
func shifted(op string, t *graph.Tensor, axes []int, first func(n int) int) (*graph.Tensor, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	if len(axes) == 0 {
		return nil, fail(op, "no axes: name those to shift; the last axis of complex numbers has their parts")
	}
	shape := t.Shape()
	resolved := slices.Clone(axes)
	for i, axis := range axes {
		if axis < 0 {
			resolved[i] += len(shape)
		}
		if resolved[i] < 0 || resolved[i] >= len(shape) {
			return nil, fail(op, "axis %d: the operand has shape %v", axis, shape)
		}
		if slices.Contains(resolved[:i], resolved[i]) {
			return nil, fail(op, "axis %d is given twice", axis)
		}
	}
	out := tensor.NewResult(t.DType(), shape...)
	if err := out.Err(); err != nil {
		return nil, err
	}
	return out, rotate(out, t, resolved, first)
}

// rotate copies src to dst, the elements of axes from first(n) on before the others.
func rotate(dst, src *graph.Tensor, axes []int, first func(n int) int) error {
	if len(axes) == 0 {
		return graph.Copy(dst, src)
	}
	axis, n := axes[0], src.Extent(axes[0])
	k := first(n)
	for _, part := range []struct{ begin, end, to int }{{k, n, 0}, {0, k, n - k}} {
		if part.begin == part.end {
			continue
		}
		err := rotate(dst.SliceAxis(axis, part.to, part.to+part.end-part.begin, 1), src.SliceAxis(axis, part.begin, part.end, 1), axes[1:], first)
		if err != nil {
			return err
		}
	}
	return nil
}
