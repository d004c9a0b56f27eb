package lines

import (
	"math"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Sums of lines in which a chunk's running values overflow: see ir.Rescan. For nearly all lines none does, and each chunk
// takes a comparison.

// rescan computes chunks of lines again. Both types are combined in float64.
func rescan[T float32 | float64](f *abi.Frame) {
	chunks := min(f.Step[8], ir.Chunks(f.Cols))
	for r := range f.Rows {
		last := unsafe.Add(f.Ptr[1], r*f.Step[1])
		for k := range chunks {
			if v := *at[T](last, k*f.Step[6]); v-v != 0 {
				sumAgain[T](f, r, chunks)
				break
			}
		}
	}
}

// sumAgain recomputes chunks of row r, and the carry behind them.
func sumAgain[T float32 | float64](f *abi.Frame, r, chunks int) {
	in, out := unsafe.Add(f.Ptr[0], r*f.Step[0]), unsafe.Add(f.Ptr[3], r*f.Step[3])
	last, before := unsafe.Add(f.Ptr[1], r*f.Step[1]), unsafe.Add(f.Ptr[2], r*f.Step[2])
	carry := *at[float64](before, 0)
	for k := range chunks {
		if run := *at[T](last, k*f.Step[6]); run-run == 0 && sameNumber(carry, *at[float64](before, 8*k)) {
			carry += float64(run)
			continue
		}
		from := k * ir.ReduceChunk
		n := min(f.Cols-from, ir.ReduceChunk)
		in, out := unsafe.Add(in, from*f.Step[5]), unsafe.Add(out, from*f.Step[7])
		rounded, run := T(carry), *at[T](in, 0)
		*at[T](out, 0) = rounded + run
		for c := 1; c < n; c++ {
			run += *at[T](in, c*f.Step[5])
			*at[T](out, c*f.Step[7]) = rounded + run
		}
		if run-run == 0 {
			carry += float64(run)
		} else {
			carry = sumHalves[T](f, in, out, n, carry)
		}
	}
	*at[float64](f.Ptr[4], r*f.Step[4]) = carry
}

// sameNumber reports whether two numbers have the same bits or are both NaN.
func sameNumber(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// sumHalves adds the running sums of the n elements of a chunk, computed as halves that do not overflow, to the carry, and
// returns the next carry. The conversions prevent Go from fusing a product and a sum.
func sumHalves[T float32 | float64](f *abi.Frame, in, out unsafe.Pointer, n int, carry float64) float64 {
	var sum float64
	run := T(*at[T](in, 0) * ir.HalfRunsBefore)
	for c := range n {
		if c > 0 {
			run += T(*at[T](in, c*f.Step[5]) * ir.HalfRunsBefore)
		}
		half := float64(float64(run) * ir.HalfRunsAfter)
		sum = carry + half + half
		*at[T](out, c*f.Step[7]) = T(sum)
	}
	return sum
}
