package schedule

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Row groups. A row group is one task whose parallel loops run over its outer axes, the
// last of them block by block. An iteration runs the nests of all steps, one after the
// other, on one block of rows. The rows that the last block lacks make it a part of its
// own.

// group returns the task of a row group: see draftedGroup.
func (s *scheduler) group(g *plan.RowGroup) (nest.Task, error) {
	if s.t.Own.sized != nil && len(g.Outer) == 1 && !s.dividesProducts(g) {
		return s.sizedGroup(g)
	}
	form, buffers := s.formOfGroup(g)
	if known, ok := s.t.Drafts.of(form).(*draftedGroup); ok {
		return known.over(s.plan, g, buffers), nil
	}
	t, err := s.writeGroup(g)
	if err == nil {
		kept := t
		kept.Slots = slices.Clone(t.Slots) // of a program they are numbered anew
		s.t.Drafts.keep(form, &draftedGroup{kept, slices.Clone(buffers)}, s.t.FormBytes)
	}
	return t, err
}

// dividesProducts reports whether blocks of a row group are not of the rows of some product, but of its matrices or panels. Then
// the number of rows of a resized plan may be the extent of another axis than that of the blocks.
func (s *scheduler) dividesProducts(g *plan.RowGroup) bool {
	for i := g.First; i <= g.Last; i++ {
		if step := &s.plan.Steps[i]; step.Contracts() && g.Along[i-g.First] < step.Product().Pairs {
			return true
		}
	}
	return false
}

// writeGroup makes the task of a row group.
func (s *scheduler) writeGroup(g *plan.RowGroup) (nest.Task, error) {
	w := &groupWriter{s: s, g: g, task: nest.Task{First: g.First, Last: g.Last, Pos: s.plan.Steps[g.First].Pos}, slots: map[int]int{}, aliases: map[int]alias{}}
	lead := len(g.Outer) - 1
	for _, n := range g.Outer[:lead] {
		w.loops = append(w.loops, nest.Loop{Extent: nest.Fixed(n), Tile: 1})
	}
	rows := g.Outer[lead]
	block := min(g.Block, max(1, rows))
	w.block, w.task.Block = block, block
	whole, rest := rows/block, rows%block
	var sizes []int
	if whole > 0 {
		sizes = append(sizes, block)
	}
	if rest > 0 {
		sizes = append(sizes, rest)
	}
	if err := w.findAliases(sizes); err != nil {
		return nest.Task{}, err
	}
	if whole > 0 {
		if err := w.part(0, whole, block); err != nil {
			return nest.Task{}, err
		}
	}
	if rest > 0 {
		if err := w.part(rows-rest, 1, rest); err != nil {
			return nest.Task{}, err
		}
	}
	return w.task, nil
}

// groupWriter writes the task of a row group.
type groupWriter struct {
	s       *scheduler
	g       *plan.RowGroup
	task    nest.Task
	loops   []nest.Loop   // over the outer axes but the last
	block   int           // rows of a block
	slots   map[int]int   // of the task, by buffer
	aliases map[int]alias // of scratch buffers that are kept in an output
}

// part appends the part of count blocks of size rows each, from the given row on.
func (w *groupWriter) part(from, count, size int) error {
	part := nest.Nest{Loops: append(slices.Clone(w.loops), nest.Loop{Extent: nest.Fixed(count), Tile: 1})}
	first, next, behind := len(w.task.Parts) == 0, w.newPrefetcher(count), 0
	for i := w.g.First; i <= w.g.Last; i++ {
		step := &w.s.plan.Steps[i]
		d, one, outer, err := w.draft(i, from, size)
		if err != nil {
			return err
		}
		for _, it := range w.place(d, outer) {
			it.Step = i - w.g.First
			part.Items = append(part.Items, it)
		}
		if next.reads(one, outer); i == w.g.First {
			behind = len(part.Items)
		}
		if first {
			scale := float64(elems(step)) / float64(max(1, elems(one)))
			d.Choice.Cost *= scale
			d.Choice.Entries = int(float64(d.Choice.Entries) * scale)
			d.Choice.Rejected = slices.Clone(d.Choice.Rejected) // the draft serves others too
			for k := range d.Choice.Rejected {
				d.Choice.Rejected[k].Cost *= scale
			}
			w.task.Choices = append(w.task.Choices, d.Choice)
			w.task.Work += d.Choice.Cost
			w.task.Elems += elems(step)
		}
	}
	if next != nil {
		part.Items = slices.Concat(part.Items[:behind], next.calls, part.Items[behind:])
	}
	w.task.Parts = append(w.task.Parts, part)
	return nil
}

