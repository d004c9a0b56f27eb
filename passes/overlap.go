package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// overlap puts a step that reads windows of a large temporary into a row group with the step
// that stores it: for example a box filter of the squares of pixels. A block of the reader's
// rows is computed after the rows of the temporary that it reads, which stay in the cache; the
// rows that two blocks read are computed for both. This is known as overlapped tiling. A gather,
// of any size, may be one of the steps: a block takes its own rows. The rows behind the last whole block are
// computed by steps of their own. Rows are along the first axis alone: there are no tiles of a
// batch of large images.
//
// Requires: loops, rows.
// Ensures: as rows, but that a row group's blocks may compute elements again.
func overlap(s *State) error {
	o := &overlapper{s: s, p: s.Plan}
	if s.noFuse || !slices.ContainsFunc(o.p.Buffers, o.large) && !slices.ContainsFunc(o.p.Steps, func(s plan.Step) bool { return s.Gathers() }) {
		return nil
	}
	o.findUses()
	var tiles []*tile
	for i := len(o.p.Steps) - 1; i >= 0; i-- {
		if t := o.tile(i); t != nil {
			tiles = append(tiles, t)
		}
	}
	if len(tiles) > 0 {
		o.apply(tiles)
		s.Plan.Ledger = s.decisions()
	}
	return nil
}

type overlapper struct {
	s     *State
	p     *plan.Plan
	taken []bool // by step: whether it is in a row group or in a tile, or runs once
	uses  bufferUses
}

// findUses notes which steps write and read each buffer, and takes those that are in a row
// group, or are to run once, as they read what never changes.
func (o *overlapper) findUses() {
	o.taken, o.uses = make([]bool, len(o.p.Steps)), o.s.bufferUses()
	for _, g := range o.p.Rows {
		for i := g.First; i <= g.Last; i++ {
			o.taken[i] = true
		}
	}
	fixed := o.s.fixedBuffers()
	for i := range o.p.Steps {
		if !slices.ContainsFunc(o.p.Steps[i].In, func(a plan.Access) bool { return !fixed[a.Buffer] }) {
			o.taken[i] = true
		}
	}
}

// tile is a row group in the making. Its last step is the first member, until apply sorts them.
type tile struct {
	members []member
	rows    int     // of the last step
	block   int     // how many of them at a time
	gain    float64 // in additions: the memory traffic saved, less what is computed again
}

// member is a step of a tile. All but the last step store one temporary, of which the tile
// keeps a block: the intermediates.
type member struct {
	index int       // in the plan
	step  plan.Step // with the rows as an axis of its own
	axis  int       // that one
	row   int       // elements of a row of the intermediate; 0 of the last step
	span
}

// intermediate returns the member that stores a buffer for others, nil if there is none.
func (t *tile) intermediate(buffer int) *member {
	for i := range t.members {
		if m := &t.members[i]; m.row > 0 && m.buffer() == buffer {
			return m
		}
	}
	return nil
}

// buffer returns the buffer of the intermediate.
func (m *member) buffer() int { return m.step.Out[0].Buffer }

// tile returns the tile whose last step is step i, nil if none is worth it: of those by the
// rows of the step and of the temporaries that it reads the one that gains most.
func (o *overlapper) tile(i int) *tile {
	s := rowsApart(&o.p.Steps[i])
	axis := slices.IndexFunc(s.Axes, func(a plan.Axis) bool { return a.Extent > 1 })
	if o.taken[i] || axis < 0 || s.Axes[axis].Role != plan.Parallel || !cuttable(s) && !s.Scatters() {
		return nil
	}
	best, tried := &tile{}, []int(nil)
	for _, a := range s.In {
		b := &o.p.Buffers[a.Buffer]
		if !o.held(a.Buffer) || a.Strides[axis] <= 0 {
			continue
		}
		row := b.Size() // of the buffer: all axes but the first of more than one
		if k := slices.IndexFunc(b.Shape, func(n int) bool { return n != 1 }); k >= 0 {
			row /= max(1, b.Shape[k])
		}
		for _, n := range []int{1, row / a.Strides[axis]} {
			last := *s
			switch {
			case slices.Contains(tried, n) || n < 1 || n == s.Axes[axis].Extent:
				continue
			case n > 1 && (row%a.Strides[axis] != 0 || s.Axes[axis].Extent%n != 0):
				continue
			case n > 1:
				last = cutAxis(s, axis, n)
			}
			tried = append(tried, n)
			if t := o.growAll(&tile{rows: last.Axes[axis].Extent, members: []member{{i, last, axis, 0, span{per: 1}}}}); t.gain > best.gain {
				best = t
			}
		}
	}
	if best.gain == 0 {
		return nil
	}
	for _, m := range best.members {
		o.taken[m.index] = true
	}
	return best
}

