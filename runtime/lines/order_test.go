package lines

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestEveryKernelHasAFunction makes the functions of all micro-kernels on lines.
func TestEveryKernelHasAFunction(t *testing.T) {
	for _, m := range kernel.LineKernels() {
		require.NotNil(t, lineFunction(m), m.Signature())
		_, ok := abi.Lookup(abi.Portable, m.Signature())
		require.True(t, ok, m.Signature())
	}
}

// TestOrder compares long and short lines of floats with the definition: NaNs, zeros of both
// signs, infinities and equal elements in their order, read and stored at a distance.
func TestOrder(t *testing.T) {
	elements := rapid.OneOf(rapid.Float32(), rapid.SampledFrom([]float32{0, float32(math.Copysign(0, -1)), 1, -1,
		float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, math.SmallestNonzeroFloat32}))
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(elements, 1, 3*fewElements).Draw(t, "x")
		down := rapid.Bool().Draw(t, "down")
		apart := make([]float32, 2*len(x))
		bits := make([]uint64, len(x))
		for i, e := range x {
			apart[2*i], bits[i] = e, uint64(math.Float32bits(e))
		}
		places, sorted := make([]int64, len(x)), make([]float32, len(x))
		frame := func(out unsafe.Pointer, size int) *abi.Frame {
			f := &abi.Frame{Rows: 1, Cols: len(x)}
			f.Ptr[0], f.Ptr[1], f.Step[2], f.Step[3] = unsafe.Pointer(&apart[0]), out, 8, size
			return f
		}
		order(floatKey32, true, down, true)(frame(unsafe.Pointer(&places[0]), 8))
		order(floatKey32, false, down, true)(frame(unsafe.Pointer(&sorted[0]), 4))
		for i, want := range ir.Places(ir.Float32, bits, down) {
			require.Equal(t, int64(want), places[i])
			require.Equal(t, math.Float32bits(x[want]), math.Float32bits(sorted[i]))
		}
	})
}

// TestOrderIntegers sorts the ends of the range, whose keys are those of NaNs.
func TestOrderIntegers(t *testing.T) {
	x := []int64{math.MaxInt64, math.MinInt64, 0, math.MaxInt64 - 1}
	out := make([]int64, len(x))
	f := &abi.Frame{Rows: 1, Cols: len(x)}
	f.Ptr[0], f.Ptr[1], f.Step[2], f.Step[3] = unsafe.Pointer(&x[0]), unsafe.Pointer(&out[0]), 8, 8
	order(signedKey[int64], false, true, false)(f)
	require.Equal(t, []int64{math.MaxInt64, math.MaxInt64 - 1, 0, math.MinInt64}, out)
}
