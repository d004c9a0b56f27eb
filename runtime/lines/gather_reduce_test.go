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

// TestGatherReduce reduces rows by indices on every engine: one and many for each row of the output, narrow
// and wide ones, with gaps, backwards, all of one place, of tables that pretend to be near or far, of
// any bits and of numbers of one size, and with an index outside the table or none. Nothing but the output and the
// memory to work in may change.
func TestGatherReduce(t *testing.T) {
	types := append(kernel.GatherReduce.Types().List(), slices.Repeat([]ir.DType{ir.Float32, ir.Float64}, 10)...)
	rapid.Check(t, func(t *rapid.T) {
		m := &kernel.Micro{Kind: kernel.GatherReduce, Op: rapid.SampledFrom(kernel.GatherReduce.Ops()).Draw(t, "op"), Type: rapid.SampledFrom(types).Draw(t, "type")}
		size, extent := m.Type.Size(), rapid.IntRange(1, 9).Draw(t, "extent")
		rows, cols := rapid.IntRange(0, 9).Draw(t, "rows"), rapid.OneOf(rapid.IntRange(1, 9), rapid.IntRange(1, 70)).Draw(t, "columns")
		length := rapid.OneOf(rapid.IntRange(1, 9), rapid.IntRange(1, 40), rapid.SampledFrom([]int{63, 64, 65, 100})).Draw(t, "length")
		across := 8 * rapid.SampledFrom([]int{1, 1, 2, -1}).Draw(t, "across")
		table, at := drawRows(t, "table", extent, cols*size), drawRows(t, "indices", rows, 8*2*length)
		first := func(r int) unsafe.Pointer { return unsafe.Add(at.row(r), max(0, -across)*(length-1)) }
		if ir.Floats.Has(m.Type) && rapid.IntRange(0, 3).Draw(t, "any bits") > 0 { // sums that each order of additions rounds in its own way
			for r := range extent {
				for c := range cols {
					putBits(unsafe.Add(table.row(r), c*size), size, ir.FromFloat(m.Type, 1+math.Sin(float64(r*cols+c))))
				}
			}
		}
		out, work := drawRows(t, "output", rows, cols*size), drawRows(t, "memory to work in", kernel.GatherRows, cols*size)
		for _, p := range []*placedRows{&out, &work} { // rows that are apart
			p.step, p.from = max(p.step, -p.step, cols*size), 32
		}
		claimed := extent
		if rapid.Bool().Draw(t, "far") {
			claimed = farRows
		}
		seed := rapid.IntRange(0, 1000).Draw(t, "seed")
		for r := range rows {
			for i := range length {
				*(*int64)(unsafe.Add(first(r), i*across)) = int64((r*r+i*i)*seed+i/3) % int64(extent)
			}
		}
		bad := rows > 0 && rapid.IntRange(0, 3).Draw(t, "index outside") == 0
		outside := rapid.SampledFrom([]int64{-1, int64(claimed), math.MinInt64, math.MaxInt64}).Draw(t, "outside")
		if bad {
			*(*int64)(unsafe.Add(first(rapid.IntRange(0, rows-1).Draw(t, "row")), rapid.IntRange(0, length-1).Draw(t, "number")*across)) = outside
		}
		weights, acrossWeights, weighted := drawRows(t, "weights", rows, 2*size*length), size*rapid.SampledFrom([]int{1, 1, 2, 0, -1}).Draw(t, "across weights"), m.Op.Info().Weighted
		weight := func(r, i int) unsafe.Pointer {
			return unsafe.Add(weights.row(r), max(0, -acrossWeights)*(length-1)+i*acrossWeights)
		}
		for i := 0; weighted && ir.Floats.Has(m.Type) && i < 2*length*rows; i++ {
			putBits(unsafe.Add(weights.row(i/(2*length)), i%(2*length)*size), size, ir.FromFloat(m.Type, 1+math.Cos(float64(i))))
		}
		want, line := slices.Clone(out.mem), make([]uint64, length)
		for r := range rows {
			for c := range cols {
				for i := range line {
					if k := *(*int64)(unsafe.Add(first(r), i*across)); k >= 0 && k < int64(extent) {
						line[i] = getBits(unsafe.Add(table.row(int(k)), c*size), m.Type)
						if weighted {
							line[i] = ir.Defined.Combine(ir.OpMul, m.Type, line[i], getBits(weight(r, i), m.Type))
						}
					}
				}
				putBits(unsafe.Pointer(&want[out.from+r*out.step+c*size]), size, ir.Defined.ReduceRow(m.Op.Info().By, m.Type, line))
			}
		}
		for e := range abi.Best() + 1 {
			fn, ok := abi.Lookup(e, m.Signature())
			if !ok {
				require.NotEqual(t, abi.Portable, e)
				continue
			}
			got, used := placedRows{slices.Clone(out.mem), out.from, out.step}, placedRows{slices.Clone(work.mem), work.from, work.step}
			f := &abi.Frame{Rows: rows, Cols: cols}
			f.Ptr[0], f.Ptr[1], f.Ptr[2] = table.row(0), at.row(0), weights.row(0)
			f.Step[0], f.Step[1], f.Step[2] = table.step, at.step, weights.step
			if rows > 0 {
				f.Ptr[1], f.Ptr[2] = first(0), weight(0, 0)
			}
			o := gatherOut(m.Op.Info())
			f.Ptr[o], f.Ptr[o+1], f.Step[o], f.Step[o+1] = got.row(0), used.row(0), out.step, work.step
			f.Step[o+2], f.Step[o+3], f.Step[o+4], f.Step[o+5], f.Step[o+6] = claimed, length, across, kernel.GatherRows, acrossWeights
			before := *f
			if bad {
				require.PanicsWithError(t, (&ir.IndexError{Index: outside, Extent: claimed}).Error(), func() { fn(f) }, e)
			} else {
				fn(f)
				requireRows(t, m.Type, want, got, rows, cols)
			}
			require.Equal(t, before, *f, e)
			for r := range kernel.GatherRows {
				row := used.from + r*used.step
				copy(used.mem[row:row+cols*size], work.mem[row:])
			}
			require.Equal(t, work.mem, used.mem, "round the memory to work in, on %s", e)
		}
	})
}

// requireRows requires the same elements of rows, but for the payloads of NaNs, and the same bytes
// round them.
func requireRows(t require.TestingT, d ir.DType, want []byte, got placedRows, rows, cols int) {
	for r := range rows {
		for c := range cols {
			at := got.from + r*got.step + c*d.Size()
			a, b := unsafe.Pointer(&want[at]), unsafe.Pointer(&got.mem[at])
			if ir.IsNaN(d, getBits(a, d)) && ir.IsNaN(d, getBits(b, d)) {
				putBits(b, d.Size(), getBits(a, d))
			}
		}
	}
	require.Equal(t, want, got.mem)
}
