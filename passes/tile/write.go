package tile

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// write returns the row groups of a tile: one if blocks are of images or rows, and one for each class if blocks are of
// lines. The intermediates become scratch.
func (t *tile) write() regrouped {
	t.leaveOthers()
	r := regrouped{members: t.steps, first: slices.Repeat([]int{-1}, len(t.steps))}
	for i := range t.classes {
		w := tileWriter{t, &t.classes[i], t.scratch(i)}
		g := plan.RowGroup{First: len(r.steps), Outer: w.outer(), Block: 1}
		if t.lines == nil {
			g.Block = t.size
		}
		for k := range t.members {
			if w.run(k).count == 0 {
				continue
			}
			if at := slices.Index(t.steps, t.members[k].index); r.first[at] < 0 {
				r.first[at] = len(r.steps)
			}
			s, along := w.step(k)
			r.steps, g.Along = append(r.steps, s), append(g.Along, along)
		}
		g.Last = len(r.steps) - 1
		r.groups = append(r.groups, g)
	}
	for k := range r.first {
		r.first[k] = max(0, r.first[k]) // -1 remains if no block needs the copy
	}
	return r
}

// scratch declares the scratch buffers of class i, and returns them by intermediate. The first class uses the buffers
// of the intermediates themselves.
func (t *tile) scratch(i int) map[int]int {
	buffers := map[int]int{}
	for _, b := range t.made {
		at := b
		if !t.own(b) {
			continue
		}
		if i > 0 {
			at = len(t.t.p.Buffers)
			t.t.p.Buffers = append(t.t.p.Buffers, t.t.p.Buffers[b])
		}
		buffers[b] = at
		t.t.p.Buffers[at].Kind, t.t.p.Buffers[at].Shape = plan.ScratchBuffer, t.shapeOf(&t.classes[i], b)
	}
	return buffers
}

// shapeOf returns the shape of the part of an intermediate that a block has. A dimension that counts images or rows has
// extent 1 there, unless the images or rows of one block are counted along it.
func (t *tile) shapeOf(c *class, buffer int) []int {
	shape := slices.Clone(t.shapes[buffer])
	for k := range t.images {
		shape[t.images[k].dims[buffer]] = 1
	}
	if t.lines != nil {
		shape[t.lines.dims[buffer]] = c.kept[buffer].count
	} else {
		shape[t.images[len(t.images)-1].dims[buffer]] = t.size
	}
	return shape
}

// tileWriter writes the steps of one class of blocks.
type tileWriter struct {
	t       *tile
	class   *class
	buffers map[int]int // scratch buffer of each intermediate
}

// outer returns the outer axes of the row group.
func (w *tileWriter) outer() (outer []int) {
	for i := range w.t.images {
		outer = append(outer, w.t.extent(&w.t.images[i]))
	}
	if w.t.lines != nil {
		outer = append(outer, w.class.blocks)
	}
	return outer
}

// run returns the lines of member k in the first block of the class. Without lines, it returns a single line.
func (w *tileWriter) run(k int) run {
	if w.t.lines == nil {
		return run{0, 1}
	}
	return w.class.members[k]
}

// step returns the step of member k, and the axis that corresponds to the last outer axis of the row group. The axes
// that count images and blocks come first, but the rows of a product stay among its axes.
func (w *tileWriter) step(k int) (s plan.Step, along int) {
	s = w.t.members[k].step
	lead, line, at := w.outer(), -1, make([]int, len(s.Axes)) // the new position of each axis
	if w.t.lines != nil {
		line = w.t.lines.axes[k]
	}
	along = len(lead) - 1
	row := w.t.rowOf(k) // the axis that stays in its place
	if row >= 0 {
		lead = lead[:along]
	}
	axes := parallel(lead)
	for axis, a := range s.Axes {
		i := slices.IndexFunc(w.t.images, func(f followed) bool { return f.axes[k] == axis })
		switch {
		case i >= 0 && axis != row:
			at[axis] = i
			continue
		case axis == row:
			along = len(axes)
		case axis == line:
			a.Extent = w.run(k).count
		}
		at[axis] = len(axes)
		axes = append(axes, a)
	}
	old := s
	s.Axes = axes
	s.In, s.Out = old.Over(len(axes), func(a *plan.Access, strides []int, o *plan.Output) {
		if a.Panel != nil {
			panel := *a.Panel
			panel.Axis = at[panel.Axis]
			a.Panel = &panel
		}
		if _, made := w.buffers[a.Buffer]; made {
			extents := old.InExtents(*a)
			if o != nil {
				extents = old.OutExtents(slices.IndexFunc(old.Out, func(o plan.Output) bool { return o.Buffer == a.Buffer }))
			}
			w.inScratch(k, a, extents, at, strides)
			return
		}
		for axis, stride := range a.Strides {
			strides[at[axis]] = stride
		}
		if line >= 0 {
			strides[len(lead)-1] = w.t.lines.per[k] * w.t.size * a.Strides[line]
			a.Offset += w.run(k).from * a.Strides[line]
		}
	})
	if s.Elementwise() {
		s = collapsed(s, len(lead))
	}
	if w.t.rows > 0 {
		return onesFirst(s, along)
	}
	return s, along
}

