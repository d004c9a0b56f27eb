package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Which axes of the steps of a bordered tile count its images and lines. Input: the steps and the
// intermediates. Output: the members, whose axes are cut where those of the intermediates end.

// borderMember is a step of a tile, or a part of one that stores the same in several places.
type borderMember struct {
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
	dim, by      []int // by axis of the step: along which dimension, -1 for none, and how far
	first, reach []int // by dimension: where it begins, and how far it goes from there
}

// placeAccess returns how an access moves through a shape, if it is a box of it.
func placeAccess(shape, extents []int, a plan.Access) (p placedAccess, ok bool) {
	strides := layout.RowMajor(shape...).Strides
	p = placedAccess{make([]int, len(extents)), make([]int, len(extents)), make([]int, len(shape)), make([]int, len(shape))}
	rest := a.Offset
	for d, n := range shape {
		if n > 1 {
			p.first[d], rest = rest/strides[d], rest%strides[d]
		}
	}
	for k, n := range extents {
		p.dim[k] = -1
		if n == 1 || a.Strides[k] == 0 {
			continue
		}
		d := dimOf(shape, strides, a.Strides[k])
		if d < 0 {
			return p, false
		}
		p.dim[k], p.by[k] = d, a.Strides[k]/strides[d]
		p.reach[d] += p.by[k] * (n - 1)
	}
	for d, n := range shape {
		if p.first[d]+p.reach[d] >= n {
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

// shapeOf returns the shape of a temporary, with dimensions cut where the axes of a step that writes
// it end: those of a product may count lines and columns together.
func (t *bordered) shapeOf(buffer int) []int {
	shape := t.b.p.Buffers[buffer].Shape
	for _, i := range t.b.uses.writers.of(buffer) {
		for _, out := range t.b.p.Steps[i].Out {
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

// cutMembers makes the members of the steps.
func (t *bordered) cutMembers() {
	t.members = nil
	for _, i := range t.steps {
		s := t.cutStep(t.b.p.Steps[i])
		if !copiesOrCasts(&s) || len(s.Out) == 1 {
			t.members = append(t.members, borderMember{index: i, step: s})
			continue
		}
		for o, out := range s.Out {
			one := s
			one.Body, one.Out = s.Body.Storing(s.Body.Out[o]), []plan.Output{out}
			t.members = append(t.members, borderMember{index: i, step: one})
		}
	}
}

// cutStep returns a step with its parallel axes cut so that each moves along one dimension of
// each intermediate, as far as that can be.
func (t *bordered) cutStep(s plan.Step) plan.Step {
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
func (t *bordered) follow(axis int, images bool) (f followed, ok bool) {
	n := len(t.members)
	f = followed{make([]int, n), make([]int, n), map[int]int{}, map[int]int{}}
	for k := n - 1; k >= 0; k-- {
		f.axes[k], f.per[k] = axis, 1
		if k < n-1 && !t.followOut(&f, k, images) {
			return f, false
		}
		if s, own := &t.members[k].step, f.axes[k]; own >= 0 && (s.Axes[own].Role != plan.Parallel || images && t.needed(k, own)) || !t.followIn(&f, k, images) {
			return f, false
		}
	}
	return f, true
}

// needed reports whether an axis of member k is the last of the rows or columns of a product that
// counts no images.
func (t *bordered) needed(k, axis int) bool {
	s := &t.members[k].step
	if !s.Contracts() || axis < s.Product().Rows {
		return false
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
func (t *bordered) followOut(f *followed, k int, images bool) bool {
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
func (t *bordered) followIn(f *followed, k int, images bool) bool {
	s, own := &t.members[k].step, f.axes[k]
	if inPanels(s, own) {
		return false
	}
	for _, a := range s.In {
		if !slices.Contains(t.made, a.Buffer) {
			continue
		}
		shape := t.shapes[a.Buffer]
		p, ok := placeAccess(shape, s.Extents(), a)
		if !ok || own < 0 || p.dim[own] < 0 {
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