// draft returns the draft of step i of the plan on a block of so many rows, as oneBlock returns it. It is valid until the
// next call.
func (w *groupWriter) draft(i, from, size int) (d *Draft, one *plan.Step, outer []outside, err error) {
	step := &w.s.plan.Steps[i]
	if one, outer, err = w.oneBlock(step, i, from, size); err != nil {
		return nil, nil, nil, err
	}
	t := w.s.t
	t.inGroup, t.whole = true, step
	if d, err = w.s.draft(&t, one); err != nil {
		return nil, nil, nil, &ir.Error{Pos: step.Pos, Msg: fmt.Sprintf("step %d: %v", i, err)}
	}
	return d, one, outer, nil
}

// outside says where an operand of a draft is in the loops outside: by how much it is moved
// before the first iteration, and how far from one iteration of each loop to the next.
type outside struct {
	offset  int
	strides []int
}

// oneBlock returns a step on the first block of rows, without the outer axes before the last,
// and for each operand where it is in the group's loops from the given row on.
func (w *groupWriter) oneBlock(s *plan.Step, i, from, size int) (one *plan.Step, outer []outside, err error) {
	lead, along := len(w.g.Outer)-1, w.g.Along[i-w.g.First]
	if along < lead || along >= len(s.Axes) || !slices.Contains(s.ParallelAxes(), along) {
		return nil, nil, &ir.Error{Pos: s.Pos, Msg: fmt.Sprintf("step %d: its axes are not those of %s", i, w.g)}
	}
	one = &plan.Step{Body: s.Body, Axes: slices.Clone(s.Axes[lead:]), Pos: s.Pos}
	one.Axes[along-lead].Extent = size
	pad := max(0, 2-len(one.Axes)) // strategies have rows and columns
	one.Axes = append(make([]plan.Axis, pad), one.Axes...)
	for k := range pad {
		one.Axes[k].Extent = 1
	}
	outer = make([]outside, 0, len(s.In)+len(s.Out))
	steps := make([]int, 0, (len(s.In)+len(s.Out))*(lead+1))
	one.In, one.Out = s.Over(len(one.Axes), func(a *plan.Access, strides []int, _ *plan.Output) {
		begin := len(steps)
		steps = append(append(steps, a.Strides[:lead]...), w.block*a.Strides[along])
		o := outside{from * a.Strides[along], steps[begin:len(steps):len(steps)]}
		if w.s.t.buffers[a.Buffer].Kind == plan.ScratchBuffer { // holds one block
			clear(o.strides)
			o.offset = 0
			if in, ok := w.aliases[a.Buffer]; ok {
				copy(o.strides, in.strides)
				o.offset = from*in.strides[lead] + in.offset
				o.strides[lead] *= w.block
			}
		}
		outer = append(outer, o)
		copy(strides[pad:], a.Strides[lead:])
		if a.Panel != nil {
			panel := *a.Panel
			panel.Axis += pad - lead
			a.Panel = &panel
		}
	})
	return one, outer, nil
}

// place takes a step's draft into the task: its slots, its local memory behind that of
// the group, and its parts as nests inside the group's loops.
func (w *groupWriter) place(d *Draft, outer []outside) []nest.Item {
	if len(d.Then) > 0 || len(d.Own) > 0 {
		panic("BUG: schedule: a step of a row group takes several tasks")
	}
	slot := make([]int, len(d.Slots))
	behind := roundUp(w.g.Scratch, cacheLine)
	for i, sl := range d.Slots {
		if i < len(outer) {
			slot[i] = w.slotOf(sl)
			continue
		}
		if sl.Kind == nest.Scratch {
			sl.Offset += behind
		}
		slot[i] = len(w.task.Slots)
		w.task.Slots = append(w.task.Slots, sl)
	}
	w.task.Scratch = max(w.task.Scratch, behind+d.Scratch)
	shift := len(w.loops) + 1
	m := mover{slot: slot, outer: outer, shift: shift}
	return m.parts(d.Parts)
}

// slotOf returns the task's slot of an operand's buffer.
func (w *groupWriter) slotOf(sl nest.Slot) int {
	buffer := sl.Buffer
	if in, ok := w.aliases[buffer]; ok {
		buffer, sl = in.buffer, nest.Buffer(in.buffer, w.s.t.buffers[in.buffer].DType)
	}
	if at, ok := w.slots[buffer]; ok {
		return at
	}
	if b := &w.s.t.buffers[buffer]; b.Kind == plan.ScratchBuffer {
		sl = nest.Slot{Kind: nest.Scratch, DType: b.DType, Offset: b.Offset, Elems: b.Size()}
	}
	w.slots[buffer] = len(w.task.Slots)
	w.task.Slots = append(w.task.Slots, sl)
	return w.slots[buffer]
}
