//go:build (amd64 || arm64) && !purego

package lines

import (
	"sync"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Ragged rows of several columns: the assembly of column reductions adds their elements to a row of the output.

// rowsAtOnce is the number of rows that one call of a kernel adds.
const rowsAtOnce = 4

// registerRagged registers the kernels among all that combine ragged rows.
func registerRagged(all []*kernel.Micro) {
	var list []abi.Kernel
	for _, m := range all {
		if m.Kind == kernel.Ragged && !m.Op.Info().Weighted {
			list = append(list, abi.Kernel{Sig: m.Signature(), Fn: raggedWide(m)})
		}
	}
	abi.RegisterBuiltin(rowEngine, list)
}

// accumulator is a kernel that adds some rows to a row of the output, with the sources of its operands.
type accumulator struct {
	fn   func(*abi.Frame)
	rows int
	from []kernel.Source // the row of the output is the one behind the operands of the body
}

// raggedWide returns the function that combines ragged rows. It uses kernels for rows of several columns, if they exist.
func raggedWide(m *kernel.Micro) func(*abi.Frame) {
	other, by := raggedOf(m), m.Op.Info().By
	b := kernel.NewBuilder(kernel.Operand{DType: m.Type})
	b.Store(0)
	body := b.Kernel()
	neutral := ir.EmptyReduction(by, m.Type)
	kernels := sync.OnceValue(func() (list []accumulator) {
		for _, rows := range []int{rowsAtOnce, 1} {
			k, from := body.Accumulate([]ir.Op{by}, rows, func(int) bool { return false })
			if k == nil {
				continue
			}
			if fn, ok := abi.Lookup(rowEngine, k.Signature()); ok {
				list = append(list, accumulator{fn, rows, from})
			}
		}
		return list
	})
	return func(f *abi.Frame) {
		if list := kernels(); f.Cols < wideRow || len(list) == 0 || list[len(list)-1].rows > 1 {
			other(f)
		} else {
			w := wideRows{f: f, kernels: list, call: *f, size: m.Type.Size(), neutral: neutral}
			w.combine()
		}
	}
}

// wideRows is a call for rows of several columns.
type wideRows struct {
	f       *abi.Frame
	call    abi.Frame
	kernels []accumulator // for fewer and fewer rows, the last one for one
	size    int           // of an element
	neutral uint64
}

// combine computes each row of the output. It changes the frame of the call, and restores it at the end.
func (w *wideRows) combine() {
	call := &w.call
	extent := call.Step[5]
	checkOffsets(call, call.Step[6], extent)
	defer func() { *w.f = *call }()
	w.f.Rows = 1
	for r := range call.Rows {
		begin, end := raggedRow(call, r, extent)
		out := unsafe.Add(call.Ptr[4], r*call.Step[4])
		w.fill(out)
		for _, k := range w.kernels {
			for ; begin+k.rows <= end; begin += k.rows {
				p := &w.f.Ptr
				for i, s := range k.from {
					p[i] = out
					if s.In == 0 {
						p[i] = unsafe.Add(call.Ptr[0], (begin+s.Row)*call.Step[0])
					}
				}
				p[len(k.from)] = out
				k.fn(w.f)
			}
		}
	}
}

// fill stores the result of a row without elements.
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
