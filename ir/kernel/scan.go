package kernel

import (
	"errors"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// The kernels that scans are made of. They are built in; no plan has them.

// ScanKernel returns the kernel that scans rows, of a chunk or a part of one:
//
//	kernel (u0:f32, s1:f32, s2:f64) { store cumsum(u0) cumsum(s1) cumsum(s2) }
//
// A unit operand that is scanned gives the results. A splat is a state of the row:
// it is read before and stored after. The first is the running value, which begins
// as the identity; the second, if there is one, is the carry of PartialType. Rounded
// it is combined with the running values to give the results; as it is, with the
// last one to give the carry of the next chunk. A state may be stored where it was
// read.
func ScanKernel(by ir.Op, d ir.DType, carries bool) *Kernel {
	scan := by.ScannedBy()
	k := &Kernel{In: []Operand{{DType: d}, {DType: d, Splat: true}}, Out: []Ref{0, 1}, Fold: []ir.Op{scan, scan}}
	if carries {
		k.In = append(k.In, Operand{DType: ir.PartialType(by, d), Splat: true})
		k.Out, k.Fold = append(k.Out, 2), append(k.Fold, scan)
	}
	k, _ = k.Canonical()
	return k
}

// CarryKernel returns the kernel that combines a carry of PartialType, one a row,
// with running values. Input i is the carry if order[i] is 0.
func CarryKernel(by ir.Op, d ir.DType) (k *Kernel, order []int) {
	b := NewBuilder(Operand{DType: ir.PartialType(by, d), Splat: true}, Operand{DType: d})
	b.Store(b.carried(by, d, 0, 1))
	return b.Kernel().Canonical()
}

// RowKernel returns the kernel that goes down one row: the first output is the
// running values combined with a row, the second those with the carries. Input i
// is the carries, the running values or the row as order[i] is 0, 1 or 2.
func RowKernel(by ir.Op, d ir.DType) (k *Kernel, order []int) {
	b := NewBuilder(Operand{DType: ir.PartialType(by, d)}, Operand{DType: d}, Operand{DType: d})
	run := b.Op(by, 1, 2)
	b.Store(run)
	b.Store(b.carried(by, d, 0, run))
	return b.Kernel().Canonical()
}

// DownRows is how many rows RowsKernel goes down.
const DownRows = 4

// RowsKernel returns the kernel that goes down DownRows rows: the first output is
// the running values combined with all of them, the others are those after each
// row, with the carries if there are some. Input i is the carries, the running
// values or a row as order[i] is 0, 1 or from 2 on.
func RowsKernel(by ir.Op, d ir.DType, carries bool) (k *Kernel, order []int) {
	in := slices.Repeat([]Operand{{DType: d}}, DownRows+1)
	if carries {
		in = slices.Insert(in, 0, Operand{DType: ir.PartialType(by, d)})
	}
	b := NewBuilder(in...)
	first := Ref(len(in) - DownRows)
	run, outs := first-1, []Ref(nil)
	for r := range Ref(DownRows) {
		run = b.Op(by, run, first+r)
		outs = append(outs, run)
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

// carried combines a carry with a running value.
func (b *Builder) carried(by ir.Op, d ir.DType, carry, run Ref) Ref {
	if b.DType(carry) != d {
		carry = b.Cast(d, carry)
	}
	return b.Op(by, carry, run)
}

// Scans reports whether the kernel is one of ScanKernel's.
func (k *Kernel) Scans() bool { return len(k.Fold) > 0 && k.Fold[0].Info().Kind == ir.Scan }

// checkScan returns an error unless a kernel that scans is one of ScanKernel's.
func (k *Kernel) checkScan() error {
	if n := len(k.In); n != 2 && n != 3 || len(k.Body) > 0 || len(k.Out) != n || len(k.Fold) != n {
		return errors.New("a kernel that scans has one unit operand and its states, and nothing else")
	}
	d, by := k.In[0].DType, k.Fold[0].Info().By
	if _, err := ir.Infer(k.Fold[0], ir.Attr{}, []ir.Type{{DType: d, Shape: ir.Shape{ir.Fixed(1)}}}); err != nil {
		return err
	}
	for i, in := range k.In {
		want := Operand{DType: d, Splat: i > 0}
		if i == 2 {
			want.DType = ir.PartialType(by, d)
		}
		if in != want || k.Out[i] != Ref(i) || k.Fold[i] != k.Fold[0] {
			return errors.New("a kernel that scans has a unit operand, the running value and perhaps the carry, and scans each")
		}
	}
	return nil
}
