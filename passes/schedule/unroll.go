package schedule

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// unrollAxis returns the step whose body computes all indices of an axis. Each index is a separate operand, except of an input
// that is the same for all. from says which operand of s each of its own is, the inputs first. The axis stays, with one index.
// The step is nil if it has too many operands.
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
