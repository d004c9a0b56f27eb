package passes

import (
	"slices"
	"sort"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// apply writes the plan with tiles, of which no two have a common step, each in the place of
// its last step.
func (o *overlapper) apply(tiles []*tile) {
	var list []regrouped
	for _, t := range tiles {
		sort.Slice(t.members, func(i, j int) bool { return t.members[i].index < t.members[j].index })
		var r regrouped
		for k, m := range t.members {
			r.members, r.first = append(r.members, m.index), append(r.first, k)
		}
		o.explain(t)
		g, steps := o.write(t)
		r.steps, r.groups = steps, []plan.RowGroup{g}
		list = append(list, r)
	}
	o.s.regroup(list)
}

// explain notes what the blocks of a tile compute again.
func (o *overlapper) explain(t *tile) {
	for _, m := range t.members {
		k := slices.IndexFunc(o.s.Func.Body, func(v *ir.Value) bool { return int(*o.s.buffer.at(v)) == 1+m.buffer() })
		if k >= 0 && m.overlap() > 0 {
			o.s.record(plan.Recomputed, o.s.Func.Body[k], 0, overlapReason)
		}
	}
}

const overlapReason = "the windows of two blocks of rows have rows in common"

// write returns the steps of a tile: those of a row group of whole blocks, whose steps it
// counts from 0, and those for the rows behind them.
func (o *overlapper) write(t *tile) (g plan.RowGroup, steps []plan.Step) {
	blocks := t.rows / t.block
	from, rest := blocks*t.block, t.rows%t.block
	g = plan.RowGroup{Last: len(t.members) - 1, Outer: []int{blocks}, Along: make([]int, len(t.members)), Block: 1}
	memory := map[int]int{} // by buffer of an intermediate: the one of the rows behind
	for i := range t.members {
		steps = append(steps, t.cut(&t.members[i], 0, t.block, memory, true))
	}
	for _, m := range t.members {
		if m.row == 0 {
			continue
		}
		b := &o.p.Buffers[m.buffer()]
		b.Kind, b.Shape = plan.ScratchBuffer, []int{m.count(t.block), m.row}
		if rest > 0 {
			memory[m.buffer()] = len(o.p.Buffers)
			o.p.Buffers = append(o.p.Buffers, plan.Buffer{Kind: plan.TempBuffer, DType: b.DType, Shape: []int{m.count(rest), m.row}})
		}
	}
	if rest > 0 {
		for i := range t.members {
			steps = append(steps, t.cut(&t.members[i], from, rest, memory, false))
		}
	}
	return g, steps
}

// cut returns a member for a block that begins at row from and has so many rows, or for all
// blocks from there on, with an axis of blocks in front.
func (t *tile) cut(m *member, from, rows int, memory map[int]int, blocks bool) plan.Step {
	s := m.step
	s.Axes = slices.Clone(s.Axes)
	s.Axes[m.axis].Extent = m.count(rows)
	lead := 0
	if blocks {
		lead = 1
		s.Axes = slices.Insert(s.Axes, 0, plan.Axis{Extent: t.rows / t.block})
	}
	s.In, s.Out = s.Over(len(s.Axes), func(a *plan.Access, strides []int, _ *plan.Output) {
		copy(strides[lead:], a.Strides)
		a.Offset += m.begin(from) * a.Strides[m.axis]
		switch made := t.intermediate(a.Buffer); {
		case made != nil: // the memory begins with the first row of the block
			if b, other := memory[a.Buffer]; other {
				a.Buffer = b
			}
			a.Offset -= made.begin(from) * made.row
		case blocks:
			strides[0] = m.per * t.block * a.Strides[m.axis]
		}
	})
	return s
}
