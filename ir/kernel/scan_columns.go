package kernel

import (
	"slices"
	"sync"

	"github.com/stridefuse/stridefuse/ir"
)

// The elementwise kernels of column scans, and of the carries of all scans. Scans of rows are
// the micro-kernel ScanRows.

// CarryKernel returns the kernel that combines running values with a carry, one element of PartialType for each row. Input i
// is the carry if order[i] is 0.
func CarryKernel(by ir.Op, d ir.DType) (k *Kernel, order []int) {
	b := NewBuilder(Operand{DType: ir.PartialType(by, d), Splat: true}, Operand{DType: d})
	b.Store(b.carried(by, d, 0, 1))
	return b.Kernel().Canonical()
}

// NextCarryKernel returns the kernel that combines a row of carries with the last running values of a chunk. Input i is the
// carries if order[i] is 0.
func NextCarryKernel(by ir.Op, d ir.DType) (k *Kernel, order []int) {
	wide := ir.PartialType(by, d)
	b := NewBuilder(Operand{DType: wide}, Operand{DType: d})
	b.Store(b.Op(by, 0, b.as(wide, 1)))
	return b.Kernel().Canonical()
}

// RowKernel returns the kernel that adds one row to a column scan. Its first output is the running values combined with the row,
// its second output is the first combined with the carries. Input i is the carries if order[i] is 0, the running values if it
// is 1, and the row if it is 2. A scan in order has no carries.
func RowKernel(by ir.Op, d ir.DType) (k *Kernel, order []int) {
	return rowsKernel(by, d, 1, !ir.ScansInOrder(by, d))
}

// ColumnScanRows is the number of rows that RowsKernel adds.
const ColumnScanRows = 4

// RowsKernel returns the kernel that adds ColumnScanRows rows to a column scan. Its first output is the running values combined
// with all rows. The others are the running values after each row, combined with the carries if there are any. Input i is the
// carries if order[i] is 0, the running values if it is 1, and row order[i]-2 otherwise.
func RowsKernel(by ir.Op, d ir.DType, carries bool) (k *Kernel, order []int) {
	return rowsKernel(by, d, ColumnScanRows, carries)
}

// rowsKernel is RowsKernel for any number of rows. Running values are of RunType.
func rowsKernel(by ir.Op, d ir.DType, rows int, carries bool) (k *Kernel, order []int) {
	state := ir.RunType(by, d)
	in := append([]Operand{{DType: state}}, slices.Repeat([]Operand{{DType: d}}, rows)...)
	if carries {
		in = slices.Insert(in, 0, Operand{DType: ir.PartialType(by, d)})
	}
	b := NewBuilder(in...)
	first := Ref(len(in) - rows)
	run, outs := first-1, []Ref(nil)
	for r := range Ref(rows) {
		run = b.Op(by, run, b.as(state, first+r))
		outs = append(outs, b.as(d, run))
		if carries {
			outs[r] = b.carried(by, d, 0, run)
		}
	}
	for _, out := range append([]Ref{run}, outs...) {
		b.Store(out)
	}
	k, order = b.Kernel().Canonical()
	if !carries {
		for i := range order {
			order[i]++
		}
	}
	return k, order
}

// OfScans reports whether scans call a kernel: CarryKernel, NextCarryKernel or RowKernel of some op and type. Tilings can replace
// other kernels of several operations.
func OfScans(k *Kernel) bool { return ofScans()[k.Signature()] }

var ofScans = sync.OnceValue(func() map[string]bool {
	of := map[string]bool{}
	for _, by := range ScanRows.Ops() {
		for _, d := range (by.Info().Domain & ir.Native).List() {
			kernels := []func(ir.Op, ir.DType) (*Kernel, []int){RowKernel}
			if !ir.ScansInOrder(by, d) {
				kernels = append(kernels, CarryKernel, NextCarryKernel)
			}
			for _, f := range kernels {
				k, _ := f(by, d)
				of[k.Signature()] = true
			}
		}
	}
	return of
})

// carried combines a carry with a running value.
func (b *Builder) carried(by ir.Op, d ir.DType, carry, run Ref) Ref {
	return b.Op(by, b.as(d, carry), run)
}

// as converts a value to another type.
func (b *Builder) as(d ir.DType, v Ref) Ref {
	if b.DType(v) == d {
		return v
	}
	return b.Cast(d, v)
}
