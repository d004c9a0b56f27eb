package kernel

import (
	"errors"
	"slices"
)

// Kernels that fold down. A line is not along the columns, as elsewhere, but down
// the rows of the unit operands, so that a vector has one element each of several
// lines: the lanes of ReduceRow need no memory, and no sums across a vector. They are
// built in; no plan has them.
//
//	kernel down (s0:f32, u1:f32) { t0 = sub s0 u1; t1 = mul t0 t0; store add(t1) }
//
// Rows and Cols are those of the output, and Cols is at least DownCols. The line of
// the element at (r, c) takes from a unit operand the elements of its column c, the
// same for all r, and from a splat operand those of its row r, which are contiguous.
// In the frame, Step has for unit operands the bytes from one element of a line to
// the next, for splats and the output those from row to row as ever, and the field
// length, how many elements a line has: 1 to ReduceChunk. The output overlaps no input,
// and an element of it may be stored more than once.
const DownCols = 16

// DownKernel returns the kernel that folds down by the body of one that folds its
// columns, or nil if there is none. Input i is a splat if splat(i), and has place
// order[i] in the body given: Canonical says so of both.
func (k *Kernel) DownKernel(splat func(int) bool) (down *Kernel, order []int) {
	down = &Kernel{In: slices.Clone(k.In), Body: k.Body, Out: k.Out, Fold: k.Fold, Down: true}
	for i := range down.In {
		down.In[i].Splat = splat(i)
	}
	if down.Verify() != nil {
		return nil, nil
	}
	return down.Canonical()
}

// checkDown returns an error unless ReduceColumns is made for the kernel.
func (k *Kernel) checkDown() error {
	if len(k.Fold) != 1 {
		return errors.New("a kernel that folds down has one output, which it folds")
	}
	return (&Micro{Row: ReduceColumns, Op: k.Fold[0], Body: k.elementwise()}).Verify()
}

// unitNeeded reports whether the first output comes from a unit operand.
func (k *Kernel) unitNeeded() bool {
	for i, need := range k.needed()[:len(k.In)] {
		if need && !k.In[i].Splat {
			return true
		}
	}
	return false
}
