package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// rows puts steps that reduce, scan or multiply rows, what a scan or a product reads,
// and what needs the results row by row, into row groups: softmax is the greatest
// of a row, the exponentials and their sum, and the quotients, and one block of
// rows goes through all three before the next. What the steps of a group hand on
// then needs memory for one block. Steps that they wait for, as the packing of a
// right matrix, go before the group.
func rows(s *State) {
	r := &grouper{s: s, p: s.Plan, uses: s.bufferUses(), from: s.pass.ints.take(len(s.Plan.Steps)), late: s.pass.ints.take(len(s.Plan.Buffers))}
	for i := range r.from {
		r.from[i] = i
	}
	for i := 0; i < len(r.p.Steps); i++ {
		if r.grouped(i) {
			continue
		}
		if g := r.group(i); g != nil {
			i = r.apply(g)
		}
	}
	if len(r.p.Rows) > 0 {
		sortGroups(r.p.Rows)
		r.renumber()
	}
}

type grouper struct {
	s     *State
	p     *plan.Plan
	uses  bufferUses // but for the numbers of steps, which move
	late  []int      // by buffer: 1 + the first step of the group that last passed over what writes it
	from  []int      // by step: where it stood at first
	space rowSpace

	try    rowGroup      // the present one, in memory of those before
	spare  map[int][]int // steps that it passes over and that could go first, by what they write
	memory []bufferRow   // of bytesOfRow

	touched map[int]int  // of scratch: how many steps of the group touch a buffer
	kept    map[int]bool // of scratch: buffers that only the group touches, and whether chunk follows chunk
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
	g := &r.try
	*g = rowGroup{rows: rows, steps: g.steps[:0], outer: append(g.outer[:0], rows), made: g.made[:0], split: g.split[:0], along: g.along[:0]}
	if !r.join(g, i) {
		return nil
	}
	if r.spare == nil {
		r.spare = map[int][]int{}
	}
	clear(r.spare)
	left := r.unread(g, 0) // touches of what the group makes by steps to come, at most
	for j := i + 1; j < len(r.p.Steps) && j < i+r.s.machine.LookAhead && left > 0 && !r.grouped(j); j++ {
		ready, reads, made := r.ready(j, i), r.reads(g, j), len(g.made)
		left -= reads
		switch {
		case ready && reads > 0 && r.take(g, j):
			left += r.unread(g, made)
		case ready && reads == 0:
			for _, o := range r.p.Steps[j].Out {
				r.spare[o.Buffer] = append(r.spare[o.Buffer], j)
			}
		default:
			for _, o := range r.p.Steps[j].Out {
				r.late[o.Buffer] = 1 + i
			}
		}
	}
	if b := r.bytesOfRow(g); g.stages() < 2 || b.row+b.shared > r.s.machine.RowBytes {
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
	if !slices.ContainsFunc(s.Out, func(o plan.Output) bool { return r.uses.count(o.Buffer) > 1 }) {
		return 0
	}
	for j := i + 1; j < len(r.p.Steps) && j < i+r.s.machine.LookAhead; j++ {
		if next := &r.p.Steps[j]; (next.Scans() || next.Contracts() || onlyCopies(s) && next.Reduces()) && writes(s, next.In[0].Buffer) {
			return r.rowsOf(next)
		}
	}
	return 0
}

// unread returns how many other steps touch what the group makes, from a buffer of made on.
func (r *grouper) unread(g *rowGroup, from int) (n int) {
	for _, m := range g.made[from:] {
		n += r.uses.count(m.buffer) - 1
	}
	return n
}

// onlyCopies reports whether a step copies elements as they are: what strides do not describe.
func onlyCopies(s *plan.Step) bool {
	return s.Elementwise() && len(s.Body.Body) == 1 && s.Body.Body[0].Op == ir.OpCopy
}

// copiesOrCasts reports whether a step is one copy or cast of elements: to do it again costs less than
// to read the result from memory.
func copiesOrCasts(s *plan.Step) bool {
	return onlyCopies(s) || s.Elementwise() && len(s.Body.Body) == 1 && s.Body.Body[0].Op == ir.OpCast
}

// ready reports whether step j needs nothing that the group from step i on has passed over.
func (r *grouper) ready(j, i int) bool {
	return !r.p.Steps[j].Touches(func(b int) bool { return r.late[b] == 1+i })
}

// take adds step j to the group, with what it waits for: a step of the same rows
// joins the group too if j then still can, and others go in front of it.
func (r *grouper) take(g *rowGroup, j int) bool {
	next := *g
	next.before = slices.Clone(g.before)
	for _, a := range r.p.Steps[j].In {
		for _, k := range r.spare[a.Buffer] {
			if k == j || slices.Contains(next.steps, k) || slices.Contains(next.before, k) {
				continue
			}
			with := next
			if r.rowsOf(&r.p.Steps[k]) == g.rows && r.take(&with, k) {
				if probe := with; r.join(&probe, j) {
					next = with
					continue
				}
			}
			if !r.moveUp(&next, k) {
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

// moveUp schedules step k before the group, after the steps that k depends on. It fails
// if k reads a buffer that the group writes.
func (r *grouper) moveUp(g *rowGroup, k int) bool {
	if r.reads(g, k) > 0 {
		return false
	}
	for _, a := range r.p.Steps[k].In {
		for _, b := range r.spare[a.Buffer] {
			if b != k && !slices.Contains(g.before, b) && !r.moveUp(g, b) {
				return false
			}
		}
	}
	g.before = append(g.before, k)
	return true
}

// reads returns how many of the buffers that the group makes step j touches.
func (r *grouper) reads(g *rowGroup, j int) (n int) {
	for _, m := range g.made {
		if r.p.Steps[j].Touches(func(b int) bool { return b == m.buffer }) {
			n++
		}
	}
	return n
}

// multiplies reports whether a step of the group is a product.
func (g *rowGroup) multiplies() bool {
	return slices.ContainsFunc(g.split, func(s plan.Step) bool { return s.Contracts() })
}

// scans reports whether a step of the group is a scan.
func (g *rowGroup) scans() bool {
	return slices.ContainsFunc(g.split, func(s plan.Step) bool { return s.Scans() })
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

// grouped reports whether a step is in a row group.
func (r *grouper) grouped(i int) bool {
	return slices.ContainsFunc(r.p.Rows, func(g plan.RowGroup) bool { return g.First <= i && i <= g.Last })
}
