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
)

// TestRescan compares lines along the rows or down the columns with the definition: those
// with a last running value that is not finite are scanned again, and the others stay.
func TestRescan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if rapid.Bool().Draw(t, "single") {
			rescans(t, ir.Float32, float32(3e38))
		} else {
			rescans(t, ir.Float64, 1.7e308)
		}
	})
}

func rescans[T float32 | float64](t *rapid.T, d ir.DType, large T) {
	lines, n := rapid.IntRange(1, 9).Draw(t, "lines"), rapid.SampledFrom([]int{1, 40, 1024, 1025, 2060}).Draw(t, "length")
	chunks, size := ir.Chunks(n), d.Size()
	f := &abi.Frame{Rows: lines, Cols: n}
	step, across := n, 1
	if rapid.Bool().Draw(t, "down") {
		step, across = 1, lines
	}
	x, y := make([]T, lines*n), make([]T, lines*n)
	for i := range 1 + n/300 {
		x[rapid.IntRange(0, len(x)-1).Draw(t, "at")] = rapid.SampledFrom([]T{1, -2, 0.5, large, -large, large / 3}).Draw(t, "element")
		y[i] = 7
	}
	last, before, after := make([]T, lines*chunks), make([]float64, lines*chunks), make([]float64, lines)
	for r := range lines {
		carry := rapid.SampledFrom([]float64{0, 1, float64(large), -float64(large), math.NaN()}).Draw(t, "carry")
		after[r] = 3
		again := rapid.Bool().Draw(t, "again")
		for k := range chunks {
			before[r*chunks+k] = carry
			if again && rapid.IntRange(0, chunks).Draw(t, "overflows") == 0 {
				last[r*chunks+k] = rapid.SampledFrom([]T{large * large, T(math.NaN())}).Draw(t, "last")
			}
			carry += float64(last[r*chunks+k])
		}
	}
	for i, p := range []unsafe.Pointer{unsafe.Pointer(&x[0]), unsafe.Pointer(&last[0]), unsafe.Pointer(&before[0]), unsafe.Pointer(&y[0]), unsafe.Pointer(&after[0])} {
		f.Ptr[i], f.Step[i] = p, []int{step * size, chunks * size, 8 * chunks, step * size, 8}[i]
	}
	f.Step[5], f.Step[6], f.Step[7], f.Step[8] = across*size, size, across*size, chunks
	stays := append([]T{}, y...)
	lineFunction(&kernel.Micro{Kind: kernel.Rescan, Type: d})(f)
	for r := range lines {
		bits := func(line []T, from, across, n int) []uint64 {
			out := make([]uint64, n)
			for i := range out {
				out[i] = ir.FromFloat(d, float64(line[from+i*across]))
			}
			return out
		}
		want, carry, wide := bits(stays, r*step, across, n), ir.FromFloat(ir.Float64, 3), make([]uint64, chunks)
		for k := range wide {
			wide[k] = ir.FromFloat(ir.Float64, before[r*chunks+k])
		}
		runs := bits(last, r*chunks, 1, chunks)
		if slices.ContainsFunc(runs, func(run uint64) bool { return !ir.IsFinite(d, run) }) {
			carry = ir.Defined.Rescan(d, bits(x, r*step, across, n), runs, wide, want)
		}
		same := func(d ir.DType, want uint64, got float64) {
			e := ir.FromFloat(d, got)
			require.True(t, e == want || ir.IsNaN(d, e) && ir.IsNaN(d, want), "%s: line %d: %x, want %x", d, r, e, want)
		}
		same(ir.Float64, carry, after[r])
		for c, e := range want {
			same(d, e, float64(y[r*step+c*across]))
		}
	}
}
