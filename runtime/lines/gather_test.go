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

// TestGather copies rows of all lengths on every engine: with gaps, backwards, all of one place, of
// tables that pretend to be near or far, and with an index outside the table or none. Nothing but the
// rows before that index may change.
func TestGather(t *testing.T) {
	types := kernel.Gather.Types().List()
	rapid.Check(t, func(t *rapid.T) {
		m := &kernel.Micro{Kind: kernel.Gather, Type: rapid.SampledFrom(types).Draw(t, "type")}
		size, extent := m.Type.Size(), rapid.IntRange(1, 9).Draw(t, "extent")
		rows, cols := rapid.IntRange(0, 40).Draw(t, "rows"), rapid.OneOf(rapid.IntRange(0, 9), rapid.IntRange(0, 700/size)).Draw(t, "columns")
		table, at, out := drawRows(t, "table", extent, cols*size), drawRows(t, "indices", rows, 8), drawRows(t, "output", rows, cols*size)
		out.step = max(out.step, -out.step, cols*size) // rows that are apart
		out.from = 32
		claimed := extent
		if rapid.Bool().Draw(t, "far") {
			claimed = farRows
		}
		bad, indices := rapid.IntRange(0, 2*rows).Draw(t, "outside"), make([]int64, rows)
		if at.step == 0 {
			bad = rows
		}
		for r := range rows {
			i := int64(rapid.OneOf(rapid.Just(extent-1), rapid.IntRange(0, extent-1)).Draw(t, "index"))
			if r == bad {
				i = rapid.SampledFrom([]int64{-1, int64(claimed), math.MinInt64, math.MaxInt64}).Draw(t, "index outside")
			}
			*(*int64)(at.row(r)) = i
		}
		for r := range rows {
			indices[r] = *(*int64)(at.row(r))
		}
		f := &abi.Frame{Rows: rows, Cols: cols}
		f.Ptr[0], f.Ptr[1] = table.row(0), at.row(0)
		f.Step[0], f.Step[1], f.Step[2], f.Step[3] = table.step, at.step, out.step, claimed
		want := slices.Clone(out.mem)
		for r := range min(bad, rows) {
			copy(want[out.from+r*out.step:], unsafe.Slice((*byte)(table.row(int(indices[r]))), cols*size))
		}
		for e := range abi.Best() + 1 {
			fn, ok := abi.Lookup(e, m.Signature())
			if !ok {
				continue
			}
			got := placedRows{slices.Clone(out.mem), out.from, out.step}
			f.Ptr[2] = got.row(0)
			if bad < rows {
				require.PanicsWithError(t, (&ir.IndexError{Index: indices[bad], Extent: f.Step[3]}).Error(), func() { fn(f) }, e)
			} else {
				fn(f)
			}
			require.Equal(t, want, got.mem, e)
		}
	})
}

// farRows is how many rows make a table of rows of one byte too large for the caches.
const farRows = 1 << 30

// placedRows are rows in memory with other bytes round them.
type placedRows struct {
	mem        []byte
	from, step int
}

func (p placedRows) row(r int) unsafe.Pointer { return unsafe.Pointer(&p.mem[p.from+r*p.step]) }

// drawRows returns n rows of random bytes: upwards, downwards or all of one place, with gaps or none.
func drawRows(t *rapid.T, name string, n, bytes int) placedRows {
	const guard = 32
	step, direction := bytes, 1
	if rapid.Bool().Draw(t, name+": apart") {
		step += 8 * rapid.IntRange(0, 2).Draw(t, name+": gap")
		direction = rapid.IntRange(-1, 1).Draw(t, name+": direction")
	}
	p := placedRows{mem: make([]byte, 2*guard+n*step+bytes), from: guard, step: step * direction}
	if p.step < 0 {
		p.from += max(0, n-1) * step
	}
	for i := range p.mem {
		p.mem[i] = byte(i*i + 7*i)
	}
	return p
}
