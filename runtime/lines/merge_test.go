package lines

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// rowsOf are the arguments of a call, each as rows of elements of eight bytes at most: what
// a reference reads and stores.
type rowsOf struct {
	rows, cols int
	fields     []int
	args       [][]uint64
	width      []int // of a row of each argument
}

func (b *rowsOf) Rows() int                        { return b.rows }
func (b *rowsOf) Cols() int                        { return b.cols }
func (b *rowsOf) Field(i int) int                  { return b.fields[i] }
func (b *rowsOf) Get(arg, outer, inner int) uint64 { return b.args[arg][outer*b.width[arg]+inner] }
func (b *rowsOf) Set(arg, outer, inner int, bits uint64) {
	b.args[arg][outer*b.width[arg]+inner] = bits
}

// call runs a compiled kernel on the arguments of a block, and returns them as it leaves them.
func (b *rowsOf) call(m *kernel.Micro) [][]uint64 {
	f, memory := &abi.Frame{Rows: b.rows, Cols: b.cols}, make([][]uint64, len(b.args))
	for i, a := range m.Args() {
		size := a.DType.Size()
		memory[i] = make([]uint64, len(b.args[i])+1) // aligned
		for k, e := range b.args[i] {
			copy(bytesOf(unsafe.Add(unsafe.Pointer(&memory[i][0]), k*size), size), bytesOf(unsafe.Pointer(&e), size))
		}
		f.Ptr[i], f.Step[i] = unsafe.Pointer(&memory[i][0]), b.width[i]*size
	}
	for i, n := range b.fields {
		f.Step[m.FieldAt(i)] = n
	}
	lineFunction(m)(f)
	out := make([][]uint64, len(b.args))
	for i, a := range m.Args() {
		out[i] = make([]uint64, 0, len(b.args[i]))
		for k := range b.args[i] {
			var e uint64
			copy(bytesOf(unsafe.Pointer(&e), a.DType.Size()), bytesOf(unsafe.Add(unsafe.Pointer(&memory[i][0]), k*a.DType.Size()), a.DType.Size()))
			out[i] = append(out[i], e)
		}
	}
	return out
}

// TestOrderAndMerge compares compiled kernels with their references: lines of every type in two
// runs, and blocks of both merged.
func TestOrderAndMerge(t *testing.T) {
	types := kernel.Order.Types().List()
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(types).Draw(t, "type")
		order := &kernel.Micro{Kind: kernel.Order, Op: rapid.SampledFrom(kernel.Order.Ops()).Draw(t, "op"), Type: d}
		run := len(kernel.RunTypes(d)) // arguments
		merge := &kernel.Micro{Kind: kernel.Merge, Type: kernel.RunTypes(d)[0]}
		both := make([][]uint64, run)
		var first int
		for k, n := range []int{rapid.IntRange(0, 200).Draw(t, "first"), rapid.IntRange(0, 200).Draw(t, "second")} {
			b := &rowsOf{rows: 1, cols: rapid.IntRange(0, n).Draw(t, "ordered"), fields: []int{d.Size(), n}}
			b.args, b.width = [][]uint64{drawLine(t, d, n)}, []int{n}
			b.append(run, b.cols, 1)
			b.append(2, n, 1)
			got := b.call(order)
			kernel.ReferenceOf(order, elementary.Expand)(ir.Defined, b)
			require.Equal(t, b.args[1:1+run], got[1:1+run])
			for i := range both {
				both[i] = append(both[i], b.args[1+i]...)
			}
			if k == 0 {
				first = b.cols
			}
		}
		block, length := rapid.IntRange(1, 50).Draw(t, "block"), len(both[0])
		b := &rowsOf{rows: 2, cols: rapid.IntRange(0, length).Draw(t, "columns"), args: both, width: make([]int, run)}
		b.fields = []int{first, length, block, 1000}
		at := func() uint64 { return uint64(rapid.IntRange(0, (length-b.cols)/block).Draw(t, "at")) }
		b.args, b.width = append(b.args, []uint64{at(), at()}), append(b.width, 1)
		b.append(run, b.cols, 2)
		got := b.call(merge)
		kernel.ReferenceOf(merge, elementary.Expand)(ir.Defined, b)
		require.Equal(t, b.args[run+1:], got[run+1:])
	})
}

// append appends arguments of rows of so many elements.
func (b *rowsOf) append(args, width, rows int) {
	for range args {
		b.args, b.width = append(b.args, make([]uint64, width*rows)), append(b.width, width)
	}
}

// TestMergeOutside: a block that is not within the merged run is refused, whatever the numbers,
// and runs that are in no order are merged somehow, within their memory.
func TestMergeOutside(t *testing.T) {
	block := func(d ir.DType, at int64, cols, run, length, block int) *rowsOf {
		b := &rowsOf{rows: 1, cols: cols, fields: []int{run, length, block, 0}}
		args := len(kernel.RunTypes(d))
		b.append(args, length, 1)
		b.args, b.width = append(b.args, []uint64{uint64(at)}), append(b.width, 1)
		b.append(args, cols, 1)
		for i := range b.args[0] {
			b.args[0][i] = ir.Mix(1, uint64(i)) & 0xffff0000ffff
		}
		return b
	}
	for _, d := range []ir.DType{ir.Float32, ir.Float64} {
		m := &kernel.Micro{Kind: kernel.Merge, Type: kernel.RunTypes(d)[0]}
		for _, b := range []*rowsOf{block(d, -1, 4, 5, 10, 4), block(d, 2, 4, 5, 10, 4), block(d, 1<<62, 4, 5, 10, 4), block(d, 0, 11, 5, 10, 4), block(d, 1, 1, 0, 0, 1)} {
			func() {
				defer func() {
					var index *ir.IndexError
					err, _ := recover().(error)
					require.True(t, errors.As(err, &index), "%v", err)
				}()
				b.call(m)
			}()
		}
		for at := range int64(3) {
			block(d, at, 4, 7, 12, 4).call(m)
			block(d, at, 4, 70, 12, 4).call(m) // the first run has all
		}
	}
}
