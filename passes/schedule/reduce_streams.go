package schedule

import (
	"cmp"
	"slices"

	"github.com/stridefuse/stridefuse/internal/few"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Row reductions that read two streams. Memory is read faster where two stretches of it alternate, vector
// by vector, than one after the other (Machine.StreamTime). So row i is reduced together with the one that
// is half of all rows behind it, by a kernel that has the body twice. An input that is the same for both is read
// once, so products with a vector are computed so from the caches, too: for two rows there are three loads, not four.
// The last one of an odd number of rows is reduced alone.

// reduceStreams is the strategy.
var reduceStreams = strategy{name: "two-stream-reduction", offer: offerStreams}

func offerStreams(t *target, step *plan.Step) (offer, string) {
	if len(step.In) < 2 && !slices.ContainsFunc(step.In, func(a plan.Access) bool { return t.far(a.Buffer) }) {
		return offer{}, "no input comes from memory, or is the same for all rows"
	}
	s, why := reduction(step)
	if why != "" {
		return offer{}, why
	}
	r := &rowWriter{t: t, draft: newDraft(t, step)}
	steps := []*plan.Step{s}
	if !r.multiChunk(s) {
		steps = r.chunks(s)
	}
	if why = t.streamsCan(steps[0]); why != "" {
		return offer{}, why
	}
	cost := t.StreamTime * t.RowCost(s)
	return offer{cost, func() (*Draft, string) {
		for _, one := range steps {
			if why := r.streams(one); why != "" {
				return nil, why
			}
		}
		r.draft.Choice.Cost = cost
		return r.draft, ""
	}}, ""
}

// streamsCan returns why two streams can't compute a step, whose row axis is the one before the last, or would not be
// faster, or "".
func (t *target) streamsCan(s *plan.Step) string {
	last, far, same := len(s.Axes)-1, 0, 0
	for _, a := range s.In {
		if a.Strides[last] != 1 {
			return "an input is not contiguous along the lines"
		}
		switch {
		case a.Strides[last-1] == 0:
			same++
		case t.far(a.Buffer):
			far++
		}
	}
	vector := far == 0 && same == 1 && len(s.In) == 2 && len(s.Body.Body) == 1 && s.Body.Body[0].Op == ir.OpMul // times rows from the caches
	switch {
	case s.Axes[last-1].Extent == 1:
		return "there is one row"
	case far != 1 && !vector:
		return "one input alone should come from memory, and differ from row to row, or be multiplied by one that does not"
	case slices.ContainsFunc(s.Out, func(o plan.Output) bool { return o.Stored() }):
		return "an output is stored"
	}
	return ""
}

// streams appends the parts of a step.
func (r *rowWriter) streams(s *plan.Step) (why string) {
	rows := s.Axes[len(s.Axes)-2].Extent
	half := rows / 2
	if rows%2 > 0 {
		r.from = nil
		if why = r.parts(lastRow(s)); why != "" || half == 0 {
			return why
		}
	}
	var two *plan.Step
	if two, r.from = twoStreams(s, half); two == nil {
		return "two rows have too many operands"
	}
	if c, why := r.whole(r.rows(two)); c == nil || c.engine == portable {
		return cmp.Or(why, "its kernel is not bound by memory")
	}
	return r.parts(two)
}

// twoStreams returns the step that reduces rows i and half+i of a step, for all i below half: that over two halves of so
// many rows, unrolled. from says which operand of s each of its own is. The step is nil if it has too many.
func twoStreams(s *plan.Step, half int) (two *plan.Step, from []int) {
	row := len(s.Axes) - 2
	halves := &plan.Step{Body: s.Body, Axes: few.Insert(slices.Clone(s.Axes), row, plan.Axis{Extent: 2}), Pos: s.Pos}
	halves.Axes[row+1].Extent = half
	halves.In, halves.Out = s.Over(len(halves.Axes), func(a *plan.Access, strides []int, _ *plan.Output) {
		copy(strides, a.Strides[:row])
		strides[row] = half * a.Strides[row]
		copy(strides[row+1:], a.Strides[row:])
	})
	return unrollAxis(halves, row)
}

// lastRow returns the step that reduces the last row of a step.
func lastRow(s *plan.Step) *plan.Step {
	one := &plan.Step{Body: s.Body, Axes: slices.Clone(s.Axes), Pos: s.Pos}
	row := len(s.Axes) - 2
	one.In, one.Out = s.Over(len(s.Axes), func(a *plan.Access, strides []int, _ *plan.Output) {
		copy(strides, a.Strides)
		a.Offset += (s.Axes[row].Extent - 1) * a.Strides[row]
	})
	one.Axes[row].Extent = 1
	return one
}
