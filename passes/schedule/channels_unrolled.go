package schedule

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// unrolled returns a step that computes all indices of a short axis of s together, along which an operand is contiguous:
// channels become operands, as those of pixels that become planes. from says which operand of s each of its own is, the
// inputs first. The step is nil if s has no such axis.
func (t *target) unrolled(s *plan.Step) (out *plan.Step, from []int) {
	if !s.Elementwise() {
		return nil, nil
	}
	for k, a := range s.Axes {
		if a.Extent < 2 || a.Extent > kernel.MaxChannels || a.Extent*len(s.Body.Body) > t.UnrolledOps {
			continue
		}
		for col := range s.Axes {
			if col != k && s.Axes[col].Extent > 1 && alternates(s, k, col) {
				return unrollAxis(s, k)
			}
		}
	}
	return nil, nil
}

// alternates reports whether an operand has elements along an axis that alternate with those along another one, col, and
// one is contiguous along col: then copies would exchange the axes.
func alternates(s *plan.Step, axis, col int) bool {
	interleaved, contiguous := false, false
	for a := range s.Accesses() {
		if a.Panel != nil {
			return false
		}
		interleaved = interleaved || a.Strides[axis] == 1 && a.Strides[col] == s.Axes[axis].Extent
		contiguous = contiguous || a.Strides[col] == 1 && a.Strides[axis] != 0
	}
	return interleaved && contiguous
}
