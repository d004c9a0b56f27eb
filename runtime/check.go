package runtime

import (
	"errors"
	"fmt"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// checkStep returns the bytes that a step of a plan reads from memory and writes
// to it, or what is wrong with it. The plan may come from anywhere: no step that
// passes touches memory outside its buffers. one is the step for one block of
// rows if it is of a row group, and else the step.
func (l *Linked) checkStep(in, one *plan.FlatStep) (read, written int, err error) {
	if in.Kernel == nil {
		return 0, 0, errors.New("it has no kernel")
	}
	if err := in.Kernel.Verify(); err != nil {
		return 0, 0, err
	}
	ins := len(in.Kernel.In)
	if n := ins + len(in.Kernel.Out); len(in.Operands) != n {
		return 0, 0, fmt.Errorf("%d operands for a kernel of %d", len(in.Operands), n)
	}
	if len(in.Extents) < 2 || len(in.Extents) > layout.MaxRank+2 {
		return 0, 0, fmt.Errorf("%d axes: there must be 2 to %d", len(in.Extents), layout.MaxRank+2)
	}
	elems, err := layout.NumElems(in.Extents)
	if err != nil {
		return 0, 0, err
	}
	if elems > 0 && (in.Rows < 1 || in.Cols < 1) {
		return 0, 0, fmt.Errorf("blocks of %d x %d elements", in.Rows, in.Cols)
	}
	for o := range in.Operands {
		bytes, err := l.checkAccess(in, one, o, elems)
		switch {
		case err != nil && o < ins:
			return 0, 0, fmt.Errorf("operand %d: %w", o, err)
		case err != nil:
			return 0, 0, fmt.Errorf("output %d: %w", o-ins, err)
		case o >= ins:
			written += bytes
		case !in.Accumulates(o):
			read += bytes
		}
	}
	if err = in.CheckScan(); err == nil && in.Down && in.Scan == plan.NoScan {
		err = in.CheckDown()
	}
	if err == nil {
		err = in.CheckDot()
	}
	return read, written, err
}

// checkAccess returns the bytes of memory that an operand covers, each element
// counted once.
func (l *Linked) checkAccess(in, one *plan.FlatStep, o, elems int) (bytes int, err error) {
	a, isOut := in.Operands[o], o >= len(in.Kernel.In)
	if len(a.Strides) != len(in.Extents) {
		return 0, fmt.Errorf("%d strides for %d axes", len(a.Strides), len(in.Extents))
	}
	if a.Buffer < 0 || a.Buffer >= len(l.buffers) {
		return 0, fmt.Errorf("buffer %d does not exist", a.Buffer)
	}
	b := &l.buffers[a.Buffer]
	dt := ir.Invalid
	if isOut {
		dt = in.Kernel.OutType(o - len(in.Kernel.In))
	} else {
		dt = in.Kernel.In[o].DType
	}
	if b.dtype != dt {
		return 0, fmt.Errorf("buffer %d holds %s, the kernel has %s", a.Buffer, b.dtype, dt)
	}
	if elems == 0 {
		return 0, nil
	}
	reach := in.Reach(o)
	if b.kind == plan.ScratchBuffer {
		reach = one.Reach(o)
	}
	if lo, hi := (layout.Layout{Shape: reach, Strides: a.Strides, Offset: a.Offset}).Bounds(); lo < b.lo || hi > b.hi {
		return 0, fmt.Errorf("locations %d to %d of buffer %d, which has %d to %d", lo, hi, a.Buffer, b.lo, b.hi)
	}
	bytes = b.size
	for k, n := range reach {
		if n > 1 && a.Strides[k] != 0 {
			bytes *= n
		} else if n > 1 && isOut {
			return 0, fmt.Errorf("axis %d writes the same elements %d times", k, n)
		}
	}
	last := len(reach) - 1
	stored := isOut && (in.Scan != plan.NoScan || in.Kernel.FoldOf(o-len(in.Kernel.In)) == ir.OpInvalid)
	switch wide := reach[last] > 1; {
	case isOut && b.kind.ReadOnly():
		return 0, fmt.Errorf("a write to buffer %d, a %s", a.Buffer, b.kind)
	case !isOut && in.Kernel.In[o].Splat && wide && a.Inner() != 0:
		return 0, fmt.Errorf("stride %d along the columns for a splat", a.Inner())
	case stored && wide && a.Inner() != 1:
		return 0, fmt.Errorf("stride %d along the columns of an output: it must be 1", a.Inner())
	case b.kind == plan.ScratchBuffer:
		return 0, nil // stays in the cache
	}
	return bytes, nil
}