// onesFirst returns a step without its parallel axes of extent 1, and the new position of one of the other axes. The last axis
// stays if an output is strided along the axis before it: its columns are of one element. If the step would have fewer than two
// axes, axes of extent 1 are put first.
func onesFirst(s plan.Step, axis int) (plan.Step, int) {
	var kept []int
	for k, a := range s.Axes {
		if a.Extent != 1 || a.Role != plan.Parallel || k == len(s.Axes)-1 && stridedAlong(&s, kept) {
			kept = append(kept, k)
		}
	}
	ones := max(0, 2-len(kept))
	if ones+len(kept) == len(s.Axes) && (ones == 0 || s.Axes[0].Extent == 1) {
		return s, axis
	}
	old := s
	s.Axes = append(parallel(slices.Repeat([]int{1}, ones)), pick(old.Axes, kept)...)
	s.In, s.Out = old.Over(len(s.Axes), func(a *plan.Access, strides []int, _ *plan.Output) {
		copy(strides[ones:], pick(a.Strides, kept))
		if a.Panel != nil {
			panel := *a.Panel
			panel.Axis = ones + slices.Index(kept, panel.Axis)
			a.Panel = &panel
		}
	})
	return s, ones + slices.Index(kept, axis)
}

// stridedAlong reports whether an elementwise step stores an output with a stride along the last of some axes.
func stridedAlong(s *plan.Step, axes []int) bool {
	return len(axes) > 0 && s.Elementwise() && slices.ContainsFunc(s.Out, func(o plan.Output) bool { return o.Strides[axes[len(axes)-1]] != 1 })
}

// collapsed returns a step in which adjacent axes, from first on, are merged if the strides of every operand allow it.
// For example, a column of a border continues in the next image of a block. An axis of extent 1 is dropped, unless it
// is the only axis that an operand moves along, because the operand would become a splat.
func collapsed(s plan.Step, first int) plan.Step {
	for k := len(s.Axes) - 2; k >= first; k-- {
		outer, inner := s.Axes[k].Extent, s.Axes[k+1].Extent
		apart := false
		for a := range s.Accesses() {
			one := inner > 1 && a.Strides[k] == a.Strides[k+1]*inner
			if outer == 1 {
				others := slices.Delete(slices.Clone(a.Strides), k, k+1)
				one = inner == 1 || a.Strides[k] == 0 || !allZero(others)
			}
			apart = apart || !one
		}
		if apart {
			continue
		}
		s.Axes[k+1].Extent *= outer
		s.Axes = slices.Delete(s.Axes, k, k+1)
		s.In, s.Out = s.Over(len(s.Axes), func(a *plan.Access, strides []int, _ *plan.Output) {
			copy(strides, slices.Delete(slices.Clone(a.Strides), k, k+1))
			if outer == 1 && inner == 1 && strides[k] == 0 {
				strides[k] = a.Strides[k]
			}
		})
	}
	return s
}

// inScratch redirects an access of member k from an intermediate to the part of it that a block has in scratch. It
// writes the new strides to strides, at the new positions of the axes.
func (w *tileWriter) inScratch(k int, a *plan.Access, extents, at, strides []int) {
	p, _ := placeAccess(w.t.shapes[a.Buffer], extents, *a)
	own := layout.RowMajor(w.t.shapeOf(w.class, a.Buffer)...).Strides
	for axis, dim := range p.dim {
		if dim >= 0 && !w.t.outside(k, axis) {
			strides[at[axis]] = p.by[axis] * own[dim]
		}
	}
	first := p.first
	if w.t.lines != nil {
		dim := w.t.lines.dims[a.Buffer]
		if line := w.t.lines.axes[k]; line >= 0 && p.dim[line] == dim {
			first[dim] += p.by[line] * w.class.members[k].from
		}
		first[dim] -= w.class.kept[a.Buffer].from
	}
	a.Offset = 0
	for dim, i := range first {
		a.Offset += i * own[dim]
	}
	a.Buffer = w.buffers[a.Buffer]
}

// outside reports whether an axis of member k counts images or rows and is an outer axis of the row group, rather than
// an axis of a block.
func (t *tile) outside(k, axis int) bool {
	images := t.images
	if t.lines == nil {
		images = images[:len(images)-1]
	}
	return slices.ContainsFunc(images, func(f followed) bool { return f.axes[k] == axis })
}

// rowOf returns the axis of member k that counts the rows of a block and stays among the rows of a product, or -1 if
// there is none.
func (t *tile) rowOf(k int) int {
	s := &t.members[k].step
	if t.rows == 0 || !s.Contracts() || t.images[len(t.images)-1].axes[k] != s.Product().Cols-1 {
		return -1
	}
	return s.Product().Cols - 1
}

// parallel returns parallel axes of the given extents.
func parallel(extents []int) []plan.Axis {
	axes := make([]plan.Axis, len(extents))
	for k, n := range extents {
		axes[k].Extent = n
	}
	return axes
}

func allZero(strides []int) bool {
	return !slices.ContainsFunc(strides, func(n int) bool { return n != 0 })
}

// pick returns the elements of a slice at the given axes.
func pick[T any](from []T, axes []int) []T {
	out := make([]T, len(axes))
	for i, k := range axes {
		out[i] = from[k]
	}
	return out
}
