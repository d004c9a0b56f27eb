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
		lines := &complexLines
		if inverse {
			lines = &inverseLines
		}
		return along(ctx, data, data, shape, axis, n, n, lines.of(n))
	}
	inner := size(shape[axis+1:])
	lines := strided{data, func(line int) int { return line/inner*n*inner + line%inner }, inner}
	return powerLines(ctx, lines, lines, n, size(shape[:axis])*inner, inverse)
}

// along calls a function for each line along an axis: it reads the n elements of a line of src, and writes the m
// elements of the line of dst. shape has the extents of both, except along the axis. Lines are divided among all
// processors; each takes its own func(from []S, to []D) from a pool.
func along[S, D any](ctx context.Context, src []S, dst []D, shape []int, axis, n, m int, functions *sync.Pool) error {
	inner := size(shape[axis+1:])
	lines := size(shape[:axis]) * inner
	workers := min(runtime.GOMAXPROCS(0), lines)
	parallel(workers, func(w int) {
		f, from, to := functions.Get().(func([]S, []D)), make([]S, n), make([]D, m)
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
		functions.Put(f)
	})
	return ctx.Err()
}

// parallel calls a function on a number of goroutines, with the number of each; 0 is the caller's goroutine.
func parallel(workers int, f func(w int)) {
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { f(w) })
	}
	if workers > 0 {
		f(0)
	}
	wg.Wait()
}

// lineFunctions keeps functions that transform lines of up to longestKept numbers. For a short line, making their
// tables takes longer than using them.
type lineFunctions[S, D any] struct {
	make  func(n int) func(from []S, to []D)
	pools sync.Map // by length
}

const longestKept = 1 << wholePower

// of returns the pool of functions for lines of n numbers.
func (l *lineFunctions[S, D]) of(n int) *sync.Pool {
	if n > longestKept {
		return &sync.Pool{New: func() any { return l.make(n) }}
	}
	pool, ok := l.pools.Load(n)
	if !ok {
		pool, _ = l.pools.LoadOrStore(n, &sync.Pool{New: func() any { return l.make(n) }})
	}
	return pool.(*sync.Pool)
}

var (
	complexLines     = lineFunctions[complex128, complex128]{make: func(n int) func(from, to []complex128) { return complexLine(n, false) }}
	inverseLines     = lineFunctions[complex128, complex128]{make: func(n int) func(from, to []complex128) { return complexLine(n, true) }}
	realLines        = lineFunctions[float64, complex128]{make: realLine}
	inverseRealLines = lineFunctions[complex128, float64]{make: inverseRealLine}
)

// only returns a pool of one function, which has no memory of its own.
func only[S, D any](f func(from []S, to []D)) *sync.Pool {
	return &sync.Pool{New: func() any { return f }}
}

// complexLine returns a function that transforms n numbers.
func complexLine(n int, inverse bool) func(from, to []complex128) {
	if quicker(n, gonumComplex) {
		b := newBluestein(n)
		return func(from, to []complex128) { b.transform(from, to, inverse) }
	}
	t := fourier.NewCmplxFFT(n)
	if inverse {
		return func(from, to []complex128) { t.Sequence(to, from) }
	}
	return func(from, to []complex128) { t.Coefficients(to, from) }
}
