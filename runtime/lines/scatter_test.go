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

// TestScatter stores and combines rows by indices of both types on every engine: few and many for each element, with gaps, backwards,
// of one update for all, and with an index outside the table or none.
func TestScatter(t *testing.T) {
	var stores, combines []*kernel.Micro
	for _, m := range kernel.LineKernels() {
		switch {
		case m.Kind == kernel.Scatter && m.Op.MovesBits():
			stores = append(stores, m)
		case m.Kind == kernel.Scatter || m.Kind == kernel.ScatterBytes:
			combines = append(combines, m)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.OneOf(rapid.SampledFrom(stores), rapid.SampledFrom(combines)).Draw(t, "kernel")
		size, indexSize := m.Type.Size(), m.Args()[0].DType.Size()
		extent := rapid.OneOf(rapid.IntRange(1, 9), rapid.SampledFrom([]int{255, 256, 257})).Draw(t, "extent")
		rows, cols := rapid.SampledFrom([]int{0, 1, 3, 37, 4*extent - 1, 4 * extent, 4*extent + 5}).Draw(t, "rows"), rapid.SampledFrom([]int{1, 1, 3, 8, 21}).Draw(t, "columns")
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
				if !m.Op.MovesBits() {
					e = ir.Defined.Combine(m.Op.Info().By, m.Type, getBits(to, m.Type), e)
				}
				putBits(to, size, e)
			}
		}
		for e := range abi.Best() + 1 {
			fn, ok := abi.Lookup(e, m.Signature())
			if !ok {
				require.NotEqual(t, abi.Portable, e)
				continue
			}
			got := placedRows{slices.Clone(out.mem), out.from, out.step}
			f := &abi.Frame{Rows: rows, Cols: cols}
			f.Ptr[0], f.Ptr[1], f.Ptr[2] = at.row(0), from.row(0), got.row(0)
			f.Step[0], f.Step[1], f.Step[2], f.Step[3] = at.step, from.step, out.step, extent
			before := *f
			if first >= 0 {
				require.PanicsWithError(t, (&ir.IndexError{Index: int64(first), Extent: extent}).Error(), func() { fn(f) }, e)
			} else {
				fn(f)
				requireSame(t, m.Type, want, got.mem)
			}
			require.Equal(t, before, *f, e)
		}
	})
}

// requireSame requires the same elements, but for the payloads of NaNs.
func requireSame(t *rapid.T, d ir.DType, want, got []byte) {
	for i := 32; ir.Floats.Has(d) && i+d.Size() <= len(want); i += d.Size() {
		a, b := unsafe.Pointer(&want[i]), unsafe.Pointer(&got[i])
		if ir.IsNaN(d, getBits(a, d)) && ir.IsNaN(d, getBits(b, d)) {
			putBits(b, d.Size(), getBits(a, d))
		}
	}
	require.Equal(t, want, got)
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
