package schedule

import (
	"cmp"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Row reductions that read several streams. Memory is read faster where stretches of it alternate, vector by vector, than one
// after the other (Machine.StreamTime). So a kernel that has the body k times reduces k rows together, which are a k-th of all
// rows apart. It reads an input that is the same for all of them once, so products with a vector gain in the caches too: three
// rows take four loads, not six. Rows that are left over are reduced fewer at a time, the last one alone.

// streams is the offer to reduce a step so, which is s in normal form.
func (t *target) streams(step, s *plan.Step) (offer, string) {
	if len(step.In) < 2 && !slices.ContainsFunc(step.In, func(a plan.Access) bool { return t.far(a.Buffer) }) {
		return offer{}, "no input comes from memory, or is the same for all rows"
	}
	r := &rowWriter{t: t, draft: newDraft(t, step)}
	steps := []*plan.Step{s}
	if !r.multiChunk(s) {
		steps = r.chunks(s)
	}
	if why := t.streamsCan(steps[0]); why != "" {
		return offer{}, why
	}
	cost := t.StreamTime * t.RowCost(s)
	return offer{least: cost, draft: func() (*Draft, string) {
		for _, one := range steps {
			if why := r.streams(one); why != "" {
				return nil, why
			}
		}
		r.draft.Choice.Cost = cost
		return r.draft, ""
	}}, ""
}

// streamsCan returns why several streams can't compute a step, whose row axis is the one before the last, or would not be
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

// mostStreams returns the greatest number of rows that are reduced together: those that leave registers for the body. A row of
// a sum keeps four vectors, and one of extremes up to three.
func mostStreams(s *plan.Step) int {
	switch {
	case len(s.Out) > 1 || len(s.Body.Body) > 1:
		return 2
	case s.Out[0].Combine.Info().Associative.Has(s.Body.OutType(0)):
		return 4
	}
	return 3
}

// streams appends the parts of a step: for as many rows together as there is a kernel for, then for the rows left over.
func (r *rowWriter) streams(s *plan.Step) (why string) {
	rows := s.Axes[len(s.Axes)-2].Extent
	for k := min(mostStreams(s), rows); k > 1; k-- {
		together, from := streamsOf(s, k)
		if together == nil {
			why = "its rows have too many operands"
			continue
		}
		r.from = from
		c, none := r.whole(r.writer(together))
		if c == nil || c.engine == portable {
			why = cmp.Or(none, "its kernel is not bound by memory")
			continue
		}
		if rest := lastRows(s, rows%k); rows%k > 0 && r.streams(rest) != "" { // there is no kernel for fewer rows
			r.from = nil
			if why = r.parts(rest); why != "" {
				return why
			}
		}
		r.from = from
		return r.parts(together)
	}
	if rows == 1 {
		r.from = nil
		return r.parts(s)
	}
	return why
}

// streamsOf returns the step that reduces row i of a step together with rows i + n, i + 2n and so on: k parts of n rows,
// unrolled. from says which operand of s each of its own is. The step is nil if it has too many.
func streamsOf(s *plan.Step, k int) (together *plan.Step, from []int) {
	row := len(s.Axes) - 2
	n := s.Axes[row].Extent / k
	parts := &plan.Step{Body: s.Body, Axes: slices.Insert(slices.Clone(s.Axes), row, plan.Axis{Extent: k}), Pos: s.Pos}
	parts.Axes[row+1].Extent = n
	parts.In, parts.Out = s.Over(len(parts.Axes), func(a *plan.Access, strides []int, _ *plan.Output) {
		copy(strides, a.Strides[:row])
		strides[row] = n * a.Strides[row]
		copy(strides[row+1:], a.Strides[row:])
	})
	return unrollAxis(parts, row)
}

// lastRows returns the step that reduces the last n rows of a step.
func lastRows(s *plan.Step, n int) *plan.Step {
	last := &plan.Step{Body: s.Body, Axes: slices.Clone(s.Axes), Pos: s.Pos}
	row := len(s.Axes) - 2
	last.In, last.Out = s.Over(len(s.Axes), func(a *plan.Access, strides []int, _ *plan.Output) {
		copy(strides, a.Strides)
		a.Offset += (s.Axes[row].Extent - n) * a.Strides[row]
	})
	last.Axes[row].Extent = n
	return last
}
