package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// rows puts steps that reduce, scan or multiply rows, what a scan or a product reads,
// and what needs the results row by row, into row groups: softmax is the greatest
// of a row, the exponentials and their sum, and the quotients, and one block of
// rows goes through all three before the next. What the steps of a group hand on
// then needs memory for one block. Steps that they wait for, as the packing of a
// right matrix, go before the group.
//
// Requires: loops.
// Ensures: the steps of a group are consecutive; each reads of the others'
// results only its own rows; buffers that only a group uses are scratch. The
// ledger is final but for sizes.
func rows(s *State) error {
	r := &grouper{State: s, p: s.Plan, from: make([]int, len(s.Plan.Steps))}
	for i := range r.from {
		r.from[i] = i
	}
	r.users()
	for i := 0; i < len(r.p.Steps); i++ {
		if g := r.group(i); g != nil {
			r.apply(g)
			i = r.p.Rows[len(r.p.Rows)-1].Last
		}
	}
	if len(r.p.Rows) > 0 {
		r.renumber()
		s.Plan.Ledger = s.decisions()
	}
	return nil
}

type grouper struct {
	*State
	p      *plan.Plan
	uses   []int  // by buffer: how many steps touch it
	shared []bool // by buffer: whether several steps write it
	from   []int  // by step: where it stood at first
}

func (r *grouper) users() {
	r.uses, r.shared = make([]int, len(r.p.Buffers)), make([]bool, len(r.p.Buffers))
	writes := make([]bool, len(r.p.Buffers))
	for i := range r.p.Steps {
		for _, b := range buffersOf(&r.p.Steps[i]) {
			r.uses[b]++
		}
		for _, b := range written(&r.p.Steps[i]) {
			writes[b], r.shared[b] = true, writes[b]
		}
	}
}

// buffersOf lists the buffers that a step touches, each once.
func buffersOf(s *plan.Step) []int {
	var out []int
	for a := range s.Accesses() {
		if !slices.Contains(out, a.Buffer) {
			out = append(out, a.Buffer)
		}
	}
	return out
}

// rowGroup is a row group in the making. A copy is a try, and shares what the slices
// hold: one of the two is given up before the other grows.
type rowGroup struct {
	steps  []int
	before []int       // steps that must go before them, out of their order
	rows   int         // in all
	outer  []int       // the extents of the outer axes
	made   []madeRows  // buffers that its steps write
	split  []plan.Step // the steps with the outer axes split
	along  []int       // which axis is the last outer one
}

// madeRows says how far the rows of a buffer that a group writes are apart.
type madeRows struct{ buffer, row int }

// row returns how far the rows of a buffer that the group writes are apart, 0 if it
// writes no such buffer.
func (g *rowGroup) row(buffer int) int {
	for _, m := range g.made {
		if m.buffer == buffer {
			return m.row
		}
	}
	return 0
}

// group returns the row group that begins with step i, nil if there is none worth
// it.
func (r *grouper) group(i int) *rowGroup {
	rows := r.rowsFrom(i)
	if rows < 2 {
		return nil
	}
	g := &rowGroup{rows: rows, outer: []int{rows}}
	if !r.join(g, i) {
		return nil
	}
	late, spare := map[int]bool{}, map[int][]int{} // buffers of steps that are passed over; which of those could go first
	for j := i + 1; j < len(r.p.Steps) && j < i+r.machine.LookAhead; j++ {
		switch ready, reads := r.ready(j, late), r.reads(g, j); {
		case ready && reads && r.take(g, j, spare):
		case ready && !reads:
			for _, b := range written(&r.p.Steps[j]) {
				spare[b] = append(spare[b], j)
			}
		default:
			for _, b := range written(&r.p.Steps[j]) {
				late[b] = true
			}
		}
	}
	if row, shared := r.bytesOfRow(g); g.stages() < 2 || row+shared > r.machine.RowBytes {
		return nil
	}
	return g
}

// rowsFrom returns how many rows a group that begins with step i has: those that
// the step reduces or scans, or that a scan of what it writes has, or a reduction of what
// it copies; 0 if there are none.
func (r *grouper) rowsFrom(i int) int {
	s := &r.p.Steps[i]
	if n := r.rowsOf(s); n > 0 || r.acrossRows(s) {
		return n
	}
	for j := i + 1; j < len(r.p.Steps) && j < i+r.machine.LookAhead; j++ {
		if next := &r.p.Steps[j]; (next.Scans() || next.Contracts() || onlyCopies(s) && next.Reduces()) && slices.Contains(written(s), next.In[0].Buffer) {
			return r.rowsOf(next)
		}
	}
	return 0
}

// onlyCopies reports whether a step copies elements as they are: what strides do not describe.
func onlyCopies(s *plan.Step) bool {
	return s.Elementwise() && len(s.Body.Body) == 1 && s.Body.Body[0].Op == ir.OpCopy
}

// ready reports whether step j needs none of the late buffers.
func (r *grouper) ready(j int, late map[int]bool) bool {
	return !r.p.Steps[j].Touches(func(b int) bool { return late[b] })
}

