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

// TestRagged combines rows of different lengths on every engine: elements and products, of one column and of
// many, with gaps, backwards, and with an offset or an index that is wrong or none. Nothing but the output may change.
func TestRagged(t *testing.T) {
	types := append(kernel.Ragged.Types().List(), slices.Repeat([]ir.DType{ir.Float32, ir.Float64}, 10)...)
	rapid.Check(t, func(t *rapid.T) {
		m := &kernel.Micro{Kind: kernel.Ragged, Op: rapid.SampledFrom(kernel.Ragged.Ops()).Draw(t, "op"), Type: rapid.SampledFrom(types).Draw(t, "type")}
		size, products := m.Type.Size(), m.Op.Info().Weighted
		lengths := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 20)), 1, 13).Draw(t, "lengths")
		rows, cols, count := len(lengths), rapid.OneOf(rapid.Just(1), rapid.IntRange(1, 40)).Draw(t, "columns"), 0
		at := drawRows(t, "offsets", rows+1, 8)
		if at.step == 0 {
			at.step = 8
		}
		offset := func(r int) *int64 { return (*int64)(at.row(r)) }
		*offset(0) = 0
		for r, n := range lengths {
			count += n
			*offset(r + 1) = int64(count)
		}
		extent := count
		if products {
			extent = rapid.IntRange(1, 9).Draw(t, "extent")
		}
		table, index, weights := drawRows(t, "table", max(1, extent), cols*size), drawRows(t, "indices", max(1, count), 8), drawRows(t, "weights", max(1, count), size)
		out := drawRows(t, "output", rows, cols*size)
		out.step, out.from = max(out.step, -out.step, cols*size), 32
		if ir.Floats.Has(m.Type) && rapid.IntRange(0, 3).Draw(t, "any bits") > 0 { // sums that each order of additions rounds in its own way
			for i := range max(1, extent) * cols {
				putBits(unsafe.Add(table.row(i/cols), i%cols*size), size, ir.FromFloat(m.Type, 1+math.Sin(float64(i))))
			}
			for i := range max(1, count) {
				putBits(weights.row(i), size, ir.FromFloat(m.Type, 1+math.Cos(float64(i))))
			}
		}
		seed := rapid.IntRange(0, 1000).Draw(t, "seed")
		for i := range count {
			*(*int64)(index.row(i)) = int64((i*i*seed + i/3) % extent)
		}
		f := &abi.Frame{Rows: rows, Cols: cols}
		args := []placedRows{table, at, at, at}
		if products {
			args = append(args, index, weights)
		}
		for i, a := range args {
			f.Ptr[i], f.Step[i] = a.row(0), a.step
		}
		f.Ptr[3] = at.row(1)
		o := len(args)
		f.Step[o] = out.step
		f.Step[o+1], f.Step[o+2], f.Step[o+3], f.Step[o+4] = extent, rows+1, count, max(1, count/rows)

		want, wrong := slices.Clone(out.mem), ""
		switch r := rapid.IntRange(0, rows).Draw(t, "wrong row"); rapid.IntRange(0, 9).Draw(t, "wrong") {
		case 0:
			*offset(0) = 1
			wrong = (&ir.IndexError{Index: -1, Extent: rows}).Error()
		case 1:
			*offset(rows)--
			wrong = "outside an axis"
		case 2:
			*offset(r) = int64(count) + 1
			wrong = "outside an axis"
		case 3:
			*offset(r) = math.MinInt64
			wrong = "outside an axis"
		case 4:
			if products && count > 0 {
				bad := rapid.SampledFrom([]int64{-1, int64(extent), math.MaxInt64, math.MinInt64}).Draw(t, "outside")
				*(*int64)(index.row(rapid.IntRange(0, count-1).Draw(t, "number"))) = bad
				wrong = (&ir.IndexError{Index: bad, Extent: extent}).Error()
			}
		}
		for r := range rows {
			for c := range cols {
				sum := ir.EmptyReduction(m.Op.Info().By, m.Type)
				for i := *offset(r); wrong == "" && i < *offset(r + 1); i++ {
					from := i
					if products {
						from = *(*int64)(index.row(int(i)))
					}
					e := getBits(unsafe.Add(table.row(int(from)), c*size), m.Type)
					if products {
						e = ir.Defined.Combine(ir.OpMul, m.Type, e, getBits(weights.row(int(i)), m.Type))
					}
					sum = ir.Defined.Combine(m.Op.Info().By, m.Type, sum, e)
				}
				putBits(unsafe.Pointer(&want[out.from+r*out.step+c*size]), size, sum)
			}
		}
		for e := range abi.Best() + 1 {
			fn, ok := abi.Lookup(e, m.Signature())
			if !ok {
				require.NotEqual(t, abi.Portable, e)
				continue
			}
			got := placedRows{slices.Clone(out.mem), out.from, out.step}
			f.Ptr[o] = got.row(0)
			before := *f
			if wrong != "" {
				func() {
					defer func() { require.ErrorContains(t, recover().(error), wrong, e) }()
					fn(f)
				}()
			} else {
				fn(f)
				requireRows(t, m.Type, want, got, rows, cols)
			}
			require.Equal(t, before, *f, e)
		}
	})
}
