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

// call runs the kernel of an engine on the arguments of a block, and returns them as it leaves them.
func (b *rowsOf) call(t require.TestingT, on abi.Engine, m *kernel.Micro) [][]uint64 {
	fn, ok := abi.Lookup(on, m.Signature())
	require.True(t, ok, m.Signature())
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
	fn(f)
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

// enginesOfSorts lists the engines that sort.
func enginesOfSorts() (all []abi.Engine) {
	for e := range abi.Best() + 1 {
		if _, ok := abi.Lookup(e, (&kernel.Micro{Kind: kernel.Sort, Op: ir.OpSort, Type: ir.Float32}).Signature()); ok {
			all = append(all, e)
		}
	}
	return all
}

// TestOrderAndMerge compares compiled kernels with their references: chunks of a line of every type, and
// blocks of what they are merged to.
func TestOrderAndMerge(t *testing.T) {
	types := kernel.Order.Types().List()
	rapid.Check(t, func(t *rapid.T) {
		on := rapid.SampledFrom(enginesOfSorts()).Draw(t, "engine")
		d := rapid.SampledFrom(types).Draw(t, "type")
		order := &kernel.Micro{Kind: kernel.Order, Op: rapid.SampledFrom(kernel.Order.Ops()).Draw(t, "op"), Type: d}
		merge := &kernel.Micro{Kind: kernel.Merge, Op: order.Op, Type: d}
		run := len(kernel.RunTypes(order.Op, d)) // arguments
		span, n := rapid.IntRange(1, 200).Draw(t, "span"), rapid.IntRange(1, 1000).Draw(t, "elements")
		first := rapid.IntRange(1, span).Draw(t, "of each")
		line, all := drawLine(t, d, n), make([][]uint64, run)
		for ; len(line) > 0; line = line[min(span, len(line)):] {
			chunk := line[:min(span, len(line))]
			b := &rowsOf{rows: 1, cols: min(first, len(chunk)), fields: []int{d.Size(), len(chunk)}}
			b.args, b.width = [][]uint64{chunk}, []int{len(chunk)}
			b.append(run, b.cols, 1)
			b.append(2, len(chunk), 1)
			got := b.call(t, on, order)
			kernel.ReferenceOf(order, elementary.Expand)(ir.Defined, b)
			require.Equal(t, b.args[1:1+run], got[1:1+run], "%s on %s", order, on)
			for i := range all {
				all[i] = append(all[i], b.args[1+i]...)
			}
		}
		b := mergeCase(all, 2, rapid.IntRange(0, len(all[0])).Draw(t, "columns"), first, span, rapid.IntRange(1, 50).Draw(t, "block"), ir.LineType(order.Op, d))
		for r := range b.args[run] {
			b.args[run][r] = uint64(rapid.IntRange(0, (len(all[0])-b.cols)/b.fields[4]).Draw(t, "at"))
		}
		got := b.call(t, on, merge)
		kernel.ReferenceOf(merge, elementary.Expand)(ir.Defined, b)
		for i, e := range b.args[run+1] {
			b.args[run+1][i] = e & (1<<(8*ir.LineType(order.Op, d).Size()) - 1) // as call returns it
		}
		require.Equal(t, b.args[run+1], got[run+1], "%s on %s", merge, on)
	})
}

// mergeCase returns the arguments of a merge. Each run holds the first elements of a chunk of span elements of the line.
func mergeCase(all [][]uint64, rows, cols, run, span, block int, d ir.DType) *rowsOf {
	b := &rowsOf{rows: rows, cols: cols, args: all, width: make([]int, len(all))}
	bounds := kernel.MergeBounds(len(all[0]), run)
	b.fields = []int{d.Size(), len(all[0]), run, span, block, bounds}
	b.append(1, 1, rows)
	b.append(1, cols, rows)
	b.append(3, cols, 1)
	b.append(1, bounds, 1)
	return b
}

// append appends arguments of rows of so many elements.
func (b *rowsOf) append(args, width, rows int) {
	for range args {
		b.args, b.width = append(b.args, make([]uint64, width*rows)), append(b.width, width)
	}
}

// TestMergeOutside: a block that is not within the merged line is refused, whatever the numbers,
// and runs that are in no order are merged somehow, within their memory.
func TestMergeOutside(t *testing.T) {
	for _, op := range kernel.Merge.Ops() {
		for _, d := range []ir.DType{ir.Uint8, ir.Float32, ir.Float64} {
			m := &kernel.Micro{Kind: kernel.Merge, Op: op, Type: d}
			block := func(at int64, cols, run, elems, block int) *rowsOf {
				var all [][]uint64
				for i, of := range kernel.RunTypes(op, d) {
					all = append(all, make([]uint64, elems))
					for k := range elems {
						all[i][k] = ir.Mix(uint64(i), uint64(k)) & (1<<(8*of.Size()) - 1)
					}
				}
				b := mergeCase(all, 1, cols, run, run, block, ir.LineType(op, d))
				b.args[len(all)][0] = uint64(at)
				return b
			}
			noBounds := block(0, 4, 3, 10, 4)
			noBounds.fields[5]--
			for _, on := range enginesOfSorts() {
				for _, b := range []*rowsOf{block(-1, 4, 5, 10, 4), block(2, 4, 5, 10, 4), block(1<<62, 4, 5, 10, 4), block(0, 11, 5, 10, 4), block(2, 1, 1, 1, 1), noBounds} {
					func() {
						defer func() {
							var index *ir.IndexError
							err, _ := recover().(error)
							require.True(t, errors.As(err, &index), "%v", err)
						}()
						b.call(t, on, m)
					}()
				}
				for at := range int64(3) {
					block(at, 4, 7, 12, 4).call(t, on, m)
					block(at, 400, 100, 1210, 400).call(t, on, m)
					block(at, 4, 70, 12, 4).call(t, on, m) // the first run has all
				}
			}
		}
	}
}
