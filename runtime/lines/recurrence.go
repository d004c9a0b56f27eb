package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Linear recurrences. An element waits for the one before it, so several lines are computed at a time, which do not
// wait for each other.

// recurrence computes out[c] = a[c]*out[c-1] + in[c] along the rows of a block.
func recurrence[T number](f *abi.Frame) {
	if f.Cols == 0 {
		return
	}
	r := 0
	for ; r+4 <= f.Rows; r += 4 {
		fourLines[T](f, r)
	}
	for ; r < f.Rows; r++ {
		oneLine[T](f, r)
	}
}

// oneLine computes row r.
func oneLine[T number](f *abi.Frame, r int) {
	in, a, out := unsafe.Add(f.Ptr[0], r*f.Step[0]), unsafe.Add(f.Ptr[1], r*f.Step[1]), unsafe.Add(f.Ptr[3], r*f.Step[3])
	y := *at[T](f.Ptr[2], r*f.Step[2])
	for c := 0; ; c++ {
		y = T(*at[T](a, 0)*y) + *at[T](in, 0) // the conversion keeps Go from rounding once
		*at[T](out, 0) = y
		if c == f.Cols-1 {
			break
		}
		in, a, out = unsafe.Add(in, f.Step[5]), unsafe.Add(a, f.Step[6]), unsafe.Add(out, f.Step[7])
	}
	*at[T](f.Ptr[4], r*f.Step[4]) = y
}

// fourLines computes four rows from r on.
func fourLines[T number](f *abi.Frame, r int) {
	x, a, y := f.Step[0], f.Step[1], f.Step[3] // bytes from a row to the next
	in, factor, out := unsafe.Add(f.Ptr[0], r*x), unsafe.Add(f.Ptr[1], r*a), unsafe.Add(f.Ptr[3], r*y)
	before, s := unsafe.Add(f.Ptr[2], r*f.Step[2]), f.Step[2]
	y0, y1, y2, y3 := *at[T](before, 0), *at[T](before, s), *at[T](before, 2*s), *at[T](before, 3*s)
	for c := 0; ; c++ {
		y0 = T(*at[T](factor, 0)*y0) + *at[T](in, 0)
		y1 = T(*at[T](factor, a)*y1) + *at[T](in, x)
		y2 = T(*at[T](factor, 2*a)*y2) + *at[T](in, 2*x)
		y3 = T(*at[T](factor, 3*a)*y3) + *at[T](in, 3*x)
		*at[T](out, 0), *at[T](out, y), *at[T](out, 2*y), *at[T](out, 3*y) = y0, y1, y2, y3
		if c == f.Cols-1 {
			break
		}
		in, factor, out = unsafe.Add(in, f.Step[5]), unsafe.Add(factor, f.Step[6]), unsafe.Add(out, f.Step[7])
	}
	after, s := unsafe.Add(f.Ptr[4], r*f.Step[4]), f.Step[4]
	*at[T](after, 0), *at[T](after, s), *at[T](after, 2*s), *at[T](after, 3*s) = y0, y1, y2, y3
}

func at[T number](p unsafe.Pointer, bytes int) *T { return (*T)(unsafe.Add(p, bytes)) }
