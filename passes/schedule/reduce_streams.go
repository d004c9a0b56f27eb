package schedule

import (
	"cmp"
	"slices"

	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Row reductions that read two streams. Memory is read faster where two stretches of it alternate, vector
// by vector, than one after the other (Machine.StreamTime). So row i is reduced together with the one that
// is half of all rows behind it, by a kernel that has the body twice. An input that is the same for both is read
// once. The last one of an odd number of rows is reduced alone.

// reduceStreams is the strategy.
var reduceStreams = strategy{name: "two-stream-reduction", offer: offerStreams}

func offerStreams(t *target, step *plan.Step) (offer, string) {
	if !slices.ContainsFunc(step.In, func(a plan.Access) bool { return t.far(a.Buffer) }) {
		return offer{}, "no input comes from memory"
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
	last, far := len(s.Axes)-1, 0
	for _, a := range s.In {
		if a.Strides[last] != 1 {
			return "an input is not contiguous along the lines"
		}
		if t.far(a.Buffer) && a.Strides[last-1] != 0 {
			far++
		}
	}
	switch {
	case s.Axes[last-1].Extent == 1:
		return "there is one row"
	case far != 1:
		return "one input alone should come from memory, and differ from row to row"
	case slices.ContainsFunc(s.Out, func(o plan.Output) bool { return o.Stored() }):
		return "an output is stored"
	}
	return ""
}

// streams appends the parts of a step.
func (r *rowWriter) streams(s *plan.Step) (why string) {
	rows := s.Axes[len(s.Axes)-2].Extent
	if half := rows / 2; half > 0 {
		two := twoStreams(s, half)
		if two.Step == nil {
			return "two rows have too many operands"
		}
		if c, why := r.whole(r.rows(two.Step)); c == nil || c.engine == portable {
			return cmp.Or(why, "its kernel is not bound by memory")
		}
		if why = r.take(two); why != "" {
			return why
		}
	}
	if rows%2 > 0 {
		why = r.take(lastRow(s))
	}
	return why
}

// streams is a step over some of the rows of another one, whose operands are among those of that.
type streams struct {
	*plan.Step
	operands []int
}

// twoStreams returns the step that reduces rows i and half+i of a step, for all i below half: that over two halves of so
// many rows, unrolled. It has no step if there are too many operands.
func twoStreams(s *plan.Step, half int) streams {
	row := len(s.Axes) - 2
	halves := &plan.Step{Body: s.Body, Axes: slices.Insert(slices.Clone(s.Axes), row, plan.Axis{Extent: 2}), Pos: s.Pos}
	halves.Axes[row+1].Extent = half
	halves.In, halves.Out = s.Over(len(halves.Axes), func(a *plan.Access, strides []int, _ *plan.Output) {
		copy(strides, a.Strides[:row])
		strides[row] = half * a.Strides[row]
		copy(strides[row+1:], a.Strides[row:])
	})
	step, from := unrollAxis(halves, row)
	return streams{step, from}
}

// lastRow returns the step that reduces the last row of a step.
func lastRow(s *plan.Step) streams {
	one := streams{Step: &plan.Step{Body: s.Body, Axes: slices.Clone(s.Axes), Pos: s.Pos}}
	row := len(s.Axes) - 2
	one.In, one.Out = s.Over(len(s.Axes), func(a *plan.Access, strides []int, _ *plan.Output) {
		copy(strides, a.Strides)
		a.Offset += (s.Axes[row].Extent - 1) * a.Strides[row]
	})
	one.Axes[row].Extent = 1
	for i := range len(s.In) + len(s.Out) {
		one.operands = append(one.operands, i)
	}
	return one
}

// take appends the parts of a step to the draft.
func (r *rowWriter) take(s streams) (why string) {
	part := &rowWriter{t: r.t, draft: newDraft(r.t, s.Step)}
	if why = part.parts(s.Step); why != "" {
		return why
	}
	from, to := part.draft, r.draft
	m := mover{slot: slices.Clone(s.operands)}
	for _, sl := range from.Slots[len(m.slot):] {
		m.slot = append(m.slot, to.slot(sl))
	}
	for _, p := range from.Parts {
		to.Parts = append(to.Parts, nest.Nest{Loops: p.Loops, Items: m.items(p.Items)})
	}
	to.Scratch = max(to.Scratch, from.Scratch)
	if to.Choice.Kernel == "" {
		to.Choice = from.Choice
	}
	return ""
}
