package lines

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestScatter combines rows by indices of both types: few and many for each element, with gaps, backwards,
// of one update for all, and with an index outside the table or none.
func TestScatter(t *testing.T) {
	types := kernel.ScatterBytes.Types().List()
	rapid.Check(t, func(t *rapid.T) {
		m := &kernel.Micro{Kind: rapid.SampledFrom([]kernel.MicroKind{kernel.Scatter, kernel.ScatterBytes}).Draw(t, "kind"),
			Op: rapid.SampledFrom(kernel.ScatterBytes.Ops()).Draw(t, "op"), Type: rapid.SampledFrom(types).Draw(t, "type")}
		size, indexSize := m.Type.Size(), m.Args()[0].DType.Size()
		extent := rapid.OneOf(rapid.IntRange(1, 9), rapid.SampledFrom([]int{255, 256, 257})).Draw(t, "extent")
		rows, cols := rapid.SampledFrom([]int{0, 1, 3, 37, 4*extent - 1, 4 * extent, 4*extent + 5}).Draw(t, "rows"), rapid.SampledFrom([]int{1, 1, 3}).Draw(t, "columns")
		at, from, out := drawRows(t, "indices", rows, indexSize), drawRows(t, "updates", rows, cols*size), drawRows(t, "table", extent, cols*size)
		out.step = max(out.step, -out.step, cols*size) // rows that are apart
		out.from = 32
		bad := rapid.IntRange(0, 2*rows).Draw(t, "outside")
		seed := rapid.IntRange(0, 1000).Draw(t, "seed")
		for r := range rows {
			i := int64(r*r*seed+r/3) % int64(extent)
			if r == bad {
				i = int64(extent)
			}
			putBits(at.row(r), indexSize, uint64(i))
		}
		want := slices.Clone(out.mem)
		first := -1 // index outside
		for r := range rows {
			i := int64(getBits(at.row(r), m.Args()[0].DType))
			if i >= int64(extent) {
				first = int(i)
				break
			}
			for c := range cols {
				to, e := unsafe.Pointer(&want[out.from+int(i)*out.step+c*size]), getBits(unsafe.Add(from.row(r), c*size), m.Type)
				putBits(to, size, ir.Defined.Combine(m.Op.Info().By, m.Type, getBits(to, m.Type), e))
			}
		}
		fn, ok := abi.Lookup(abi.Portable, m.Signature())
		require.True(t, ok)
		f := &abi.Frame{Rows: rows, Cols: cols}
		f.Ptr[0], f.Ptr[1], f.Ptr[2] = at.row(0), from.row(0), out.row(0)
		f.Step[0], f.Step[1], f.Step[2], f.Step[3] = at.step, from.step, out.step, extent
		if first >= 0 {
			require.PanicsWithError(t, (&ir.IndexError{Index: int64(first), Extent: extent}).Error(), func() { fn(f) })
			return
		}
		fn(f)
		if ir.Floats.Has(m.Type) {
			for i := range extent * cols { // a NaN is a NaN
				at := out.from + i/cols*out.step + i%cols*size
				a, b := getBits(unsafe.Pointer(&want[at]), m.Type), getBits(unsafe.Pointer(&out.mem[at]), m.Type)
				require.True(t, a == b || ir.IsNaN(m.Type, a) && ir.IsNaN(m.Type, b))
				putBits(unsafe.Pointer(&out.mem[at]), size, a)
			}
		}
		require.Equal(t, want, out.mem)
	})
}

// getBits returns an element as ir has it: that of an integer is sign-extended.
func getBits(p unsafe.Pointer, d ir.DType) uint64 {
	var bits uint64
	copy((*[8]byte)(unsafe.Pointer(&bits))[:d.Size()], unsafe.Slice((*byte)(p), d.Size()))
	if ir.Signed.Has(d) {
		shift := 64 - 8*d.Size()
		return uint64(int64(bits<<shift) >> shift)
	}
	return bits
}

func putBits(p unsafe.Pointer, size int, bits uint64) {
	copy(unsafe.Slice((*byte)(p), size), (*[8]byte)(unsafe.Pointer(&bits))[:size])
}
