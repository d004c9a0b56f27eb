package lines

import (
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/kerneltest"
)

func windowQuantileKernels() []*kernel.Micro {
	return slices.DeleteFunc(kernel.LineKernels(), func(m *kernel.Micro) bool { return m.Kind != kernel.WindowQuantile })
}

// TestWindowQuantileKernels checks all kernels as generated ones are.
func TestWindowQuantileKernels(t *testing.T) {
	for _, m := range windowQuantileKernels() {
		kerneltest.Run(t, m.Signature())
	}
}

// TestWindowQuantile compares quantiles on every engine with the definition: of windows of any size in lines with many
// equal elements, zeros of both signs, infinities and NaNs, at places that stay, move or jump, or are none.
func TestWindowQuantile(t *testing.T) {
	kernels := windowQuantileKernels()
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(kernels).Draw(t, "kernel")
		d, bytes := m.Type, m.Type.Size()
		size := rapid.OneOf(rapid.IntRange(1, 5), rapid.IntRange(1, 70)).Draw(t, "size")
		cols, rows := rapid.OneOf(rapid.IntRange(0, 9), rapid.IntRange(0, 300)).Draw(t, "windows"), rapid.IntRange(0, 3).Draw(t, "rows")
		length := size + cols - 1
		if cols == 0 {
			length = size
		}
		some := []float64{0, math.Copysign(0, -1), 1, 2, 3, -1, math.Inf(1), math.Inf(-1), math.NaN()}
		distinct := rapid.Bool().Draw(t, "distinct")
		seed := rapid.Uint64().Draw(t, "seed")
		element := func(i int) uint64 {
			h := ir.Mix(seed, uint64(i))
			if distinct {
				return ir.FromFloat(d, float64(h%100000)/7)
			}
			return ir.FromFloat(d, some[h%uint64(len(some))])
		}
		fixed, jumps := rapid.Float64Range(-0.1, 1.1).Draw(t, "quantile"), rapid.IntRange(0, 2).Draw(t, "jumps")
		place := func(i int) uint64 {
			p := fixed
			if jumps == 1 && i%7 == 0 || jumps == 2 {
				p = float64(ir.Mix(seed+1, uint64(i))%8) / 7
			}
			if p *= float64(size - 1); ir.Mix(seed+2, uint64(i))%3 == 0 {
				p = math.Floor(p)
			}
			return ir.FromFloat(d, p)
		}
		across, acrossPlaces, acrossOut := bytes*rapid.IntRange(1, 2).Draw(t, "across"), bytes*rapid.IntRange(0, 1).Draw(t, "across places"), bytes*rapid.IntRange(1, 2).Draw(t, "across out")
		x, places := make([]byte, rows*length*across+8), make([]byte, rows*cols*bytes+8)
		out := make([]byte, rows*cols*acrossOut+8)
		want := slices.Clone(out)
		work := make([]int64, kernel.WindowQuantileWork(size)+1)
		for r := range rows {
			in := [][]uint64{make([]uint64, length), make([]uint64, cols)}
			for i := range in[0] {
				in[0][i] = element(r*length + i)
				putBits(unsafe.Pointer(&x[(r*length+i)*across]), bytes, in[0][i])
			}
			for c := range in[1] {
				at := c
				if acrossPlaces == 0 {
					at = 0
				}
				in[1][c] = place(r*cols + at)
				putBits(unsafe.Pointer(&places[(r*cols+at)*bytes]), bytes, in[1][c])
			}
			if cols == 0 {
				continue
			}
			for c, y := range ir.OpWindowQuantile.Info().Line(ir.Defined, ir.OpWindowQuantile, d, in) {
				putBits(unsafe.Pointer(&want[(r*cols+c)*acrossOut]), bytes, y)
			}
		}
		for e := range abi.Best() + 1 {
			fn, ok := abi.Lookup(e, m.Signature())
			if !ok {
				continue
			}
			f := &abi.Frame{Rows: rows, Cols: cols}
			got := slices.Clone(out)
			f.Ptr[0], f.Ptr[1], f.Ptr[2], f.Ptr[3] = unsafe.Pointer(&x[0]), unsafe.Pointer(&places[0]), unsafe.Pointer(&got[0]), unsafe.Pointer(&work[0])
			f.Step[0], f.Step[1], f.Step[2] = length*across, cols*bytes, cols*acrossOut
			f.Step[4], f.Step[5], f.Step[6], f.Step[7], f.Step[8] = length, across, acrossPlaces, acrossOut, kernel.WindowQuantileWork(size)
			work[len(work)-1] = 77
			fn(f)
			require.Equal(t, int64(77), work[len(work)-1])
			for i := range rows * cols {
				a, b := bitsAt(got[i*acrossOut:], bytes), bitsAt(want[i*acrossOut:], bytes)
				if !ir.IsNaN(d, a) || !ir.IsNaN(d, b) {
					require.Equal(t, b, a, "%s %s, window %d", e, m.Signature(), i)
				}
			}
		}
	})
}

func bitsAt(b []byte, size int) (bits uint64) {
	copy((*[8]byte)(unsafe.Pointer(&bits))[:], b[:size])
	return bits
}
