package tile

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// The images, rows or lines of a tile are counted by one axis of each member and one dimension of each intermediate.
// The search for them begins with an axis of one member and follows the intermediates that members store and read.

// followed holds, for one axis of one member, the axes and dimensions that count the same images, rows or lines
// elsewhere in the tile.
type followed struct {
	axes []int       // by member: the axis that counts them, -1 if the member has only one
	per  []int       // by member: number of its lines for one line of the first member followed
	dims map[int]int // by intermediate: the dimension that counts them
	pers map[int]int // by intermediate: like per
}

// counted is the kind of objects that an axis counts.
type counted uint8

const (
	lines  counted = iota // a member may also read lines of the previous block
	images                // a member reads only its own image, and images have columns
	rows                  // a member reads only its own row; the rows of a product are rows
)

// follow returns the axes of all members and the dimensions of all intermediates that count the same objects as an axis
// of the given member. It fails if some member has no such axis.
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
	for k := range t.members {
		if !done[k] && t.apart(k) && t.sameAxis(k, member, axis) {
			f.axes[k], f.per[k] = axis, 1
			left--
		}
	}
	return f, left == 0
}

// apart reports whether member k of a matrix group touches no intermediate. Then any of its matrices may be computed with
// any block.
func (t *tile) apart(k int) bool {
	return t.whole && !t.members[k].step.Touches(func(b int) bool { return slices.Contains(t.made, b) })
}

// sameAxis reports whether member k has an axis of matrices where another member has one, as long as that.
func (t *tile) sameAxis(k, member, axis int) bool {
	s := &t.members[k].step
	return axis < s.Product().Pairs && s.Axes[axis].Extent == t.members[member].step.Axes[axis].Extent
}

// known reports whether member k touches an intermediate whose dimension f already has.
func (t *tile) known(f *followed, k int) bool {
	return t.members[k].step.Touches(func(b int) bool {
		_, ok := f.dims[b]
		return ok
	})
}

// countedBy reports whether an axis of member k may count images, rows or lines. If axis is -1, the member has only one
// of them.
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

// movesWindows reports whether an axis of a product moves an operand that consists of windows, so that its pairs, or
// its rows or columns, are several axes in memory. If blocks divided an axis of the other operand, each block would
// pack the windows again.
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

// needed reports whether an axis of member k must stay an axis of the rows or columns of a product. That is so if
// neighbouring windows along the axis share elements. It is also so if images are counted by all the other axes of
// these rows or columns.
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

// followOut finds the axis of member k from an intermediate that the member stores or reads and whose dimension is
// known.
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

// followIn finds, from the axis of member k, the dimensions of the intermediates that the member reads. For rows it
// also finds those of the intermediates that the member stores.
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
