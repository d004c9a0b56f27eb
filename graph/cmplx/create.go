package cmplx

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Tensors of complex numbers.

// Linspace returns n equally spaced complex numbers from start to stop, both included, as Of makes them: the parts are
// those of graph.Linspace of type dt.
func Linspace(dt graph.DType, start, stop complex128, n int) *graph.Tensor {
	return spaced("linspace", graph.Linspace, dt, start, stop, n)
}

// LinspaceOpen returns n numbers from start to just before stop: Linspace without its end.
func LinspaceOpen(dt graph.DType, start, stop complex128, n int) *graph.Tensor {
	return spaced("linspaceopen", graph.LinspaceOpen, dt, start, stop, n)
}

func spaced(call string, line func(dt graph.DType, start, stop float64, n int) *graph.Tensor, dt graph.DType, start, stop complex128, n int) *graph.Tensor {
	if dt != graph.Float32 && dt != graph.Float64 {
		return tensor.Failf("cmplx.%s: complex numbers have parts of float32 or float64, not %s", call, dt)
	}
	re, im := line(dt, real(start), real(stop), n), line(dt, imag(start), imag(stop), n)
	for _, part := range []*graph.Tensor{re, im} {
		if part.Err() != nil {
			return part
		}
	}
	z := graph.New(dt, n, 2)
	for i, part := range []*graph.Tensor{re, im} {
		if err := graph.Copy(z.Index(1, i), part); err != nil {
			return tensor.Failf("cmplx.%s: %v", call, err)
		}
	}
	return z
}

// Unique returns the distinct complex numbers of a tensor that Of could have made, in the order of their real parts and
// then of their imaginary parts: see graph.Distinct, whose First and Places count complex numbers. +0 and -0 count as
// one; each number with a NaN counts separately, and comes last.
func Unique(ctx context.Context, t *graph.Tensor) (*graph.Distinct, error) {
	if err := t.Err(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch t.DType() {
	case graph.Float32:
		return unique[complex64](t.Contiguous())
	case graph.Float64:
		return unique[complex128](t.Contiguous())
	}
	return nil, fmt.Errorf("cmplx.Unique: complex numbers have parts of float32 or float64, not %s", t.DType())
}

func unique[T Complex](t *graph.Tensor) (*graph.Distinct, error) {
	z, err := Data[T](t)
	if err != nil {
		return nil, err
	}
	order := make([]int64, len(z))
	for i := range order {
		order[i] = int64(i)
	}
	slices.SortStableFunc(order, func(i, j int64) int { return compare(complex128(z[i]), complex128(z[j])) })
	var values []T
	first, counts, places := []int64{}, []int64{}, make([]int64, len(z))
	for k, i := range order {
		if k == 0 || z[i] != z[order[k-1]] {
			values, first, counts = append(values, z[i]), append(first, i), append(counts, 0)
		}
		counts[len(counts)-1]++
		places[i] = int64(len(values) - 1)
	}
	shape := t.Shape()
	return &graph.Distinct{Values: Of(values, len(values)), First: graph.Of(first), Places: graph.Of(places, shape[:len(shape)-1]...), Counts: graph.Of(counts)}, nil
}

// compare orders complex numbers by their real parts and then by their imaginary parts, those with a NaN last.
func compare(z, w complex128) int {
	if a, b := hasNaN(z), hasNaN(w); a || b {
		return bit(a) - bit(b)
	}
	if d := bit(real(z) > real(w)) - bit(real(z) < real(w)); d != 0 {
		return d
	}
	return bit(imag(z) > imag(w)) - bit(imag(z) < imag(w))
}

// bit returns 1 for true.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func hasNaN(z complex128) bool { return math.IsNaN(real(z)) || math.IsNaN(imag(z)) }
