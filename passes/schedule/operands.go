package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// class is the layout of an operand's elements along the columns of calls. Kernels take unit and splat operands; others are
// copied into local memory first.
type class uint8

// The classes.
const (
	unit       class = iota // contiguous
	splat                   // one element for all columns
	strided                 // apart
	transposed              // strided, and closer together along the rows
)

// operand is an input or output of a step, without its place in memory.
type operand struct {
	class    class
	dtype    ir.DType
	row, col int // strides, 0 along an axis of at most one index
}

// size returns the bytes of an element.
func (o *operand) size() int { return o.dtype.Size() }

// strideAlong returns the stride of an access along an axis of a step, 0 if the axis has at most one index.
func strideAlong(s *plan.Step, a *plan.Access, axis int) int {
	if s.Axes[axis].Extent <= 1 {
		return 0
	}
	return a.Strides[axis]
}

// classify returns the class of an access, for a strategy that takes two axes of a step for the rows and the columns of its
// calls. Along columns of one index the class follows from the stride, so that the kernel does not depend on the extents.
func classify(s *plan.Step, a *plan.Access, d ir.DType, row, col int) operand {
	o := operand{dtype: d, row: strideAlong(s, a, row), col: strideAlong(s, a, col)}
	switch {
	case a.Strides[col] == 0:
		o.class = splat
	case o.col == 0 || o.col == 1:
		o.class = unit
	case o.row != 0 && abs(o.row) < abs(o.col):
		o.class = transposed
	default:
		o.class = strided
	}
	return o
}

// operandsOf returns the classes of a step's inputs, then its outputs, or why no strategy for such a step takes an access.
func operandsOf(s *plan.Step, row, col int) (ops []operand, why string) {
	ops = make([]operand, 0, len(s.In)+len(s.Out))
	for i := range s.In {
		a := &s.In[i]
		if why = plain(a); why != "" {
			return nil, why
		}
		ops = append(ops, classify(s, a, s.Body.In[i].DType, row, col))
	}
	for i := range s.Out {
		a := &s.Out[i].Access
		if why = plain(a); why != "" {
			return nil, why
		}
		ops = append(ops, classify(s, a, s.Body.OutType(i), row, col))
	}
	return ops, ""
}

// plain returns why an access is not described by strides only, or "".
func plain(a *plan.Access) string {
	if a.Panel != nil {
		return "an operand is in panels"
	}
	return ""
}

// withClasses returns the canonical kernel of a body with the given inputs as splats, and the input of the body that each of
// the kernel's is. It writes the body with them into space.
func withClasses(space, body *kernel.Kernel, splats []bool) (k *kernel.Kernel, order []int) {
	in, same := space.In[:0], true
	for i, o := range body.In {
		same = same && o.Splat == splats[i]
		in = append(in, kernel.Operand{DType: o.DType, Splat: splats[i]})
	}
	if same {
		return body.Canonical()
	}
	*space = *body
	space.In = in
	return space.Canonical()
}

func abs(n int) int { return max(n, -n) }
