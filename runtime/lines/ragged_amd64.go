//go:build amd64 && !purego

package lines

import (
	"sync"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Ragged rows of several columns for AVX2: the kernels of column reductions add rows of the table, or
// their products, to a row of the output.

// rowsAtOnce is how many rows one call of a kernel adds.
const rowsAtOnce = 4

func init() {
	var list []abi.Kernel
	for _, m := range kernel.LineKernels() {
		if m.Kind == kernel.Ragged {
			list = append(list, abi.Kernel{Sig: m.Signature(), Fn: raggedWide(m)})
		}
	}
	abi.Register(abi.ABI2, abi.AVX2, list)
}

// accumulator is a kernel that adds some rows to a row of the output, and what its operands are.
type accumulator struct {
	fn   func(*abi.Frame)
	rows int
	from []kernel.Source // the row of the output is the one behind the operands of the body
}

// raggedWide returns the function that combines ragged rows: those of several columns by kernels, if
// there are.
func raggedWide(m *kernel.Micro) func(*abi.Frame) {
	other, products, by := raggedOf(m), m.Op.Info().Weighted, m.Op.Info().By
	operands := []kernel.Operand{{DType: m.Type}, {DType: m.Type, Splat: true}}
	b := kernel.NewBuilder(operands[:1]...)
	if products {
		b = kernel.NewBuilder(operands...)
		b.Store(b.Op(ir.OpMul, 0, 1))
	} else {
		b.Store(0)
	}
	body := b.Kernel()
	neutral := ir.EmptyReduction(by, m.Type)
	kernels := sync.OnceValue(func() (list []accumulator) {
		for _, rows := range []int{rowsAtOnce, 1} {
			k, from := body.Accumulate([]ir.Op{by}, rows, func(int) bool { return false })
			if k == nil {
				continue
			}
			if fn, ok := abi.Lookup(abi.AVX2, k.Signature()); ok {
				list = append(list, accumulator{fn, rows, from})
			}
		}
		return list
	})
	return func(f *abi.Frame) {
		if list := kernels(); f.Cols < wideRow || len(list) == 0 || list[len(list)-1].rows > 1 {
			other(f)
		} else {
			w := wideRows{f: f, kernels: list, call: *f, products: products, size: m.Type.Size(), neutral: neutral}
			w.combine()
		}
	}
}

// wideRows is a call for rows of several columns.
type wideRows struct {
	f        *abi.Frame
	call     abi.Frame
	kernels  []accumulator // that add fewer and fewer rows, at last one
	products bool
	size     int // of an element
	neutral  uint64
}

// combine computes each row of the output, with the frame of the call, which it restores.
func (w *wideRows) combine() {
	call := &w.call
	outAt, count, extent := 4, call.Step[5], call.Step[5]
	offsets := call.Step[6]
	if w.products {
		outAt, count, extent, offsets = 6, call.Step[9], call.Step[7], call.Step[8]
	}
	checkOffsets(call, offsets, count)
	defer func() { *w.f = *call }()
	w.f.Rows = 1
	lines := 0 // of each row, that are prefetched
	if step := call.Step[0]; w.products && max(step, -step) >= farBytes/max(1, extent) {
		lines = min((call.Cols*w.size-1)/cacheLine+1, prefetchedLines)
	}
	for r := range call.Rows {
		begin, end := raggedRow(call, r, count)
		out := unsafe.Add(call.Ptr[outAt], r*call.Step[outAt])
		w.fill(out)
		for _, k := range w.kernels {
			for ; begin+k.rows <= end; begin += k.rows {
				if next := begin + rowsAhead; lines > 0 && next+k.rows <= count {
					prefetchRows(call.Ptr[0], unsafe.Add(call.Ptr[4], next*call.Step[4]), call.Step[0], call.Step[4], k.rows, lines)
				}
				p := &w.f.Ptr
				for i, s := range k.from {
					e := begin + s.Row
					switch {
					case s.In == 0 && w.products:
						p[i] = unsafe.Add(call.Ptr[0], index[int64](call.Ptr[4], call.Step[4], e, extent)*call.Step[0])
					case s.In == 0:
						p[i] = unsafe.Add(call.Ptr[0], e*call.Step[0])
					case s.In == 1 && w.products:
						p[i] = unsafe.Add(call.Ptr[5], e*call.Step[5])
					default:
						p[i] = out
					}
				}
				p[len(k.from)] = out
				k.fn(w.f)
			}
		}
	}
}

// fill stores what a row without elements is combined to.
func (w *wideRows) fill(out unsafe.Pointer) {
	row := unsafe.Slice((*byte)(out), w.f.Cols*w.size)
	if w.neutral == 0 {
		clear(row)
		return
	}
	for c := range row {
		row[c] = byte(w.neutral >> (8 * (c % w.size)))
	}
}
