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
// rows, down the columns, or with one factor for all.
func TestRecurrence(t *testing.T) {
	types := kernel.Recurrence.Types().List()
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(types).Draw(t, "type")
		rows, cols := rapid.IntRange(1, 9).Draw(t, "rows"), rapid.IntRange(1, 40).Draw(t, "columns")
		f, size := &abi.Frame{Rows: rows, Cols: cols}, d.Size()
		var memory [3][]uint64
		for i := range memory {
			memory[i] = make([]uint64, rows*cols)
			f.Ptr[i] = unsafe.Pointer(&memory[i][0])
			switch rapid.IntRange(0, 2).Draw(t, "strides") {
			case 0:
				f.Step[i], f.Step[3+i] = cols*size, size
			case 1:
				f.Step[i], f.Step[3+i] = size, rows*size
			default:
				f.Step[i], f.Step[3+i] = 0, 0
			}
		}
		f.Step[2], f.Step[5] = cols*size, size
		element := func(i, r, c int) []byte { return bytesOf(unsafe.Add(f.Ptr[i], r*f.Step[i]+c*f.Step[3+i]), size) }
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
		lineFunction(&kernel.Micro{Kind: kernel.Recurrence, Type: d})(f)
		for r := range rows {
			in := make([][]uint64, 2)
			for i := range in {
				for c := range cols {
					in[i] = append(in[i], bits(i, r, c))
				}
			}
			for c, want := range ir.OpRecurrence.Info().Line(ir.OpRecurrence, d, in) {
				if ir.IsNaN(d, want) && ir.IsNaN(d, bits(2, r, c)) {
					continue
				}
				require.Equal(t, bytesOf(unsafe.Pointer(&want), size), element(2, r, c), "%s: element %d,%d", d, r, c)
			}
		}
	})
}
