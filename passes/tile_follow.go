package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// Which axes of the members of a tile count its images and lines, and which dimensions of the intermediates: those that
// follow from an axis of the last member, back to the first.

// followed says where in a tile the images or lines of the last member are.
type followed struct {
	axes []int       // by member: the axis that counts them, -1 if it has one line or image and no axis
	per  []int       // by member: so many of its lines follow one another for one line of the last member
	dims map[int]int // by intermediate: the dimension that counts them
	pers map[int]int // by intermediate, as per
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
