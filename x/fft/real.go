package fft

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"
)

// This file transforms real lines. For powers of two, the elements with even and odd indices become the parts of half
// as many complex numbers, and one complex transform gives both.

// realAxis transforms all lines along an axis of n real numbers, to n/2+1 complex ones.
func realAxis(ctx context.Context, data []float64, to []complex128, shape []int, axis int) error {
	n := shape[axis]
	m := n / 2
	if !isPower(n) || n < 2 {
		return along(ctx, data, to, shape, axis, n, m+1, realLines.of(n))
	}
	half, pairs := halved(shape, axis)
	if err := along(ctx, data, pairs, shape, axis, n, m, only(paired)); err != nil {
		return err
	}
	if err := transformAxis(ctx, pairs, half, axis, false); err != nil {
		return err
	}
	roots := powerOf(n).roots
	return along(ctx, pairs, to, half, axis, m, m+1, only(func(from, to []complex128) {
		for k := range to {
			a, b := from[k%m], conjugate(from[(m-k)%m])
			odd := a - b
			to[k] = (a+b)/2 + roots[k]*complex(imag(odd)/2, -real(odd)/2)
		}
	}))
}

// inverseRealAxis is the inverse of realAxis, multiplied by n.
func inverseRealAxis(ctx context.Context, from []complex128, to []float64, shape []int, axis int) error {
	n := shape[axis]
	m := n / 2
	if !isPower(n) || n < 2 {
		return along(ctx, from, to, shape, axis, m+1, n, inverseRealLines.of(n))
	}
	half, pairs := halved(shape, axis)
	roots := powerOf(n).roots
	err := along(ctx, from, pairs, half, axis, m+1, m, only(func(from, to []complex128) {
		from[0], from[m] = complex(real(from[0]), 0), complex(real(from[m]), 0)
		for k := range to {
			a, b := from[k], conjugate(from[m-k])
			odd := conjugate(roots[k]) * (a - b)
			to[k] = a + b + complex(-imag(odd), real(odd))
		}
	}))
	if err == nil {
		err = transformAxis(ctx, pairs, half, axis, true)
	}
	if err != nil {
		return err
	}
	return along(ctx, pairs, to, shape, axis, m, n, only(func(from []complex128, to []float64) {
		for k, v := range from {
			to[2*k], to[2*k+1] = real(v), imag(v)
		}
	}))
}

// halved returns a shape with half the extent of an axis, and memory for its numbers.
func halved(shape []int, axis int) ([]int, []complex128) {
	half := slices.Clone(shape)
	half[axis] /= 2
	return half, make([]complex128, size(half))
}

// paired makes a complex number of two real ones.
func paired(from []float64, to []complex128) {
	for k := range to {
		to[k] = complex(from[2*k], from[2*k+1])
	}
}

func conjugate(v complex128) complex128 { return complex(real(v), -imag(v)) }

// realLine returns a function that transforms n real numbers, to n/2+1 complex ones.
func realLine(n int) func(from []float64, to []complex128) {
	if !quicker(n, gonumReal) {
		t := fourier.NewFFT(n)
		return func(from []float64, to []complex128) { t.Coefficients(to, from) }
	}
	f, all := complexLine(n, false), make([]complex128, n)
	return func(from []float64, to []complex128) {
		for i, v := range from {
			all[i] = complex(v, 0)
		}
		f(all, all)
		copy(to, all)
	}
}

// inverseRealLine returns the inverse of realLine, multiplied by n.
func inverseRealLine(n int) func(from []complex128, to []float64) {
	if !quicker(n, gonumReal) {
		t := fourier.NewFFT(n)
		return func(from []complex128, to []float64) { t.Sequence(to, from) }
	}
	f, all := complexLine(n, true), make([]complex128, n)
	return func(from []complex128, to []float64) {
		all[0] = complex(real(from[0]), 0)
		for i := 1; i < len(from); i++ {
			all[i], all[n-i] = from[i], complex(real(from[i]), -imag(from[i]))
		}
		if n%2 == 0 {
			all[n/2] = complex(real(from[n/2]), 0)
		}
		f(all, all)
		for i, v := range all {
			to[i] = real(v)
		}
	}
}
