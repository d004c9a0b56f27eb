package blas

// Norms of vectors whose elements follow one another. gonum's loops take one element at a time.

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// nrm2 is Nrm2 of BLAS. It returns false if the arguments are wrong, or the sum of the squares is out of the range where it is accurate.
func (e *engine[T]) nrm2(n int, x []T, incX int) (T, bool) {
	if incX != 1 || n <= 0 || len(x) < n {
		return 0, false
	}
	var sum T
	if n < e.norm || !e.ready() {
		for _, v := range x[:n] {
			sum += v * v
		}
	} else {
		e = e.of(n)
		sum = e.sum(&e.kernels.squares, x[:n])
	}
	// Squares below the least normal number lose digits: as many as n of them are lost in a sum that is greater by 2^60.
	least, greatest := T(0x1p-60), T(math.MaxFloat32)
	if size[T]() == 8 {
		least = T(0x1p-960)
	}
	return T(math.Sqrt(float64(sum))), sum > least && sum < greatest
}

// asum is Asum of BLAS. It returns false if the arguments are wrong.
func (e *engine[T]) asum(n int, x []T, incX int) (T, bool) {
	if incX != 1 || n <= 0 || len(x) < n {
		return 0, false
	}
	if n < e.norm || !e.ready() {
		var even, odd T // two sums take half the time of one, which waits for each addition
		x = x[:n]
		for ; len(x) >= 2; x = x[2:] {
			even += T(math.Abs(float64(x[0])))
			odd += T(math.Abs(float64(x[1])))
		}
		if len(x) > 0 {
			even += T(math.Abs(float64(x[0])))
		}
		return even + odd, true
	}
	e = e.of(n)
	return e.sum(&e.kernels.sums, x[:n]), true
}

// sum adds up what a kernel makes of the elements.
func (e *engine[T]) sum(k *loop, x []T) (sum T) {
	w := e.worker()
	f, out := &w.frame, scratch(&w.block, 1)
	for j := 0; j < len(x); j += ir.ReduceChunk {
		f.Rows, f.Cols = 1, min(ir.ReduceChunk, len(x)-j)
		f.Ptr[k.in[0]], f.Ptr[k.out] = at(x[j:]), at(out)
		call(k.call, f)
		sum += out[0]
	}
	w.release()
	return sum
}
