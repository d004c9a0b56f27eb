package ir

import (
	"errors"
	"slices"
)

// The kernels that scans are made of. They are built in; no plan has them.

// ScanKernel returns the kernel that stores the running values of rows of at
// most FoldChunk elements: kernel (u0:f32) { store cumsum(u0) }.
func ScanKernel(scan Op, d DType) *Kernel {
	k := &Kernel{In: []Operand{{DType: d}}, Out: []Ref{0}, Fold: []Op{scan}}
	k, _ = k.Canonical()
	return k
}

// CarryKernel returns the kernel that combines a carry of PartialType, one a row,
// with running values. Input i is the carry if order[i] is 0.
func CarryKernel(by Op, d DType) (k *Kernel, order []int) {
	b := NewBuilder(Operand{DType: PartialType(by, d), Splat: true}, Operand{DType: d})
	b.Store(b.carried(by, d, 0, 1))
	return b.Kernel().Canonical()
}

// RowKernel returns the kernel that goes down one row: the first output is the
// running values combined with a row, the second those with the carries. Input i
// is the carries, the running values or the row as order[i] is 0, 1 or 2.
func RowKernel(by Op, d DType) (k *Kernel, order []int) {
	b := NewBuilder(Operand{DType: PartialType(by, d)}, Operand{DType: d}, Operand{DType: d})
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
func RowsKernel(by Op, d DType, carries bool) (k *Kernel, order []int) {
	in := slices.Repeat([]Operand{{DType: d}}, DownRows+1)
	if carries {
		in = slices.Insert(in, 0, Operand{DType: PartialType(by, d)})
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
func (b *Builder) carried(by Op, d DType, carry, run Ref) Ref {
	wide := PartialType(by, d)
	if wide == d {
		return b.Op(by, carry, run)
	}
	return b.Cast(d, b.Op(by, carry, b.Cast(wide, run)))
}

// Scans reports whether the kernel is one of ScanKernel's.
func (k *Kernel) Scans() bool { return len(k.Fold) > 0 && k.Fold[0].Info().Kind == Scan }

// checkScan returns an error unless a kernel that scans does nothing else.
func (k *Kernel) checkScan() error {
	if len(k.In) != 1 || k.In[0].Splat || len(k.Body) > 0 || len(k.Out) != 1 || len(k.Fold) != 1 {
		return errors.New("a kernel that scans has one unit operand and nothing else")
	}
	_, err := inferAlong(k.Fold[0], Attr{}, Type{k.In[0].DType, Shape{Fixed(1)}})
	return err
}
