//go:build (amd64 || arm64) && !purego

package lines

import (
	"sync"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Combinations of rows: the assembly of the built-in kernel of two operands combines each row.

// wideRow is the least number of columns of a row that is combined by a kernel. Calling one takes some nanoseconds.
const wideRow = 8

// registerScatter registers the kernels among all that combine rows with those at their indices.
func registerScatter(all []*kernel.Micro) {
	var list []abi.Kernel
	for _, m := range all {
		switch {
		case m.Kind == kernel.Scatter && !m.Op.MovesBits():
			list = append(list, abi.Kernel{Sig: m.Signature(), Fn: scatterRows[int64](m)})
		case m.Kind == kernel.ScatterBytes:
			list = append(list, abi.Kernel{Sig: m.Signature(), Fn: scatterRows[uint8](m)})
		}
	}
	abi.RegisterBuiltin(rowEngine, list)
}

// scatterRows returns the function that combines rows with those at their indices. It uses a kernel for wide rows, if there is one.
func scatterRows[I position](m *kernel.Micro) func(*abi.Frame) {
	other := scatterOf[I](m)
	combine := sync.OnceValue(func() func(*abi.Frame) {
		fn, _ := abi.Lookup(rowEngine, combinerOf(m.Op.Info().By, m.Type))
		return fn
	})
	return func(f *abi.Frame) {
		if f.Cols < wideRow || combine() == nil {
			other(f)
			return
		}
		combineRows[I](f, combine())
	}
}

// combinerOf returns the signature of the kernel that combines the elements of two operands.
func combinerOf(by ir.Op, d ir.DType) string {
	b := kernel.NewBuilder(kernel.Operand{DType: d}, kernel.Operand{DType: d})
	b.Store(b.Op(by, 0, 1))
	k, _ := b.Kernel().Canonical()
	return k.Signature()
}

// combineRows calls a kernel for each row. It changes the frame of the call, and restores it at the end.
func combineRows[I position](f *abi.Frame, combine func(*abi.Frame)) {
	rows, at, from, to := f.Rows, f.Ptr[0], f.Ptr[1], f.Ptr[2]
	defer func() { f.Rows, f.Ptr[0], f.Ptr[1], f.Ptr[2] = rows, at, from, to }()
	f.Rows = 1
	for r := range rows {
		row := unsafe.Add(to, lineIndex[I](at, f.Step[0], r, f.Step[3])*f.Step[2])
		f.Ptr[0], f.Ptr[1], f.Ptr[2] = row, unsafe.Add(from, r*f.Step[1]), row
		combine(f)
	}
}
