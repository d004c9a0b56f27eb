package fft

import (
	"context"

	"github.com/stridefuse/stridefuse/x/fft/internal/kernel"
	"github.com/stridefuse/stridefuse/x/fft/internal/roots"
)

// This file has Bluestein's algorithm (A linear filtering approach to the computation of discrete Fourier transform,
// 1970), for lengths with large prime factors. With jk = (j² + k² - (k-j)²)/2 the transform is
//
//	X[k] = c[k] · sum over j of (x[j]·c[j]) · conj(c[k-j]),  c[k] = exp(-πi·k²/n)
//
// whose sum is a convolution. It is computed by transforms of a length with small prime factors.

// chirp transforms lines of n numbers. All numbers are interleaved.
type chirp[T kernel.Element] struct {
	n      int
	chirp  []T      // c
	filter []T      // transform of conj(c), cyclic, divided by its length
	plan   *plan[T] // of the convolution
}

func newChirp[T kernel.Element](n int, find func(radix int, form kernel.Form) func(*kernel.Frame)) (*chirp[T], error) {
	length := 64 * NextFastLen((2*n-2)/64+1)
	c := &chirp[T]{n: n, chirp: make([]T, 2*n), filter: make([]T, 2*length)}
	var err error
	if c.plan, err = newPlan[T](length, find); err != nil {
		return nil, err
	}
	unity := roots.Of(2 * n)
	square := 0 // k² modulo 2n
	for k := range n {
		re, im := unity.At(square)
		square = (square + 2*k + 1) % (2 * n)
		c.chirp[2*k], c.chirp[2*k+1] = T(re), T(im)
		for _, at := range []int{k, (length - k) % length} {
			c.filter[2*at], c.filter[2*at+1] = T(re), T(-im)
		}
	}
	w := getWork[T]()
	defer w.put()
	return c, c.plan.line(context.Background(), c.filter, c.filter, false, T(1/float64(length)), w, 1)
}

// run transforms the line src to dst, which may be the same. The inverse is the transform with exchanged parts.
func (c *chirp[T]) run(ctx context.Context, dst, src []T, inverse bool, scale T, w *work[T], workers int) error {
	borrowed, err := w.chirp.borrow(len(c.filter))
	if err != nil {
		return err
	}
	defer borrowed.release()
	room := borrowed.data
	re, im := 0, 1
	if inverse {
		re, im = 1, 0
	}
	err = spans(ctx, workers, len(room)/2, w, func(begin, end int, _ *work[T]) {
		for k := 2 * begin; k < 2*min(end, c.n); k += 2 {
			room[k], room[k+1] = times(src[k+re], src[k+im], c.chirp[k], c.chirp[k+1])
		}
		clear(room[min(2*end, max(2*begin, 2*c.n)) : 2*end])
	})
	if err != nil {
		return err
	}
	if err := c.plan.line(ctx, room, room, false, 1, w, workers); err != nil {
		return err
	}
	err = spans(ctx, workers, len(room)/2, w, func(begin, end int, _ *work[T]) { multiply(room[2*begin:2*end], c.filter[2*begin:2*end]) })
	if err != nil {
		return err
	}
	if err := c.plan.line(ctx, room, room, true, 1, w, workers); err != nil {
		return err
	}
	return spans(ctx, workers, c.n, w, func(begin, end int, _ *work[T]) {
		for k := 2 * begin; k < 2*end; k += 2 {
			a, b := times(room[k], room[k+1], c.chirp[k], c.chirp[k+1])
			dst[k+re], dst[k+im] = a*scale, b*scale
		}
	})
}

// multiply multiplies complex numbers z by those of y.
func multiply[T kernel.Element](z, y []T) {
	for k := 0; k < len(z); k += 2 {
		z[k], z[k+1] = times(z[k], z[k+1], y[k], y[k+1])
	}
}

// times returns the product of two complex numbers, with the same bits on every machine.
func times[T kernel.Element](a, b, c, d T) (re, im T) {
	return T(a*c) - T(b*d), T(a*d) + T(b*c)
}
