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

// TestEveryKernelHasAFunction makes the functions of all micro-kernels on lines.
func TestEveryKernelHasAFunction(t *testing.T) {
	for _, m := range kernel.LineKernels() {
		require.NotNil(t, lineFunction(m), m.Signature())
		_, ok := abi.Lookup(abi.Portable, m.Signature())
		require.True(t, ok, m.Signature())
	}
}

// TestOrder compares all or some of the elements of short and long lines with the
// definition: random bits of every type, of which few differ in some lines and many are
// NaNs, infinities and zeros of both signs in others, read and stored at a distance.
func TestOrder(t *testing.T) {
	types := kernel.Sort.Types().List()
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(types).Draw(t, "type")
		op := rapid.SampledFrom([]ir.Op{ir.OpSort, ir.OpSortDown, ir.OpArgSort, ir.OpArgSortDown}).Draw(t, "op")
		n := rapid.OneOf(rapid.IntRange(1, 2*insertionTo), rapid.IntRange(1, 2000)).Draw(t, "elements")
		first := rapid.OneOf(rapid.Just(n), rapid.IntRange(1, n), rapid.IntRange(1, max(1, n/16))).Draw(t, "first")
		line, size := drawLine(t, d, n), d.Size()
		apart, bytes := rapid.IntRange(1, 3).Draw(t, "apart"), ir.LineType(op, d).Size()
		in, out := make([]uint64, n*apart+1), make([]uint64, first*apart+1) // aligned
		for i, e := range line {
			copy(bytesOf(unsafe.Add(unsafe.Pointer(&in[0]), i*apart*size), size), bytesOf(unsafe.Pointer(&e), size))
		}
		work, spare := make([]uint64, n), make([]uint64, n)
		f := &abi.Frame{Rows: 1, Cols: first}
		f.Ptr[0], f.Ptr[1], f.Ptr[2], f.Ptr[3] = unsafe.Pointer(&in[0]), unsafe.Pointer(&out[0]), unsafe.Pointer(&work[0]), unsafe.Pointer(&spare[0])
		f.Step[4], f.Step[5], f.Step[6] = apart*size, apart*bytes, n
		lineFunction(&kernel.Micro{Kind: kernel.Sort, Op: op, Type: d})(f)
		for i, want := range op.Info().Line(ir.Defined, op, d, [][]uint64{line})[:first] {
			got := bytesOf(unsafe.Add(unsafe.Pointer(&out[0]), i*apart*bytes), bytes)
			require.Equal(t, bytesOf(unsafe.Pointer(&want), bytes), got, "%s %s: element %d of %d", op, d, i, first)
		}
	})
}

var inf, nan = math.Inf(1), math.NaN()

// bytesOf returns size bytes from an address on.
func bytesOf(p unsafe.Pointer, size int) []byte { return unsafe.Slice((*byte)(p), size) }

// drawLine returns elements of a type.
func drawLine(t *rapid.T, d ir.DType, n int) []uint64 {
	few := rapid.Bool().Draw(t, "few")
	seed := rapid.Uint64().Draw(t, "seed")
	line := make([]uint64, n)
	for i := range line {
		seed = ir.Mix(seed, uint64(i))
		line[i] = ir.Wrap(d, int64(seed))
		if few {
			line[i] = ir.Wrap(d, int64(seed>>40&7))
			if ir.Floats.Has(d) { // 0, 1, infinity and NaN, of both signs
				line[i] = ir.FromFloat(d, []float64{0, 1, inf, nan}[seed>>40&3]) | seed>>50&1<<(8*d.Size()-1)
			}
		}
		if d == ir.Bool {
			line[i] &= 1
		}
	}
	if rapid.Bool().Draw(t, "rising") { // the greatest come last
		slices.Sort(line)
	}
	return line
}
