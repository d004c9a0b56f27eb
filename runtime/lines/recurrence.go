package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Linear recurrences. An element waits for the one before it, so lines are computed several
// at a time: the processor has other lines to go on with.

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
	in, a, out := unsafe.Add(f.Ptr[0], r*f.Step[0]), unsafe.Add(f.Ptr[1], r*f.Step[1]), unsafe.Add(f.Ptr[2], r*f.Step[2])
	y := *at[T](in, 0)
	*at[T](out, 0) = y
	for range f.Cols - 1 {
		in, a, out = unsafe.Add(in, f.Step[3]), unsafe.Add(a, f.Step[4]), unsafe.Add(out, f.Step[5])
		y = T(*at[T](a, 0)*y) + *at[T](in, 0) // the conversion keeps Go from rounding once
		*at[T](out, 0) = y
	}
}

// fourLines computes the rows from r on.
func fourLines[T number](f *abi.Frame, r int) {
	x, a, y := f.Step[0], f.Step[1], f.Step[2] // bytes from a row to the next
	in, factor, out := unsafe.Add(f.Ptr[0], r*x), unsafe.Add(f.Ptr[1], r*a), unsafe.Add(f.Ptr[2], r*y)
	y0, y1, y2, y3 := *at[T](in, 0), *at[T](in, x), *at[T](in, 2*x), *at[T](in, 3*x)
	for c := 0; ; c++ {
		*at[T](out, 0), *at[T](out, y), *at[T](out, 2*y), *at[T](out, 3*y) = y0, y1, y2, y3
		if c == f.Cols-1 {
			return
		}
		in, factor, out = unsafe.Add(in, f.Step[3]), unsafe.Add(factor, f.Step[4]), unsafe.Add(out, f.Step[5])
		y0 = T(*at[T](factor, 0)*y0) + *at[T](in, 0)
		y1 = T(*at[T](factor, a)*y1) + *at[T](in, x)
		y2 = T(*at[T](factor, 2*a)*y2) + *at[T](in, 2*x)
		y3 = T(*at[T](factor, 3*a)*y3) + *at[T](in, 3*x)
	}
}

func at[T number](p unsafe.Pointer, bytes int) *T { return (*T)(unsafe.Add(p, bytes)) }
