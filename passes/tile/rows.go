package tile

import (
	"slices"
	"sort"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// Row groups are tiles of whole rows. A search begins with a step that reduces, scans or multiplies rows, or with a
// step whose output such a step reads. For example, a softmax has one group of four steps: the greatest element of a
// row, the exponentials with their sum, its reciprocal, and the quotients. Every member has the rows as outer axes and
// reads only its own row of the intermediates. So nothing is computed again, and other steps may read what a member
// stores.

// rowGroups forms all row groups of the plan.
func (f *former) rowGroups() {
	t := &tiler{former: f}
	var found []regrouped
	for i := range t.p.Steps {
		if t.uses == nil {
			t.index()
		}
		if t.taken[i] {
			continue
		}
		if g := t.rowGroup(i); g != nil {
			g.leave()
			found = append(found, g.write())
		}
	}
	if len(found) > 0 {
		f.regroup(found)
	}
}

// leave marks the members as taken, and the steps between them that members wait for, which move before the group.
// Later row groups cannot contain these steps.
func (t *tile) leave() {
	first, last := t.steps[0], t.steps[len(t.steps)-1]
	needed := map[int]bool{} // buffers
	for j := last; j >= first; j-- {
		s := &t.t.p.Steps[j]
		if !slices.Contains(t.steps, j) && !slices.ContainsFunc(s.Out, func(o plan.Output) bool { return needed[o.Buffer] }) {
			continue
		}
		t.t.taken[j] = true
		for _, a := range s.In {
			needed[a.Buffer] = true
		}
	}
}

// rowGroup returns the row group that begins with step i, or nil if none is worth it.
func (t *tiler) rowGroup(i int) *tile {
	g := &tile{t: t, rows: t.rowsFrom(i), steps: []int{i}}
	if g.rows < 2 || !t.hasRows(i, g.rows) {
		return nil
	}
	if whole := t.wholeRows(g); len(whole) > 1 {
		if next := g.join(whole); next != nil {
			g = next
		}
	}
	for j := g.nextReader(i); j >= 0; j = g.nextReader(j) {
		more := g.withRows(j, nil)
		next := g.join(more)
		if next == nil && len(more) > 1 {
			next = g.join(more[:1])
		}
		if next != nil {
			g = next
		}
	}
	if g.stages() < 2 {
		return nil
	}
	b := g.bytesOfRow()
	if b.row+b.shared > t.Machine.RowBytes {
		return nil
	}
	g.size = g.rowsOfBlock(b)
	g.classes = []class{{blocks: 1}}
	return g
}

// wholeRows returns all steps that could join the group g, a single step, judged one by one. If they can also join
// together, the group is cut only once. Cutting it again for each step that joins would take time quadratic in their
// number.
func (t *tiler) wholeRows(g *tile) []int {
	all := &tile{t: t, rows: g.rows, steps: slices.Clone(g.steps)}
	for j := all.nextReader(g.steps[0]); j >= 0; j = all.nextReader(j) {
		if t.hasRows(j, g.rows) {
			all.steps = append(all.steps, slices.DeleteFunc(all.withRows(j, nil), func(k int) bool { return !t.hasRows(k, g.rows) })...)
		}
	}
	return all.steps[1:]
}

// nextReader returns the first step after step j that reads a buffer stored by a member and that may still become a
// member, or -1 if there is none.
func (t *tile) nextReader(j int) int {
	next := -1
	for _, i := range t.steps {
		for _, out := range t.t.p.Steps[i].Out {
			for _, k := range t.t.uses.Readers(out.Buffer) {
				if k > j && (next < 0 || k < next) && !t.t.taken[k] && !slices.Contains(t.steps, k) {
					next = k
				}
			}
		}
	}
	if next >= t.steps[0]+t.t.Machine.LookAhead {
		return -1
	}
	return next
}

// withRows appends step j to a list, and all steps that j waits for, come after the first member and have as many rows
// as the group.
func (t *tile) withRows(j int, list []int) []int {
	list = append(list, j)
	for _, a := range t.t.p.Steps[j].In {
		for _, k := range t.t.uses.Writers(a.Buffer) {
			if t.steps[0] < k && k < j && !t.t.taken[k] && t.rowsOf(k) == t.rows && !slices.Contains(t.steps, k) && !slices.Contains(list, k) {
				list = t.withRows(k, list)
			}
		}
	}
	return list
}

// rowsOf returns the number of rows of the group's kind that a step multiplies, or reduces or scans, or 0.
func (t *tile) rowsOf(i int) int {
	if t.whole {
		return t.t.matricesOf(i)
	}
	return t.t.rowsOf(i)
}

// hasRows reports whether step i may be a member.
func (t *tile) hasRows(i int) bool {
	if t.whole {
		return t.t.hasMatrices(i, t.rows)
	}
	return t.t.hasRows(i, t.rows)
}

// join returns the row group with more steps, or nil if these cannot all be members.
func (t *tile) join(more []int) *tile {
	next := &tile{t: t.t, rows: t.rows, whole: t.whole, steps: slices.Concat(t.steps, more)}
	sort.Ints(next.steps)
	if slices.ContainsFunc(more, func(k int) bool { return !t.hasRows(k) }) || !next.inOrder() || !next.cut() || !next.chooseRows() {
		return nil
	}
	return next
}

// inOrder adds to the intermediates the buffers that one member stores and another reads. It fails if a member waits
// for an outside step that itself waits for a member.
func (t *tile) inOrder() bool {
	p := t.t.p
	late, stored := map[int]bool{}, map[int]bool{}
	for j := t.steps[0]; j <= t.steps[len(t.steps)-1]; j++ {
		s := &p.Steps[j]
		waits := s.Touches(func(b int) bool { return late[b] })
		member := slices.Contains(t.steps, j)
		switch {
		case member && waits:
			return false
		case member:
			for _, a := range s.In {
				if stored[a.Buffer] && !slices.Contains(t.made, a.Buffer) {
					t.made = append(t.made, a.Buffer)
				}
			}
			for _, o := range s.Out {
				stored[o.Buffer] = true
			}
		case waits || s.Touches(func(b int) bool { return stored[b] }):
			for _, o := range s.Out {
				late[o.Buffer] = true
			}
		}
	}
	return true
}

// own reports whether only members touch an intermediate. Then the tile can keep it in scratch, one block at a time.
func (t *tile) own(buffer int) bool {
	if t.rows == 0 {
		return true
	}
	touches := 0
	for _, i := range t.steps {
		if t.t.p.Steps[i].Touches(func(b int) bool { return b == buffer }) {
			touches++
		}
	}
	return t.t.p.Buffers[buffer].Kind == plan.TempBuffer && touches == t.t.uses.Count(buffer)
}

// chooseRows finds the axes that count the rows in each member. It fails unless these are outer axes, and each row has
// its own part of each intermediate.
func (t *tile) chooseRows() bool {
	member := 0
	for member < len(t.members) && (t.rowsOf(t.members[member].index) == 0 || t.apart(member)) {
		member++
	}
	if member == len(t.members) {
		return true // the step that works on rows joins later
	}
	s, n := &t.members[member].step, t.rows
	end := len(s.Axes)
	switch {
	case t.whole:
		end = s.Product().Pairs
	case s.Contracts():
		end = s.Product().Cols
	}
	for axis, a := range s.Axes[:end] {
		if a.Role != plan.Parallel || a.Extent == 1 {
			continue
		}
		f, ok := t.follow(member, axis, rows)
		if !ok {
			return false
		}
		t.images = append(t.images, f)
		n /= a.Extent
	}
	if n != 1 {
		return false
	}
	for k := range t.members {
		if s := &t.members[k].step; s.Contracts() && !t.whole && (t.rowOf(k) < 0 || s.Product().Cols < len(s.Axes)-1) || !t.rowsFirst(k) {
			return false
		}
	}
	return !slices.ContainsFunc(t.made, func(b int) bool { return !t.own(b) && !t.inTurn(b) || t.t.uses.Shared(b) })
}

// rowsFirst reports whether the axes that count the rows come first among the parallel axes of member k.
func (t *tile) rowsFirst(k int) bool {
	i := 0
	for axis, a := range t.members[k].step.Axes {
		if a.Role != plan.Parallel || a.Extent == 1 {
			continue
		}
		if t.images[i].axes[k] != axis {
			return false
		}
		if i++; i == len(t.images) {
			break
		}
	}
	return true
}

// inTurn reports whether the rows of an intermediate follow one another in memory, in the order of the outer axes.
func (t *tile) inTurn(buffer int) bool {
	for i := range t.images[1:] {
		if t.images[i+1].dims[buffer] != t.images[i].dims[buffer]+1 {
			return false
		}
	}
	first, last := t.images[0].dims[buffer], t.images[len(t.images)-1].dims[buffer]
	n := 1
	for d, e := range t.shapes[buffer] {
		if d < first {
			n *= e
		}
	}
	return n == 1 || last == len(t.shapes[buffer])-1
}

// stages returns the number of members that work along the rows: they have an axis that does not count rows.
func (t *tile) stages() (n int) {
	if len(t.images) == 0 {
		return 0
	}
	for k := range t.members {
		axes := t.members[k].step.Axes
		for axis := len(axes) - 1; axis >= 0; axis-- {
			if axes[axis].Role == plan.Parallel && axes[axis].Extent == 1 {
				continue
			}
			if !slices.ContainsFunc(t.images, func(f followed) bool { return f.axes[k] == axis }) {
				n++
				break
			}
		}
	}
	return n
}