// cutAxis returns a step with an axis, which no panels have, cut into two, the inner one of n indices.
func cutAxis(s *plan.Step, axis, n int) plan.Step {
	cut := *s
	cut.Axes = slices.Insert(slices.Clone(s.Axes), axis+1, plan.Axis{Extent: n})
	cut.Axes[axis].Extent /= n
	cut.In, cut.Out = s.Over(len(cut.Axes), func(a *plan.Access, strides []int, _ *plan.Output) {
		copy(strides, slices.Insert(slices.Clone(a.Strides), axis, a.Strides[axis]*n))
		if a.Panel != nil && a.Panel.Axis > axis {
			panel := *a.Panel
			panel.Axis++
			a.Panel = &panel
		}
	})
	return cut
}

// growAll returns the tile with all steps before it that are worth it.
func (o *overlapper) growAll(t *tile) *tile {
	for k := 0; k < len(t.members); k++ {
		for _, a := range t.members[k].step.In {
			if next := o.grow(t, a.Buffer); next != nil {
				t, k = next, -1 // a buffer that had other readers may have none now
				break
			}
		}
	}
	return t
}

// held reports whether a tile may keep blocks of a buffer: of a large one, or of one that a gather
// stores. A small one takes 0.5 to 1.0 times as long in a tile, with the step that reads it.
func (o *overlapper) held(buffer int) bool {
	b, w := o.p.Buffers[buffer], o.uses.writers.of(buffer)
	return len(w) == 1 && (o.large(b) || b.Kind == plan.TempBuffer && o.p.Steps[w[0]].Gathers())
}

// large reports whether a buffer is a temporary that no cache keeps from step to step.
func (o *overlapper) large(b plan.Buffer) bool {
	return b.Kind == plan.TempBuffer && b.Size()*b.DType.Size() >= o.s.machine.HeldFrom
}

// rowsApart returns a gather as one that takes a single line for each index of an axis of its
// own, and any other step as it is.
func rowsApart(s *plan.Step) *plan.Step {
	if !s.Gathers() || s.TakesOne() {
		return s
	}
	line := s.Along()
	one := *s
	one.Axes = slices.Insert(slices.Clone(s.Axes), line, plan.Axis{Extent: s.Axes[line].Extent})
	one.Axes[line+1].Extent = 1
	one.In, one.Out = s.Over(len(one.Axes), func(a *plan.Access, strides []int, _ *plan.Output) {
		copy(strides, slices.Insert(slices.Clone(a.Strides), line, a.Strides[line]))
	})
	from := &one.In[0]
	from.Line, from.Strides[line] = s.LineOf(*from), 0
	return &one
}

// cuttable reports whether an axis of a step can be cut into blocks, whatever it reads.
func cuttable(s *plan.Step) bool {
	return !s.Contracts() && (!s.OnLines() || s.TakesOne()) && !slices.ContainsFunc(s.In, func(a plan.Access) bool { return a.Panel != nil })
}

// grow returns the tile with the step that stores a buffer, nil if that can't be or is not
// worth it.
func (o *overlapper) grow(t *tile, buffer int) *tile {
	if t.intermediate(buffer) != nil || len(t.members) == o.s.machine.LookAhead || !o.held(buffer) {
		return nil
	}
	i := o.uses.writers.of(buffer)[0]
	s := rowsApart(&o.p.Steps[i])
	if o.taken[i] || len(s.Out) != 1 || !cuttable(s) {
		return nil
	}
	row, read, ok := o.reads(t, buffer)
	if !ok {
		return nil
	}
	rows := o.p.Buffers[buffer].Size() / row
	if s.Gathers() && !read.all(t.rows, rows) {
		return nil // an index outside the table is an error, although nothing reads its row
	}
	split, axis, ok := new(rowSpace).splitRows(s, []int{rows}, rows)
	if !ok || split.Out[0].Strides[axis] != row {
		return nil
	}
	next := &tile{rows: t.rows, members: append(slices.Clone(t.members), member{i, split, axis, row, read})}
	if next.block, next.gain = o.blockOf(next); next.gain <= t.gain {
		return nil
	}
	return next
}
