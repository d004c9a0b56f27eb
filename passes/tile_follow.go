package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Which axes of the steps of a tile count its images and lines. Input: the steps and the
// intermediates. Output: the members, whose axes are cut where those of the intermediates end.

// tileMember is a step of a tile, or a part of one that stores the same in several places.
type tileMember struct {
	index int // in the plan
	step  plan.Step
}

// followed says where in a tile the images or lines of the last member are.
type followed struct {
	axes []int       // by member: the axis that counts them, -1 if it has one line or image and no axis
	per  []int       // by member: so many of its lines follow one another for one line of the last member
	dims map[int]int // by intermediate: the dimension that counts them
	pers map[int]int // by intermediate, as per
}

// placedAccess says how an access moves through the shape of its buffer.
type placedAccess struct {
	dim, by           []int // by axis of the step: along which dimension, -1 for none, and how far
	first, low, reach []int // by dimension: where the first index is, where the access begins, and how far it goes from there
}

// placeAccess returns how an access moves through a shape, if it is a box of it.
func placeAccess(shape, extents []int, a plan.Access) (p placedAccess, ok bool) {
	strides := layout.RowMajor(shape...).Strides
	p = placedAccess{make([]int, len(extents)), make([]int, len(extents)), make([]int, len(shape)), make([]int, len(shape)), make([]int, len(shape))}
	rest := a.Offset
	for d, n := range shape {
		if n > 1 {
			p.first[d], rest = rest/strides[d], rest%strides[d]
		}
	}
	copy(p.low, p.first)
	for k, n := range extents {
		p.dim[k] = -1
		if n == 1 || a.Strides[k] == 0 {
			continue
		}
		d := dimOf(shape, strides, max(a.Strides[k], -a.Strides[k]))
		if d < 0 {
			return p, false
		}
		p.dim[k], p.by[k] = d, a.Strides[k]/strides[d]
		p.low[d] += min(0, p.by[k]*(n-1))
		p.reach[d] += max(p.by[k], -p.by[k]) * (n - 1)
	}
	for d, n := range shape {
		if p.low[d] < 0 || p.low[d]+p.reach[d] >= n {
			return p, false
		}
	}
	return p, a.Panel == nil && a.Offset >= 0
}

// dimOf returns the outermost dimension along which a distance is one of whole steps, -1 for none.
func dimOf(shape, strides []int, distance int) int {
	for d, s := range strides {
		if shape[d] > 1 && s <= distance && distance%s == 0 {
			return d
		}
	}
	return -1
}