// take adds step j to the group, with what it waits for: a step of the same rows
// joins the group too if j then still can, and others go in front of it.
func (r *grouper) take(g *rowGroup, j int, spare map[int][]int) bool {
	next := *g
	next.before = slices.Clone(g.before)
	for _, a := range r.p.Steps[j].In {
		for _, k := range spare[a.Buffer] {
			if k == j || slices.Contains(next.steps, k) || slices.Contains(next.before, k) {
				continue
			}
			with := next
			if r.rowsOf(&r.p.Steps[k]) == g.rows && r.take(&with, k, spare) {
				if probe := with; r.join(&probe, j) {
					next = with
					continue
				}
			}
			if !r.moveUp(&next, k, spare) {
				return false
			}
		}
	}
	if !r.join(&next, j) {
		return false
	}
	*g = next
	return true
}

// moveUp puts step k in front of the group, behind what it waits for. It can't if
// it reads what the group makes.
func (r *grouper) moveUp(g *rowGroup, k int, spare map[int][]int) bool {
	if r.reads(g, k) {
		return false
	}
	for _, a := range r.p.Steps[k].In {
		for _, b := range spare[a.Buffer] {
			if b != k && !slices.Contains(g.before, b) && !r.moveUp(g, b, spare) {
				return false
			}
		}
	}
	g.before = append(g.before, k)
	return true
}

// reads reports whether step j reads what the group makes.
func (r *grouper) reads(g *rowGroup, j int) bool {
	return r.p.Steps[j].Touches(func(b int) bool { return g.row(b) > 0 })
}

// multiplies reports whether a step of the group is a product.
func (g *rowGroup) multiplies() bool {
	return slices.ContainsFunc(g.split, func(s plan.Step) bool { return s.Contracts() })
}

// stages returns how many steps work on whole rows.
func (g *rowGroup) stages() int {
	n := 0
	for k, s := range g.split {
		if g.along[k] != len(s.Axes)-1 {
			n++
		}
	}
	return n
}

// join adds step j to the group, if its loop nest has the rows for outer axes
// and it reads of the group's buffers its own rows only.
func (r *grouper) join(g *rowGroup, j int) bool {
	switch s := &r.p.Steps[j]; {
	case s.OnLines():
		return false // its operands have lines of other lengths
	case slices.ContainsFunc(written(s), func(b int) bool { return r.shared[b] }):
		return false // others write of the same rows
	case r.acrossRows(s) && (s.Scans() || s.Axes[len(s.Axes)-2].Extent < r.machine.MinColumns):
		return false // each of its blocks has all rows
	case s.Contracts() && readsWindows(s):
		return false // it packs what it reads for several rows at once
	case s.Contracts() && g.rows < r.machine.LeastProductRows && !r.eager:
		return false
	}
	outer, ok := outerAxes(&r.p.Steps[j], g.outer, g.rows)
	if !ok {
		return false
	}
	next := *g
	next.steps = append(g.steps, j)
	if !slices.Equal(outer, g.outer) { // the others are split anew
		next.outer, next.made, next.split, next.along = outer, nil, nil, nil
	}
	for _, k := range next.steps[len(next.split):] {
		s, along, ok := splitRows(&r.p.Steps[k], next.outer, g.rows)
		if !ok || !next.local(r.p, &s, along) {
			return false
		}
		next.split, next.along = append(next.split, s), append(next.along, along)
	}
	*g = next
	return true
}

// local reports whether a step reads and writes of the group's buffers, for each
// row, the elements of that row alone, and notes what it writes: the distance
// from a row to the next.
func (g *rowGroup) local(p *plan.Plan, s *plan.Step, along int) bool {
	for o, out := range s.Out {
		row := g.row(out.Buffer)
		if row == 0 {
			row = max(out.Strides[along], 1)
			g.made = append(g.made, madeRows{out.Buffer, row})
		}
		if !g.rowOnly(&p.Buffers[out.Buffer], s.OutExtents(o), out.Access, along, row) {
			return false
		}
	}
	for _, a := range s.In {
		if row := g.row(a.Buffer); row > 0 && !g.rowOnly(&p.Buffers[a.Buffer], s.Extents(), a, along, row) {
			return false
		}
	}
	return true
}

// rowOnly reports whether an access touches, for each row, elements of that row
// alone, the rows being that far apart: next to each other if a row is more than
// one element and they are 1 apart, as the chunks of a reduction are.
func (g *rowGroup) rowOnly(b *plan.Buffer, extents []int, a plan.Access, along, row int) bool {
	outer := layout.RowMajor(g.outer...).Strides
	inner := layout.Layout{Offset: a.Offset}
	lead := len(outer) - 1
	for k, n := range extents {
		want := 0
		switch {
		case k < lead:
			want = outer[k] * row
		case k == along:
			want = row
		default:
			if n > 1 {
				inner.Shape, inner.Strides = append(inner.Shape, n), append(inner.Strides, a.Strides[k])
			}
			continue
		}
		if n > 1 && a.Strides[k] != want {
			return false
		}
	}
	lo, hi := inner.Bounds()
	if width := b.Size() / g.rows; row == 1 && width > 1 { // chunk after chunk
		return lo >= 0 && hi < b.Size() && !slices.ContainsFunc(append(inner.Strides, lo), func(n int) bool { return n%g.rows != 0 })
	}
	return lo >= 0 && hi < row
}
