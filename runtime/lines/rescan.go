package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Second scans of lines whose running values left the range of numbers, in chunks that begin
// anew: see ir.Rescan. Both types combine in float64.

// rescan returns the function that scans lines again, by addition or multiplication.
func rescan[T float32 | float64](by ir.Op) func(*abi.Frame) {
	sums := by == ir.OpAdd
	return func(f *abi.Frame) {
		if f.Cols == 0 {
			return
		}
		for r := range f.Rows {
			out := unsafe.Add(f.Ptr[1], r*f.Step[1])
			last := *at[T](out, (f.Cols-1)*f.Step[3])
			if last-last == 0 && (sums || last != 0) {
				continue
			}
			in := unsafe.Add(f.Ptr[0], r*f.Step[0])
			if sums {
				sumAgain[T](f, in, out)
			} else {
				multiplyAgain[T](f, in, out)
			}
		}
	}
}

func sumAgain[T float32 | float64](f *abi.Frame, in, out unsafe.Pointer) {
	first := *at[T](in, 0)
	run := float64(first)
	*at[T](out, 0) = first
	for c := 1; c < f.Cols; c++ {
		run += float64(*at[T](in, c*f.Step[2]))
		*at[T](out, c*f.Step[3]) = T(run)
	}
}

func multiplyAgain[T float32 | float64](f *abi.Frame, in, out unsafe.Pointer) {
	first := *at[T](in, 0)
	run := float64(first)
	*at[T](out, 0) = first
	for c := 1; c < f.Cols; c++ {
		run *= float64(*at[T](in, c*f.Step[2]))
		*at[T](out, c*f.Step[3]) = T(run)
	}
}
