package kerneltest

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// at returns element col of a row of an operand.
func at(f *abi.Frame, operand, row, col int) *uint32 {
	return (*uint32)(unsafe.Add(f.Ptr[operand], row*f.Step[operand]+4*col))
}

func not(f *abi.Frame) {
	for r := range f.Rows {
		for c := range f.Cols {
			*at(f, 1, r, c) = ^*at(f, 0, r, c)
		}
	}
}

// checkCatches gives the checker a kernel that is right, and ones with the mistakes that
// kernels make: want is what the checker says of each.
func checkCatches(t *testing.T, sig string, right func(*abi.Frame), wrong map[string]func(*abi.Frame)) {
	c, err := kernel.ParseCode(sig)
	require.NoError(t, err)
	calls, err := Check(c, 1, Heap, Form{"right", right})
	require.NoError(t, err)
	require.Greater(t, calls, 40)
	for want, fn := range wrong {
		_, err := Check(c, 1, Heap, Form{"right", right}, Form{"wrong", fn})
		require.ErrorContains(t, err, "wrong: ", sig)
		require.ErrorContains(t, err, want, sig)
	}
}

// changed calls a kernel with another frame.
func changed(fn func(*abi.Frame), change func(f *abi.Frame)) func(*abi.Frame) {
	return func(f *abi.Frame) { g := *f; change(&g); fn(&g) }
}

// behind calls a kernel, and changes what is behind an operand of one row.
func behind(fn func(*abi.Frame), operand int) func(*abi.Frame) {
	return func(f *abi.Frame) {
		fn(f)
		if f.Rows == 1 {
			*at(f, operand, 0, f.Cols)++
		}
	}
}

func TestCheckCatches(t *testing.T) {
	checkCatches(t, "kernel (u0:u32) { t0 = not u0; store t0 }", not, map[string]func(*abi.Frame){
		"operand 1 at line 0, element 0":  func(f *abi.Frame) {},
		"memory round operand 1":          behind(not, 1),
		"memory round operand 0":          func(f *abi.Frame) { not(f); *at(f, 0, 0, -1)++ },
		"operand 1 at line 0, element 40": changed(not, func(f *abi.Frame) { f.Cols = min(f.Cols, 40) }),
		"operand 1 at line 1, element 0":  changed(not, func(f *abi.Frame) { f.Rows = min(f.Rows, 1) }),
		"operand 1 in place of operand 0": func(f *abi.Frame) { // an overlapped last vector
			not(f)
			if f.Cols > 8 && f.Rows > 0 {
				for c := f.Cols - 8; c < f.Cols; c++ {
					*at(f, 1, f.Rows-1, c) = ^*at(f, 0, f.Rows-1, c)
				}
			}
		},
	})
}

// Places of the fields of dot.
const dotAcross, dotPairs, dotAdds = 3, 4, 5

// dot computes a product of int32 matrices.
func dot(f *abi.Frame) {
	for m := range f.Rows {
		for n := range f.Cols {
			var sum uint32
			for k := range f.Step[dotPairs] {
				a := (*uint32)(unsafe.Add(f.Ptr[0], m*f.Step[0]+k*f.Step[dotAcross]))
				sum += *a * *at(f, 1, k, n)
			}
			if f.Step[dotAdds] != 0 {
				sum += *at(f, 2, m, n)
			}
			*at(f, 2, m, n) = sum
		}
	}
}

func TestCheckCatchesDots(t *testing.T) {
	checkCatches(t, "dot i32", dot, map[string]func(f *abi.Frame){
		"element 0: ":            func(*abi.Frame) {},
		"memory round operand 2": behind(dot, 2),
		"memory round operand 1": func(f *abi.Frame) { dot(f); *at(f, 1, 0, -1)++ },
		"line 0":                 changed(dot, func(f *abi.Frame) { f.Step[dotAdds] = 0 }),
		"element 15":             changed(dot, func(f *abi.Frame) { f.Cols = min(f.Cols, 15) }),
		"line 6":                 changed(dot, func(f *abi.Frame) { f.Rows = min(f.Rows, 6) }),
		"operand 2 at":           changed(dot, func(f *abi.Frame) { f.Step[dotAcross] = 4 }),
		"operand 2":              changed(dot, func(f *abi.Frame) { f.Step[dotPairs] &^= 1 }),
	})
}

// transpose transposes uint32.
func transpose(f *abi.Frame) {
	for r := range f.Rows {
		for c := range f.Cols {
			*at(f, 1, r, c) = *(*uint32)(unsafe.Add(f.Ptr[0], c*f.Step[0]+r*f.Step[2]))
		}
	}
}

func TestCheckCatchesTransposes(t *testing.T) {
	checkCatches(t, "transpose u32", transpose, map[string]func(f *abi.Frame){
		"block 1x1":              func(*abi.Frame) {},
		"memory round operand 1": behind(transpose, 1),
		"memory round operand 0": func(f *abi.Frame) { transpose(f); *at(f, 0, 0, -1)++ },
		"block 1x9":              changed(transpose, func(f *abi.Frame) { f.Cols = min(f.Cols, 8) }),
		"block 9x1":              changed(transpose, func(f *abi.Frame) { f.Rows = min(f.Rows, 8) }),
		"block 2x":               changed(transpose, func(f *abi.Frame) { f.Step[2] = 4 }),
		"block 1x":               changed(transpose, func(f *abi.Frame) { f.Step[0] = max(f.Step[0], -f.Step[0]) }),
	})
}

// differences adds the differences of float32 rows and columns.
func differences(f *abi.Frame) {
	n := f.Step[3]
	line := make([]uint64, n)
	for r := range f.Rows {
		for c := range f.Cols {
			for i := range n {
				x := math.Float32frombits(*at(f, 0, r, i))
				line[i] = uint64(math.Float32bits(x - math.Float32frombits(*at(f, 1, i, c))))
			}
			*at(f, 2, r, c) = uint32(ir.Defined.ReduceRow(ir.OpAdd, ir.Float32, line))
		}
	}
}

func TestCheckCatchesColumns(t *testing.T) {
	checkCatches(t, "reduce_columns add kernel (s0:f32, u1:f32) { t0 = sub s0 u1; store t0 }", differences, map[string]func(f *abi.Frame){
		"line 0, element 0": func(*abi.Frame) {},
		"operand 2":         func(f *abi.Frame) { differences(f); *at(f, 2, 0, f.Cols)++ },
		"operand 1":         func(f *abi.Frame) { differences(f); *at(f, 1, 0, -1)++ },
		"element 16":        changed(differences, func(f *abi.Frame) { f.Cols = min(f.Cols, kernel.ColumnBlock) }),
		"line 1":            changed(differences, func(f *abi.Frame) { f.Rows = min(f.Rows, 1) }),
		"[33]":              changed(differences, func(f *abi.Frame) { f.Step[3] = min(f.Step[3], 32) }),
	})
}

func TestFloatsCompareByBits(t *testing.T) {
	require.False(t, same(ir.Float32, 0, 1<<31))
	require.True(t, same(ir.Float32, 0x7fc00000, 0xffc00001))
	require.False(t, same(ir.Uint32, 0x7fc00000, 0xffc00001))
}
