package fft

import (
	"context"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/dsp/fourier"
)

// This file transforms single lines of numbers, and all lines along an axis.

// transform transforms along some axes in place, without a divisor.
func (a array) transform(ctx context.Context, axes []int, inverse bool) error {
	for _, axis := range axes {
		if err := transformAxis(ctx, a.data, a.shape, axis, inverse); err != nil {
			return err
		}
	}
	return nil
}

// transformAxis transforms all lines along an axis in place.
func transformAxis(ctx context.Context, data []complex128, shape []int, axis int, inverse bool) error {
	n := shape[axis]
	if !isPower(n) {
		return along(ctx, data, data, shape, axis, n, n, func() func(from, to []complex128) {
			return complexLine(n, inverse)
		})
	}
	inner := size(shape[axis+1:])
	lines := strided{data, func(line int) int { return line/inner*n*inner + line%inner }, inner}
	return powerLines(ctx, lines, lines, n, size(shape[:axis])*inner, inverse)
}

// along calls a function for each line along an axis: it reads the n elements of a line of src, and
// writes the m elements of that line of dst. shape has the extents of both, but for this axis. Lines
// are divided among all processors; each has a function of its own from worker.
func along[S, D any](ctx context.Context, src []S, dst []D, shape []int, axis, n, m int, worker func() func(from []S, to []D)) error {
	inner := size(shape[axis+1:])
	lines := size(shape[:axis]) * inner
	workers := min(runtime.GOMAXPROCS(0), lines)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			f, from, to := worker(), make([]S, n), make([]D, m)
			for line := lines * w / workers; line < lines*(w+1)/workers && ctx.Err() == nil; line++ {
				outer, at := line/inner, line%inner
				for k := range from {
					from[k] = src[(outer*n+k)*inner+at]
				}
				f(from, to)
				for k, v := range to {
					dst[(outer*m+k)*inner+at] = v
				}
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

// complexLine returns a function that transforms n numbers.
func complexLine(n int, inverse bool) func(from, to []complex128) {
	if largePrime(n) {
		b := newBluestein(n)
		return func(from, to []complex128) { b.transform(from, to, inverse) }
	}
	t := fourier.NewCmplxFFT(n)
	if inverse {
		return func(from, to []complex128) { t.Sequence(to, from) }
	}
	return func(from, to []complex128) { t.Coefficients(to, from) }
}
