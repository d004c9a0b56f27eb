//go:build unix

package lines

import (
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestSortBetweenPages sorts lines of all lengths up to some vectors, and selects elements of them, where line, result
// and the memory to work in each begin at a page or end at one, beside pages without access.
func TestSortBetweenPages(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	const most = 300
	var memory [4][]byte
	for i := range memory {
		memory[i] = betweenPages(t, 8*most)
	}
	for _, d := range []ir.DType{ir.Uint8, ir.Int32, ir.Float32, ir.Float64} {
		for _, op := range []ir.Op{ir.OpSort, ir.OpArgSortDown} {
			m := &kernel.Micro{Kind: kernel.Sort, Op: op, Type: d}
			for n := 1; n <= most; n += 1 + n/70 {
				line := make([]uint64, n)
				for i := range line {
					line[i] = ir.Defined.Cast(ir.Int64, d, ir.Mix(uint64(n), uint64(i))>>40)
				}
				size := ir.LineType(op, d).Size()
				want := make([]byte, n*size)
				for i, e := range op.Info().Line(ir.Defined, op, d, [][]uint64{line}) {
					putBits(unsafe.Pointer(&want[i*size]), size, e)
				}
				for _, first := range []int{n, n/20 + 1} {
					for _, end := range []bool{false, true} {
						for _, on := range enginesOfSorts() {
							f := &abi.Frame{Rows: 1, Cols: first}
							for i, bytes := range []int{n * d.Size(), first * size, n * 8, n * 8} {
								from := 0
								if end {
									from = len(memory[i]) - bytes
								}
								f.Ptr[i] = unsafe.Pointer(&memory[i][from])
							}
							for i, e := range line {
								putBits(unsafe.Add(f.Ptr[0], i*d.Size()), d.Size(), e)
							}
							f.Step[0], f.Step[1], f.Step[4], f.Step[5], f.Step[6] = n*d.Size(), first*size, d.Size(), size, n
							fn, ok := abi.Lookup(on, m.Signature())
							require.True(t, ok)
							fn(f)
							require.Equal(t, want[:first*size], bytesOf(f.Ptr[1], first*size), "%s on %s: %d of %d elements", m, on, first, n)
						}
					}
				}
			}
		}
	}
}
