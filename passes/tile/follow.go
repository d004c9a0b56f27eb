package tile

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// Which axes of the members of a tile count its images, rows or lines, and which dimensions of the intermediates: those that
// follow from an axis of one member, by where members store and read.

// followed says where in a tile the images, rows or lines of one member are.
type followed struct {
	axes []int       // by member: the axis that counts them, -1 if it has one line or image and no axis
	per  []int       // by member: so many of its lines follow one another for one line of the first one
	dims map[int]int // by intermediate: the dimension that counts them
	pers map[int]int // by intermediate, as per
}

// counted is what an axis that is followed counts.
type counted uint8

const (
	lines  counted = iota // a member may read lines that the block before has too
	images                // a member reads its own image alone, which has columns
	rows                  // a member reads its own row alone; the rows of a product are rows
)

// follow returns which axis of each member goes with an axis of one of them, and which dimension of each intermediate. It
// fails if there are no such axes.
func (t *tile) follow(member, axis int, what counted) (f followed, ok bool) {
	n := len(t.members)
	f = followed{make([]int, n), make([]int, n), map[int]int{}, map[int]int{}}
	f.axes[member], f.per[member] = axis, 1
	done, left := make([]bool, n), n
	for found := true; found; {
		found = false
		for k := n - 1; k >= 0; k-- {
			switch {
			case done[k] || k != member && !t.known(&f, k):
				continue
			case k != member && !t.followOut(&f, k, what), !t.countedBy(k, f.axes[k], what), !t.followIn(&f, k, what):
				return f, false
			}
			done[k], found = true, true
			left--
		}
	}
	return f, left == 0
}

// known reports whether a member touches an intermediate whose dimension is known.
func (t *tile) known(f *followed, k int) bool {
	return t.members[k].step.Touches(func(b int) bool {
		_, ok := f.dims[b]
		return ok
	})
}

// countedBy reports whether an axis of member k may count images, rows or lines; -1 is no axis.
func (t *tile) countedBy(k, axis int, what counted) bool {
	s := &t.members[k].step
	switch {
	case axis < 0:
		return what != rows
	case s.Axes[axis].Role != plan.Parallel:
		return false
	case what == images:
		return !t.needed(k, axis)
	case !s.Contracts():
		return true
	case what == lines:
		return movesWindows(s, axis)
	}
	at := s.Product()
	return axis < at.Pairs || at.Rows <= axis && axis < at.Cols
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

// followOut finds the axis of member k by where it stores or reads an intermediate whose dimension is known.
func (t *tile) followOut(f *followed, k int, what counted) bool {
	s := &t.members[k].step
	find := func(a plan.Access, extents []int) bool {
		dim := f.dims[a.Buffer]
		p, ok := placeAccess(t.shapes[a.Buffer], extents, a)
		own := slices.Index(p.dim, dim)
		f.axes[k], f.per[k] = own, f.pers[a.Buffer]
		return ok && (what == lines || p.reach[dim]+1 == t.shapes[a.Buffer][dim]) && (own < 0 || p.by[own] == 1 && !slices.Contains(p.dim[own+1:], dim))
	}
	for o, out := range s.Out {
		if _, known := f.dims[out.Buffer]; known {
			return find(out.Access, s.OutExtents(o))
		}
	}
	for _, a := range s.In {
		if _, known := f.dims[a.Buffer]; known {
			return find(a, s.InExtents(a))
		}
	}
	return false
}

// followIn finds the dimensions of the intermediates that member k reads or stores by its axis.
func (t *tile) followIn(f *followed, k int, what counted) bool {
	s, own := &t.members[k].step, f.axes[k]
	if inPanels(s, own) {
		return false
	}
	note := func(a plan.Access, extents []int) bool {
		shape := t.shapes[a.Buffer]
		p, ok := placeAccess(shape, extents, a)
		if !ok || own < 0 || p.dim[own] < 0 || p.by[own] < 0 {
			return false
		}
		dim, per := p.dim[own], f.per[k]*p.by[own]
		if what != lines && (p.by[own] != 1 || p.reach[dim] != s.Axes[own].Extent-1 || p.reach[dim]+1 != shape[dim] || what == images && a.Strides[own] == 1) {
			return false
		}
		if d, known := f.dims[a.Buffer]; known && (d != dim || f.pers[a.Buffer] != per) {
			return false
		}
		f.dims[a.Buffer], f.pers[a.Buffer] = dim, per
		return true
	}
	for _, a := range s.In {
		if slices.Contains(t.made, a.Buffer) && !note(a, s.InExtents(a)) {
			return false
		}
	}
	if what != rows {
		return true
	}
	for o, out := range s.Out {
		if slices.Contains(t.made, out.Buffer) && !note(out.Access, s.OutExtents(o)) {
			return false
		}
	}
	return true
}
