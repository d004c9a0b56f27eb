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

// TestCheckCatches gives the checker a kernel that is right, and ones with the
// mistakes that kernels make.
func TestCheckCatches(t *testing.T) {
	k, err := kernel.ParseKernel("kernel (u0:u32) { t0 = not u0; store t0 }")
	require.NoError(t, err)
	require.NoError(t, check(k, not, 1))

	wrong := map[string]func(f *abi.Frame){
		"row 0, column 0":     func(f *abi.Frame) {},
		"memory round":        func(f *abi.Frame) { not(f); *at(f, 1, 0, f.Cols)++ },
		"operand 0":           func(f *abi.Frame) { not(f); *at(f, 0, 0, -1)++ },
		"block 2x1, output 0": func(f *abi.Frame) { g := *f; g.Cols &^= 1; not(&g) },
		"row 1, column 0":     func(f *abi.Frame) { g := *f; g.Step[0] = 0; not(&g) },
		"in place of operand 0": func(f *abi.Frame) { // an overlapped last vector
			not(f)
			if f.Cols > 8 && f.Rows > 0 {
				for c := f.Cols - 8; c < f.Cols; c++ {
					*at(f, 1, f.Rows-1, c) = ^*at(f, 0, f.Rows-1, c)
				}
			}
		},
	}
	for want, fn := range wrong {
		require.ErrorContains(t, check(k, fn, 1), want)
	}
}

// dot computes a product of int32 matrices.
func dot(f *abi.Frame) {
	for m := range f.Rows {
		for n := range f.Cols {
			var sum uint32
			for k := range f.Step[kernel.DotPairs] {
				a := (*uint32)(unsafe.Add(f.Ptr[0], m*f.Step[0]+k*f.Step[kernel.DotAcross]))
				sum += *a * *at(f, 1, k, n)
			}
			if f.Step[kernel.DotAdds] != 0 {
				sum += *at(f, 2, m, n)
			}
			*at(f, 2, m, n) = sum
		}
	}
}

// TestCheckCatchesDots is TestCheckCatches of a product.
func TestCheckCatchesDots(t *testing.T) {
	k := kernel.DotKernel(ir.Int32)
	require.NoError(t, check(k, dot, 1))
	changed := func(change func(f *abi.Frame)) func(*abi.Frame) {
		return func(f *abi.Frame) { g := *f; change(&g); dot(&g) }
	}
	for name, fn := range map[string]func(f *abi.Frame){
		"row 0, column 0 is":     func(*abi.Frame) {},
		"memory round operand 2": func(f *abi.Frame) { dot(f); *at(f, 2, 0, f.Cols)++ },
		"memory round operand 1": func(f *abi.Frame) { dot(f); *at(f, 1, 0, -1)++ },
		"column 0":               changed(func(f *abi.Frame) { f.Step[kernel.DotAdds] = 0 }),
		"column 15":              changed(func(f *abi.Frame) { f.Cols = min(f.Cols, 15) }),
		"row 6":                  changed(func(f *abi.Frame) { f.Rows = min(f.Rows, 6) }),
		"row 0":                  changed(func(f *abi.Frame) { f.Step[kernel.DotAcross] = 4 }),
		"pairs":                  changed(func(f *abi.Frame) { f.Step[kernel.DotPairs] &^= 1 }),
	} {
		require.ErrorContains(t, check(k, fn, 1), name)
	}
}

// turnOver transposes uint32.
func turnOver(f *abi.Frame) {
	for r := range f.Rows {
		for c := range f.Cols {
			*at(f, 1, r, c) = *(*uint32)(unsafe.Add(f.Ptr[0], c*f.Step[0]+r*f.Step[kernel.TransposeAcross]))
		}
	}
}

// TestCheckCatchesTransposes is TestCheckCatches of a block that is transposed.
func TestCheckCatchesTransposes(t *testing.T) {
	k := kernel.TransposeKernel(ir.Uint32)
	require.NoError(t, check(k, turnOver, 1))
	changed := func(change func(f *abi.Frame)) func(*abi.Frame) {
		return func(f *abi.Frame) { g := *f; change(&g); turnOver(&g) }
	}
	for name, fn := range map[string]func(f *abi.Frame){
		"block 1x1":   func(*abi.Frame) {},
		"operand 1":   func(f *abi.Frame) { turnOver(f); *at(f, 1, 0, f.Cols)++ },
		"operand 0":   func(f *abi.Frame) { turnOver(f); *at(f, 0, 0, -1)++ },
		"block 1x9":   changed(func(f *abi.Frame) { f.Cols = min(f.Cols, 8) }),
		"block 9x1":   changed(func(f *abi.Frame) { f.Rows = min(f.Rows, 8) }),
		"block 2x1":   changed(func(f *abi.Frame) { f.Step[kernel.TransposeAcross] = 4 }),
		"block 1x2, ": changed(func(f *abi.Frame) { f.Step[0] = max(f.Step[0], -f.Step[0]) }),
	} {
		require.ErrorContains(t, check(k, fn, 1), name)
	}
}

// foldDown adds the differences of float32 rows and columns.
func foldDown(f *abi.Frame) {
	n := f.Step[kernel.DownLength]
	line := make([]uint64, n)
	for r := range f.Rows {
		for c := range f.Cols {
			for i := range n {
				x := math.Float32frombits(*at(f, 0, r, i))
				line[i] = uint64(math.Float32bits(x - math.Float32frombits(*at(f, 1, i, c))))
			}
			*at(f, 2, r, c) = uint32(ir.FoldRow(ir.OpAdd, ir.Float32, line))
		}
	}
}

// TestCheckCatchesDown is TestCheckCatches of a kernel that folds down.
func TestCheckCatchesDown(t *testing.T) {
	k, err := kernel.ParseKernel("kernel down (s0:f32, u1:f32) { t0 = sub s0 u1; store add(t0) }")
	require.NoError(t, err)
	require.NoError(t, check(k, foldDown, 1))
	changed := func(change func(f *abi.Frame)) func(*abi.Frame) {
		return func(f *abi.Frame) { g := *f; change(&g); foldDown(&g) }
	}
	for name, fn := range map[string]func(f *abi.Frame){
		"row 0, column 0": func(*abi.Frame) {},
		"operand 2":       func(f *abi.Frame) { foldDown(f); *at(f, 2, 0, f.Cols)++ },
		"operand 1":       func(f *abi.Frame) { foldDown(f); *at(f, 1, 0, -1)++ },
		"column 16":       changed(func(f *abi.Frame) { f.Cols = min(f.Cols, kernel.DownCols) }),
		"row 1":           changed(func(f *abi.Frame) { f.Rows = min(f.Rows, 1) }),
		"lines of 33":     changed(func(f *abi.Frame) { f.Step[kernel.DownLength] = min(f.Step[kernel.DownLength], 32) }),
	} {
		require.ErrorContains(t, check(k, fn, 1), name)
	}
}

func TestFloatsCompareByBits(t *testing.T) {
	require.False(t, same(ir.Float32, 0, 1<<31))
	require.True(t, same(ir.Float32, 0x7fc00000, 0xffc00001))
	require.False(t, same(ir.Uint32, 0x7fc00000, 0xffc00001))
}
