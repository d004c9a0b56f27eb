package lines

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestRecurrence compares recurrences of every type with the definition: lines along the
// rows, down the columns, or with one factor for all. A call goes on from the first column, and
// another one from where that ends.
func TestRecurrence(t *testing.T) {
	types := kernel.Recurrence.Types().List()
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(types).Draw(t, "type")
		rows, cols := rapid.IntRange(1, 9).Draw(t, "rows"), rapid.IntRange(1, 40).Draw(t, "columns")
		f, size := &abi.Frame{Rows: rows}, d.Size()
		args, across := []int{0, 1, 3}, []int{5, 6, 7} // in, a and out, and the fields of each
		var memory [5][]uint64
		for i := range memory {
			memory[i] = make([]uint64, rows*cols)
			f.Ptr[i], f.Step[i] = unsafe.Pointer(&memory[i][0]), size
		}
		for k, i := range args {
			switch rapid.IntRange(0, 2).Draw(t, "strides") {
			case 0:
				f.Step[i], f.Step[across[k]] = cols*size, size
			case 1:
				f.Step[i], f.Step[across[k]] = size, rows*size
			default:
				f.Step[i], f.Step[across[k]] = 0, 0
			}
		}
		f.Step[3], f.Step[7] = cols*size, size
		begin := f.Ptr
		element := func(i, r, c int) []byte {
			return bytesOf(unsafe.Add(begin[i], r*f.Step[i]+c*f.Step[map[int]int{0: 5, 1: 6, 3: 7}[i]]), size)
		}
		bits := func(i, r, c int) (e uint64) {
			copy(bytesOf(unsafe.Pointer(&e), size), element(i, r, c))
			return ir.Wrap(d, int64(e))
		}
		for i := range 2 {
			for r := range rows {
				for c, e := range drawLine(t, d, cols) {
					copy(element(i, r, c), bytesOf(unsafe.Pointer(&e), size))
				}
			}
		}
		for r := range rows {
			copy(element(3, r, 0), element(0, r, 0))
			copy(bytesOf(unsafe.Add(f.Ptr[2], r*size), size), element(0, r, 0))
		}
		for c := 1; c < cols; c += f.Cols {
			f.Cols = rapid.IntRange(1, cols-c).Draw(t, "columns of a call")
			for k, i := range args {
				f.Ptr[i] = unsafe.Add(begin[i], c*f.Step[across[k]])
			}
			lineFunction(&kernel.Micro{Kind: kernel.Recurrence, Type: d})(f)
			f.Ptr[2], f.Ptr[4] = f.Ptr[4], f.Ptr[2]
		}
		for r := range rows {
			in := make([][]uint64, 2)
			for i := range in {
				for c := range cols {
					in[i] = append(in[i], bits(i, r, c))
				}
			}
			for c, want := range ir.OpRecurrence.Info().Line(ir.Defined, ir.OpRecurrence, d, in) {
				if ir.IsNaN(d, want) && ir.IsNaN(d, bits(3, r, c)) {
					continue
				}
				require.Equal(t, bytesOf(unsafe.Pointer(&want), size), element(3, r, c), "%s: element %d,%d", d, r, c)
			}
		}
	})
}