// cut makes the members of the steps. It fails if a member but the last has several outputs, and is no copy.
func (t *tile) cut() bool {
	t.members, t.shapes = nil, map[int][]int{}
	steps := make([]plan.Step, len(t.steps))
	for k, i := range t.steps {
		steps[k] = *rowsApart(&t.t.p.Steps[i])
	}
	for changed := true; changed; { // axes that are cut move along more dimensions
		changed = false
		for _, b := range t.made {
			shape := shapeIn(steps, b, t.t.p.Buffers[b].Shape)
			changed = changed || !slices.Equal(shape, t.shapes[b])
			t.shapes[b] = shape
		}
		for k := range steps {
			steps[k] = t.cutStep(steps[k])
		}
	}
	for k, i := range t.steps {
		s, last := steps[k], k == len(steps)-1
		switch {
		case last || len(s.Out) == 1:
			t.members = append(t.members, tileMember{index: i, step: s})
			continue
		case !copiesOrCasts(&s):
			return false
		}
		for o, out := range s.Out {
			one := s
			one.Body, one.Out = s.Body.Storing(s.Body.Out[o]), []plan.Output{out}
			t.members = append(t.members, tileMember{index: i, step: one})
		}
	}
	return true
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

// shapeIn returns the shape of a temporary as steps move through it: dimensions that no axis moves along are one with
// those behind them, and others are cut where the axes of a step that writes it end, as those of a product may count
// lines and columns together.
func shapeIn(steps []plan.Step, buffer int, shape []int) []int {
	moved := make([]bool, len(shape))
	for i := range steps {
		for a := range steps[i].Accesses() {
			if a.Buffer != buffer {
				continue
			}
			for _, stride := range a.Strides {
				if d := dimOf(shape, layout.RowMajor(shape...).Strides, max(stride, -stride)); d >= 0 {
					moved[d] = true
				}
			}
		}
	}
	var merged []int
	n := 1
	for d, e := range shape {
		if n *= e; moved[d] || d == len(shape)-1 {
			merged, n = append(merged, n), 1
		}
	}
	shape = merged
	for i := range steps {
		for _, out := range steps[i].Out {
			for _, stride := range out.Strides {
				strides := layout.RowMajor(shape...).Strides
				d := dimOf(shape, strides, stride)
				if out.Buffer != buffer || d < 0 {
					continue
				}
				if by := stride / strides[d]; by > 1 && shape[d]%by == 0 {
					shape = slices.Insert(slices.Clone(shape), d+1, by)
					shape[d] /= by
				}
			}
		}
	}
	return shape
}

// cutStep returns a step with its parallel axes cut so that each moves along one dimension of
// each intermediate, as far as that can be.
func (t *tile) cutStep(s plan.Step) plan.Step {
	for again := true; again; {
		again = false
		for a := range s.Accesses() {
			if !slices.Contains(t.made, a.Buffer) || a.Panel != nil {
				continue
			}
			shape := t.shapes[a.Buffer]
			if axis, n := cutOf(shape, &s, a); n > 0 && !inPanels(&s, axis) {
				s, again = cutAxis(&s, axis, n), true
				break
			}
		}
	}
	return s
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

// inPanels reports whether an operand of a step has an axis in panels.
func inPanels(s *plan.Step, axis int) bool {
	return slices.ContainsFunc(s.In, func(a plan.Access) bool { return a.Panel != nil && a.Panel.Axis == axis })
}

// cutOf returns an axis of an access that moves along more than one dimension of a shape, and how
// many of its indices belong to one of the outer dimension; 0 if there is none.
func cutOf(shape []int, s *plan.Step, a *plan.Access) (axis, n int) {
	strides := layout.RowMajor(shape...).Strides
	for k, x := range s.Axes {
		if x.Role != plan.Parallel || x.Extent == 1 || a.Strides[k] <= 0 {
			continue
		}
		d := dimOf(shape, strides, a.Strides[k])
		if d < 0 {
			continue
		}
		by := a.Strides[k] / strides[d]
		if n := shape[d] / by; shape[d]%by == 0 && n < x.Extent && x.Extent%n == 0 {
			return k, n
		}
	}
	return 0, 0
}

// follow returns which axis of each member goes with an axis of the last one, and which dimension
// of each intermediate. If it counts images, each member reads of an intermediate its own image
// alone, which has columns; otherwise it counts lines. It fails if there are no such axes.
func (t *tile) follow(axis int, images bool) (f followed, ok bool) {
	n := len(t.members)
	f = followed{make([]int, n), make([]int, n), map[int]int{}, map[int]int{}}
	for k := n - 1; k >= 0; k-- {
		f.axes[k], f.per[k] = axis, 1
		if k < n-1 && !t.followOut(&f, k, images) {
			return f, false
		}
		s, own := &t.members[k].step, f.axes[k]
		if own >= 0 && (s.Axes[own].Role != plan.Parallel || images && t.needed(k, own) || !images && s.Contracts() && !movesWindows(s, own)) || !t.followIn(&f, k, images) {
			return f, false
		}
	}
	return f, true
}

// movesWindows reports whether an axis of a product moves the operand that has windows: those would be packed
// again for each block of another axis. Pairs of windows, or the windows, are no single axis.
func movesWindows(s *plan.Step, axis int) bool {
	at := s.Product()
	i, first, end := 0, at.Rows, at.Cols
	if axis >= at.Cols {
		i, first, end = 1, at.Cols, len(s.Axes)
	}
	apart := func(first, end int) bool {
		for k := first; k < end-1; k++ {
			if s.In[i].Strides[k] != s.In[i].Strides[k+1]*s.Axes[k+1].Extent {
				return true
			}
		}
		return false
	}
	return s.In[i].Panel == nil && (apart(at.Pairs, at.Rows) || apart(first, end))
}

// needed reports whether an axis of member k has to stay one of the rows or columns of a product: where windows next to each other along
// the axis have elements in common, and where no other axis of the rows or columns counts lines.
func (t *tile) needed(k, axis int) bool {
	s := &t.members[k].step
	if !s.Contracts() || axis < s.Product().Rows {
		return false
	}
	for _, a := range s.In {
		span := 1
		for i, stride := range a.Strides {
			if i != axis && stride <= a.Strides[axis] {
				span += stride * (s.Axes[i].Extent - 1)
			}
		}
		if a.Strides[axis] > 0 && span > a.Strides[axis] {
			return true
		}
	}
	at := s.Product()
	first, end := at.Rows, at.Cols
	if axis >= at.Cols {
		first, end = at.Cols, len(s.Axes)
	}
	left := end - first - 1
	for i := range t.images {
		if a := t.images[i].axes[k]; first <= a && a < end {
			left--
		}
	}
	return left == 0
}

// followOut finds the axis of member k by where it stores an intermediate.
func (t *tile) followOut(f *followed, k int, images bool) bool {
	s := &t.members[k].step
	out := s.Out[0].Access
	shape := t.shapes[out.Buffer]
	p, ok := placeAccess(shape, s.OutExtents(0), out)
	dim, known := f.dims[out.Buffer]
	if !ok || !known || images && p.reach[dim]+1 != shape[dim] {
		return false
	}
	own := slices.Index(p.dim, dim)
	f.axes[k], f.per[k] = own, f.pers[out.Buffer]
	return own < 0 || p.by[own] == 1 && !slices.Contains(p.dim[own+1:], dim)
}

// followIn finds the dimensions of the intermediates that member k reads by its axis.
func (t *tile) followIn(f *followed, k int, images bool) bool {
	s, own := &t.members[k].step, f.axes[k]
	if inPanels(s, own) {
		return false
	}
	for _, a := range s.In {
		if !slices.Contains(t.made, a.Buffer) {
			continue
		}
		shape := t.shapes[a.Buffer]
		p, ok := placeAccess(shape, s.InExtents(a), a)
		if !ok || own < 0 || p.dim[own] < 0 || p.by[own] < 0 {
			return false
		}
		dim, per := p.dim[own], f.per[k]*p.by[own]
		if images && (p.by[own] != 1 || p.reach[dim] != s.Axes[own].Extent-1 || p.reach[dim]+1 != shape[dim] || a.Strides[own] == 1) {
			return false
		}
		if d, known := f.dims[a.Buffer]; known && (d != dim || f.pers[a.Buffer] != per) {
			return false
		}
		f.dims[a.Buffer], f.pers[a.Buffer] = dim, per
	}
	return true
}
