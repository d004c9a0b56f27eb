package schedule

import (
	"cmp"
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
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

// twoStreams returns the step that reduces rows i and half+i of a step, for all i below half.
func twoStreams(s *plan.Step, half int) streams {
	row, n := len(s.Axes)-2, len(s.In)
	two := streams{Step: &plan.Step{Axes: slices.Clone(s.Axes), In: slices.Clone(s.In), Out: slices.Clone(s.Out), Pos: s.Pos}}
	two.Axes[row].Extent = half
	behind := func(a plan.Access) plan.Access {
		a.Offset += half * a.Strides[row]
		return a
	}
	inputs := make([]kernel.Ref, n) // of the body of the second row
	for i, a := range s.In {
		two.operands = append(two.operands, i)
		if inputs[i] = kernel.Ref(i); a.Strides[row] != 0 {
			inputs[i] = kernel.Ref(len(two.In))
			two.In = append(two.In, behind(a))
		}
	}
	for i, r := range inputs {
		if int(r) >= n {
			two.operands = append(two.operands, i)
		}
	}
	for _, o := range s.Out {
		o.Access = behind(o.Access)
		two.Out = append(two.Out, o)
	}
	for o := range two.Out {
		two.operands = append(two.operands, n+o%len(s.Out))
	}
	two.Body = twice(s.Body, inputs)
	return two
}

// twice returns the kernel that has a body twice, the second one with the given inputs: those of the first, or
// others of the same types behind them.
func twice(body *kernel.Kernel, inputs []kernel.Ref) *kernel.Kernel {
	two := &kernel.Kernel{In: slices.Clone(body.In), Fast: body.Fast}
	for i, r := range inputs {
		if int(r) >= len(inputs) {
			two.In = append(two.In, body.In[i])
		}
	}
	copyOf := func(r kernel.Ref, k int) kernel.Ref {
		switch n := len(body.In); {
		case int(r) >= n:
			return r + kernel.Ref(len(two.In)-n+k*len(body.Body))
		case k > 0:
			return inputs[r]
		}
		return r
	}
	for k := range 2 {
		for _, in := range body.Body {
			for a := range in.Args[:in.Arity()] {
				in.Args[a] = copyOf(in.Args[a], k)
			}
			two.Body = append(two.Body, in)
		}
		for _, r := range body.Out {
			two.Out = append(two.Out, copyOf(r, k))
		}
	}
	return two
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
