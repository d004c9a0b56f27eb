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
		merge := &kernel.Micro{Kind: kernel.Merge, Type: kernel.KeyType(d)}
		var keys, places []uint64
		var first int
		for k, n := range []int{rapid.IntRange(0, 200).Draw(t, "first"), rapid.IntRange(0, 200).Draw(t, "second")} {
			b := &rowsOf{rows: 1, cols: rapid.IntRange(0, n).Draw(t, "ordered"), fields: []int{d.Size(), n}}
			b.args = [][]uint64{drawLine(t, d, n), make([]uint64, b.cols), make([]uint64, b.cols), make([]uint64, n), make([]uint64, n)}
			b.width = []int{n, b.cols, b.cols, 0, 0}
			got := b.call(order)
			kernel.ReferenceOf(order, elementary.Expand)(b)
			require.Equal(t, b.args[1:3], got[1:3])
			keys, places = append(keys, b.args[1]...), append(places, b.args[2]...)
			if k == 0 {
				first = b.cols
			}
		}
		block := rapid.IntRange(1, 50).Draw(t, "block")
		b := &rowsOf{rows: 2, cols: rapid.IntRange(0, len(keys)).Draw(t, "columns"), fields: []int{first, len(keys), block, 1000}, width: []int{0, 0, 1, 0, 0}}
		b.width[3], b.width[4] = b.cols, b.cols
		at := func() uint64 { return uint64(rapid.IntRange(0, (len(keys)-b.cols)/block).Draw(t, "at")) }
		b.args = [][]uint64{keys, places, {at(), at()}, make([]uint64, 2*b.cols), make([]uint64, 2*b.cols)}
		got := b.call(merge)
		kernel.ReferenceOf(merge, elementary.Expand)(b)
		require.Equal(t, b.args[3:], got[3:])
	})
}

// TestMergeOutside: a block that is not within the merged run is refused, whatever the numbers,
// and runs that are in no order are merged somehow, within their memory.
func TestMergeOutside(t *testing.T) {
	m := &kernel.Micro{Kind: kernel.Merge, Type: ir.Uint32}
	block := func(at int64, cols, run, length, block int) *rowsOf {
		b := &rowsOf{rows: 1, cols: cols, fields: []int{run, length, block, 0}, width: []int{0, 0, 1, cols, cols}}
		b.args = [][]uint64{make([]uint64, length), make([]uint64, length), {uint64(at)}, make([]uint64, cols), make([]uint64, cols)}
		for i := range b.args[0] {
			b.args[0][i] = ir.Mix(1, uint64(i)) & 0xffff
		}
		return b
	}
	for _, b := range []*rowsOf{block(-1, 4, 5, 10, 4), block(2, 4, 5, 10, 4), block(1<<62, 4, 5, 10, 4), block(0, 11, 5, 10, 4), block(1, 1, 0, 0, 1)} {
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
		block(at, 4, 7, 12, 4).call(m)
		block(at, 4, 70, 12, 4).call(m) // the first run has all
	}
}
