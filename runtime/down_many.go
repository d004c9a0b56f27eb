package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// manyRows is how many rows of a lane a kernel takes in one go, if there is one
// that does: the accumulators are then loaded and stored a quarter as often.
const manyRows = 4

// many is the kernel of a down step for manyRows rows.
type many struct {
	fn   func(*abi.Frame)
	args []manyArg
}

// manyArg is an operand: one of the step, in one of the rows.
type manyArg struct {
	operand, row int
}

// findMany looks for the step's kernel for many rows.
func (d *down) findMany(s *step, f finder) {
	k, args := d.manyKernel(s)
	if k == nil || s.fn == nil {
		return
	}
	k, order := k.Canonical()
	fn, on, err := f.find(k.Signature())
	if err != nil || on.String() != s.engine {
		return
	}
	d.many = &many{fn: fn}
	for _, from := range order {
		d.many.args = append(d.many.args, args[from])
	}
	for _, a := range d.accs {
		d.many.args = append(d.many.args, manyArg{operand: a.out})
	}
}

// manyKernel returns a kernel that does to the accumulators what the step's does
// in several rows, one after the other, and what its operands are. It is nil if
// the step's stores something besides or the kernel has too many operands.
func (d *down) manyKernel(s *step) (*kernel.Kernel, []manyArg) {
	var args []manyArg
	var operands []kernel.Operand
	at := make([]kernel.Ref, manyRows*s.ins)
	for i := range s.ins {
		rows := manyRows
		if o := &s.operands[i]; o.accumulates || o.rowStep == 0 {
			rows = 1
		}
		for r := range manyRows {
			if r < rows {
				args, operands = append(args, manyArg{i, r}), append(operands, s.kernel.In[i])
			}
			at[r*s.ins+i] = kernel.Ref(len(args) - 1)
		}
	}
	k := &kernel.Kernel{In: operands, Fast: s.kernel.Fast}
	value := make([]kernel.Ref, s.ins+len(s.kernel.Body))
	acc := make([]kernel.Ref, len(s.operands)) // by the operand: what it is so far
	for r := range manyRows {
		copy(value, at[r*s.ins:][:s.ins])
		for _, a := range d.accs {
			if r > 0 {
				value[a.in] = acc[a.in]
			}
		}
		for j, in := range s.kernel.Body {
			for i := range in.Arity() {
				in.Args[i] = value[in.Args[i]]
			}
			value[s.ins+j] = kernel.Ref(len(operands) + len(k.Body))
			k.Body = append(k.Body, in)
		}
		for _, a := range d.accs {
			acc[a.in] = value[s.kernel.Out[a.out-s.ins]]
		}
	}
	for _, a := range d.accs {
		k.Out = append(k.Out, acc[a.in])
	}
	if len(d.accs) < len(s.kernel.Out) || k.Verify() != nil {
		return nil, nil
	}
	return k, args
}

// call takes rows of the block, from the given one on, where the frame says what
// the accumulators are and how far apart its rows are.
func (m *many) call(ln *lane, s *step, row, by, rows, cols int) {
	f := &ln.many
	for j, a := range m.args {
		o := &s.operands[a.operand]
		if o.accumulates {
			f.Ptr[j], f.Step[j] = ln.inner.Ptr[a.operand], ln.inner.Step[a.operand]
		} else {
			f.Ptr[j] = unsafe.Add(ln.block.Ptr[a.operand], (row+a.row*ir.FoldLanes)*o.rowStep)
			f.Step[j] = by * o.rowStep
		}
	}
	f.Rows, f.Cols = rows, cols
	call(m.fn, f)
}
