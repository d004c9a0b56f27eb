package schedule

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// unrollAxis returns the step whose body computes all indices of an axis, of which each is an operand of its own; an
// input that is the same for all is one. from says which operand of s each of its own is, the inputs first. The axis stays,
// with one index. The step is nil if it has too many operands.
func unrollAxis(s *plan.Step, axis int) (out *plan.Step, from []int) {
	n, of := s.Axes[axis].Extent, len(s.In)
	out = &plan.Step{Axes: append([]plan.Axis(nil), s.Axes...), Pos: s.Pos}
	out.Axes[axis].Extent = 1
	at := func(a plan.Access, i int) plan.Access {
		a.Offset += i * a.Strides[axis]
		return a
	}
	body := &kernel.Kernel{Fast: s.Body.Fast}
	inputs := make([][]kernel.Ref, n) // of each index, those of s
	for k := range of {
		for i := range n {
			if i == 0 || s.In[k].Strides[axis] != 0 {
				body.In = append(body.In, s.Body.In[k])
				out.In, from = append(out.In, at(s.In[k], i)), append(from, k)
			}
			inputs[i] = append(inputs[i], kernel.Ref(len(body.In)-1))
		}
	}
	stored := make([][]kernel.Ref, len(s.Out))
	for i := range n {
		values := inputs[i]
		for _, in := range s.Body.Body {
			for k := range in.Arity() {
				in.Args[k] = values[in.Args[k]]
			}
			body.Body = append(body.Body, in)
			values = append(values, kernel.Ref(len(body.In)+len(body.Body)-1))
		}
		for o, r := range s.Body.Out {
			stored[o] = append(stored[o], values[r])
		}
	}
	for o := range s.Out {
		for i := range n {
			to := s.Out[o]
			to.Access = at(to.Access, i)
			body.Out = append(body.Out, stored[o][i])
			out.Out, from = append(out.Out, to), append(from, of+o)
		}
	}
	if out.Body = body; body.VerifyBody() != nil { // too many operands
		return nil, nil
	}
	return out, from
}

// unrolled returns a step that computes all indices of a short axis of s together, along which an operand is contiguous:
// the indices become members of an interleave group, as the channels of pixels that become planes. from says which operand of s each of its own is, the
// inputs first. The step is nil if s has no such axis.
func (t *target) unrolled(s *plan.Step) (out *plan.Step, from []int) {
	if !s.Elementwise() {
		return nil, nil
	}
	for k, a := range s.Axes {
		if a.Extent < 2 || a.Extent > kernel.MaxFactor || a.Extent*len(s.Body.Body) > t.UnrolledOps {
			continue
		}
		for col := range s.Axes {
			if col != k && s.Axes[col].Extent > 1 && exchanges(s, k, col) {
				return unrollAxis(s, k)
			}
		}
	}
	return nil, nil
}

// exchanges reports whether a step changes the order of two axes: an operand is interleaved, its members along axis, and
// another one is contiguous along col.
func exchanges(s *plan.Step, axis, col int) bool {
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
