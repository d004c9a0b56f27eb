package kernel

import (
	"errors"

	"github.com/stridefuse/stridefuse/ir"
)

// TransposeKernel returns the kernel that copies a block with its rows and columns
// exchanged: kernel (u0:u32) { t0 = permute u0; store t0 }. It is built in; no plan
// has it. Only the size of d matters: see BitsType.
//
// Rows and Cols are those of the output. In the frame, Step has for the input (0)
// the bytes from row to row, which are the output's columns, for the output (1) the
// same as ever, and at TransposeAcross what the constant says. The output overlaps
// no input, and an element of it may be stored more than once.
func TransposeKernel(d ir.DType) *Kernel {
	b := NewBuilder(Operand{DType: d})
	b.Store(b.Op(ir.OpPermute, 0))
	k, _ := b.Kernel().Canonical()
	return k
}

// TransposeAcross is a place in the Step of the frame of a TransposeKernel: the
// bytes from one element of an input row to the next. Rows that are contiguous go
// fast.
const TransposeAcross = 2

// Transposes reports whether the kernel is a TransposeKernel.
func (k *Kernel) Transposes() bool { return len(k.Body) > 0 && k.Body[0].Op == ir.OpPermute }

// checkTranspose returns an error unless a kernel that transposes does nothing
// else.
func (k *Kernel) checkTranspose() error {
	if len(k.Body) != 1 || len(k.In) != 1 || k.In[0].Splat || len(k.Out) != 1 || k.Out[0] != 1 || k.Fold != nil {
		return errors.New("a kernel that transposes has one unit operand and nothing else")
	}
	return nil
}
