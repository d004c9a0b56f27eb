package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// write returns the row groups of a tile: one if blocks are of images, or one for each class of
// blocks of lines. The intermediates become scratch.
func (t *tile) write() regrouped {
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
			r.steps = append(r.steps, w.step(k))
			g.Along = append(g.Along, len(g.Outer)-1)
		}
		g.Last = len(r.steps) - 1
		r.groups = append(r.groups, g)
	}
	for k := range r.first {
		r.first[k] = max(0, r.first[k]) // no block needs what it copies
	}
	return r
}

// scratch declares the buffers of the intermediates of a class, those of the first in their place.
func (t *tile) scratch(i int) map[int]int {
	buffers := map[int]int{}
	for _, b := range t.made {
		at := b
		if i > 0 {
			at = len(t.t.p.Buffers)
			t.t.p.Buffers = append(t.t.p.Buffers, t.t.p.Buffers[b])
		}
		buffers[b] = at
		t.t.p.Buffers[at].Kind, t.t.p.Buffers[at].Shape = plan.ScratchBuffer, t.shapeOf(&t.classes[i], b)
	}
	return buffers
}

// shapeOf returns the shape of what a block has of an intermediate.
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

// tileWriter writes the steps of a class.
type tileWriter struct {
	t       *tile
	class   *class
	buffers map[int]int // of the intermediates
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

// run returns which lines of a member the first block has.
func (w *tileWriter) run(k int) run {
	if w.t.lines == nil {
		return run{0, 1}
	}
	return w.class.members[k]
}

// step returns the step of a member, with the axes that count images and blocks in front.
func (w *tileWriter) step(k int) plan.Step {
	s, lead, line := w.t.members[k].step, w.outer(), -1
	if w.t.lines != nil {
		line = w.t.lines.axes[k]
	}
	images := make([]int, len(w.t.images))
	for i := range images {
		images[i] = w.t.images[i].axes[k]
	}
	axes := parallel(lead)
	at := make([]int, len(s.Axes)) // in the new order
	for axis, a := range s.Axes {
		if i := slices.Index(images, axis); i >= 0 {
			at[axis] = i
			continue
		}
		if axis == line {
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
				extents = old.OutExtents(0)
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
		return collapsed(s, len(lead))
	}
	return s
}

// collapsed returns a step with adjacent axes from first on as one where every operand allows it: a
// column of a border goes on in the next image of a block. Axes of one index go, but where an operand moves along no other
// axis: no splat is made of it.
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

// inScratch writes an access of member k to an intermediate: within what a block has of it.
func (w *tileWriter) inScratch(k int, a *plan.Access, extents, at, strides []int) {
	p, _ := placeAccess(w.t.shapes[a.Buffer], extents, *a)
	own := layout.RowMajor(w.t.shapeOf(w.class, a.Buffer)...).Strides
	for axis, dim := range p.dim {
		if dim >= 0 && at[axis] >= len(w.t.images) {
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
	} else {
		last := len(w.t.images) - 1
		strides[last] = own[w.t.images[last].dims[a.Buffer]]
	}
	a.Offset = 0
	for dim, i := range first {
		a.Offset += i * own[dim]
	}
	a.Buffer = w.buffers[a.Buffer]
}
