package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

// longest is how many columns a long row has at most, so that a block has two.
const longest = blockElements / 2

// longRows folds rows of several whole chunks each that lie one behind the other:
// all chunks of a block are the rows of one kernel call, which reads memory in
// long stretches. What they give is row after row; the plan has it chunk after
// chunk, so it goes through scratch and is transposed.
type longRows struct {
	chunks int // of a row
	outs   []turn
}

// hasLongRows reports whether a step that folds its columns is of that kind.
func hasLongRows(in *plan.FlatStep) bool {
	last := len(in.Extents) - 1
	rows, cols := in.Extents[last-1], in.Extents[last]
	if rows == 1 || cols <= ir.FoldChunk || cols > longest || cols%ir.FoldChunk > 0 {
		return false
	}
	for i, o := range in.Operands {
		row, col := o.Strides[last-1], o.Inner()
		switch {
		case i >= len(in.Kernel.In):
			if !folded(in, i) || row != 1 {
				return false
			}
		case row != cols*col || col != 1 && !in.Kernel.In[i].Splat:
			return false
		}
	}
	return true
}

func newLongRows(s *step, cols int) *longRows {
	l := &longRows{chunks: cols / ir.FoldChunk}
	for i, o := range s.operands[s.ins:] {
		l.outs = append(l.outs, turn{operand: s.ins + i, across: o.size, next: l.chunks * o.size})
	}
	return l
}

// link finds the kernels that transpose, and gives the results of a block their
// places behind what else is in scratch.
func (l *longRows) link(s *step, f finder) (err error) {
	for i := range l.outs {
		t := &l.outs[i]
		o := &s.operands[t.operand]
		if t.kernel, err = findTranspose(o, f); err != nil {
			return err
		}
		t.at = (s.scratch + memory.Alignment - 1) &^ (memory.Alignment - 1)
		s.scratch = t.at + s.blockRows*l.chunks*o.size
	}
	return nil
}

// run folds the lane's block.
func (l *longRows) run(ln *lane, s *step) {
	b, f := &ln.block, &ln.inner
	f.Rows, f.Cols = b.Rows*l.chunks, ir.FoldChunk
	for i := range s.operands {
		f.Ptr[i], f.Step[i] = b.Ptr[i], ir.FoldChunk*s.operands[i].colStep
	}
	for _, t := range l.outs {
		f.Ptr[t.operand], f.Step[t.operand] = unsafe.Pointer(&ln.scratch[t.at]), s.operands[t.operand].size
	}
	s.call(ln, f)
	for _, t := range l.outs {
		o := &s.operands[t.operand]
		transpose(t.kernel, &ln.many, b.Ptr[t.operand], o.colStep, unsafe.Pointer(&ln.scratch[t.at]), l.chunks, b.Rows, o.size, t.across, t.next)
	}
}
