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
// whose last result is out of range are scanned again, and the others stay.
func TestRescan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		by := rapid.SampledFrom([]ir.Op{ir.OpAdd, ir.OpMul}).Draw(t, "by")
		scansAgain[float32](t, by, ir.Float32)
		scansAgain[float64](t, by, ir.Float64)
	})
}

func scansAgain[T float32 | float64](t *rapid.T, by ir.Op, d ir.DType) {
	lines, n := rapid.IntRange(1, 9).Draw(t, "lines"), rapid.IntRange(1, 40).Draw(t, "length")
	step, across := n, 1
	if rapid.Bool().Draw(t, "down") {
		step, across = 1, lines
	}
	draw := func(of ...float64) []T {
		out := make([]T, lines*n)
		for i := range out {
			out[i] = T(rapid.SampledFrom(of).Draw(t, "element"))
		}
		return out
	}
	x, y := draw(1, -2, 0.5, 1e30, -1e30, 1e-30, 0), draw(1, 0, math.Inf(1), math.NaN())
	before := slices.Clone(y)
	size := d.Size()
	f := &abi.Frame{Rows: lines, Cols: n}
	f.Ptr[0], f.Ptr[1] = unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0])
	f.Step[0], f.Step[1], f.Step[2], f.Step[3] = step*size, step*size, across*size, across*size
	lineFunction(&kernel.Micro{Kind: kernel.Rescan, Op: by, Type: d})(f)
	for r := range lines {
		line, want := make([]uint64, n), make([]uint64, n)
		for c := range n {
			line[c], want[c] = ir.FromFloat(d, float64(x[r*step+c*across])), ir.FromFloat(d, float64(before[r*step+c*across]))
		}
		if ir.RescansLine(by, d, want[n-1]) {
			want = ir.Rescan(by, d, line)
		}
		for c, e := range want {
			got := ir.FromFloat(d, float64(y[r*step+c*across]))
			require.True(t, got == e || ir.IsNaN(d, got) && ir.IsNaN(d, e), "%s %s: line %d, element %d: %x, want %x", by, d, r, c, got, e)
		}
	}
}
