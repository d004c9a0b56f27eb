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

func searchKernels() []*kernel.Micro {
	return slices.DeleteFunc(kernel.LineKernels(), func(m *kernel.Micro) bool { return m.Kind != kernel.Search })
}

// TestSearchKernels checks all kernels as generated ones are.
func TestSearchKernels(t *testing.T) {
	for _, m := range searchKernels() {
		kerneltest.Run(t, m.Signature())
	}
}

// TestSearch compares places on every engine with the definition: in lines that are in order or not, of few different
// elements, with zeros of both signs, infinities and NaNs, of any length, side by side or apart, and of one table for
// all rows.
func TestSearch(t *testing.T) {
	kernels := searchKernels()
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(kernels).Draw(t, "kernel")
		d, size := m.Type, m.Type.Size()
		least, _ := ir.OpMax.Info().Identity(d)
		greatest, _ := ir.OpMin.Info().Identity(d)
		some := []uint64{0, least, greatest, ir.ElementOf(d, 1), ir.ElementOf(d, 2), ir.ElementOf(d, 3)}
		if ir.Floats.Has(d) {
			some = append(some, ir.SignBit(d), ir.FromFloat(d, -1), ir.FromFloat(d, math.NaN()), ir.FromFloat(d, math.NaN())|ir.SignBit(d))
		}
		seed := rapid.Uint64().Draw(t, "seed")
		element := func(i int) uint64 { return some[ir.Mix(seed, uint64(i))%uint64(len(some))] }
		extent := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, 600)).Draw(t, "extent")
		rows, cols := rapid.IntRange(0, 4).Draw(t, "rows"), rapid.OneOf(rapid.IntRange(0, 9), rapid.IntRange(0, 200), rapid.IntRange(1000, 2100)).Draw(t, "columns")
		apart := rapid.Bool().Draw(t, "apart")
		lay := func(name string, n, size int) (mem []byte, step, across int) {
			across = size
			if apart {
				across *= rapid.IntRange(1, 2).Draw(t, name+" apart")
			}
			step = n*across + size*rapid.SampledFrom([]int{0, 0, 3}).Draw(t, name+" gap")
			return make([]byte, rows*step+n*across+8), step, across
		}
		table, tableStep, across := lay("table", extent, size)
		y, yStep, acrossY := lay("elements", cols, size)
		out, outStep, acrossOut := lay("places", cols, 8)
		if rapid.Bool().Draw(t, "one table") {
			tableStep = 0
		}
		line := make([]uint64, extent)
		for i := range line {
			line[i] = element(i)
		}
		if rapid.Bool().Draw(t, "in order") {
			places := ir.Places(d, line, false)
			from := slices.Clone(line)
			for i, p := range places {
				line[i] = from[p]
			}
		}
		want := slices.Clone(out)
		for r := range rows {
			for i, e := range line {
				putBits(unsafe.Pointer(&table[r*tableStep+i*across]), size, e)
			}
			elements := make([]uint64, cols)
			for c := range elements {
				elements[c] = element(1000 + r*cols + c)
				putBits(unsafe.Pointer(&y[r*yStep+c*acrossY]), size, elements[c])
			}
			for c, place := range m.Op.Info().Line(ir.Defined, m.Op, d, [][]uint64{line, elements}) {
				putBits(unsafe.Pointer(&want[r*outStep+c*acrossOut]), 8, place)
			}
		}
		f := &abi.Frame{Rows: rows, Cols: cols}
		f.Ptr[0], f.Ptr[1] = unsafe.Pointer(&table[0]), unsafe.Pointer(&y[0])
		f.Step[0], f.Step[1], f.Step[2], f.Step[3] = tableStep, yStep, outStep, extent
		f.Step[4], f.Step[5], f.Step[6] = across, acrossY, acrossOut
		for e := range abi.Best() + 1 {
			fn, ok := abi.Lookup(e, m.Signature())
			if !ok {
				continue
			}
			got := slices.Clone(out)
			f.Ptr[2] = unsafe.Pointer(&got[0])
			fn(f)
			require.Equal(t, want, got, "%s %s", e, m.Signature())
		}
	})
}
