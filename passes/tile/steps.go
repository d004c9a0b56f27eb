package tile

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Properties of single steps that tiles use, such as the number of rows, and whether a step copies or multiplies
// windows.

// rowsFrom returns the number of rows of a group that begins with step i, or 0 if there is no such group. If step i
// does not itself work on rows, the number is that of a later step that scans or multiplies its output, or reduces it
// if step i is a copy.
func (t *tiler) rowsFrom(i int) int {
	s := &t.p.Steps[i]
	if n := t.rowsOf(i); n > 0 || t.acrossRows(s) {
		return n
	}
	for _, o := range s.Out {
		for _, j := range t.uses.Readers(o.Buffer) {
			if next := &t.p.Steps[j]; i < j && j < i+t.Machine.LookAhead && next.In[0].Buffer == o.Buffer && (next.Scans() || next.Contracts() || onlyCopies(s) && next.Reduces()) {
				return t.rowsOf(j)
			}
		}
	}
	return 0
}

// rowsOf returns the number of rows that a step reduces, scans or multiplies. It is 0 for other steps, and for steps
// that are vectorized across their lines.
func (t *tiler) rowsOf(i int) int {
	s := &t.p.Steps[i]
	if s.Elementwise() || s.OnLines() || t.acrossRows(s) {
		return 0
	}
	rows := 1
	for _, k := range s.ParallelAxes() {
		rows *= s.Axes[k].Extent
	}
	if s.Contracts() {
		rows /= max(1, plan.Indices(s.Axes[s.Product().Cols:]))
	}
	return rows
}

// acrossRows reports whether a step is vectorized across the lines that it reduces or scans. Then each of its blocks
// has all elements of many lines.
func (t *tiler) acrossRows(s *plan.Step) bool {
	axis, last := s.Along(), len(s.Axes)-1
	switch {
	case s.Scans():
		return axis < last
	case !s.Reduces() || axis != last || last == 0 || !s.CombinesAll():
		return false
	}
	return t.Machine.ColumnCost(s) < t.Machine.RowCost(s)
}

// hasRows reports whether step i may be a member of a group with the given number of rows.
func (t *tiler) hasRows(i, rows int) bool {
	switch s := &t.p.Steps[i]; {
	case s.OnLines():
		return false // its operands have lines of other lengths
	case slices.ContainsFunc(s.Out, func(o plan.Output) bool { return t.uses.Shared(o.Buffer) }):
		return false // other steps write parts of the same rows
	case t.acrossRows(s) && (s.Scans() || s.Axes[len(s.Axes)-2].Extent < t.Machine.MinColumns):
		return false // each of its blocks has all rows
	case s.Contracts() && readsWindows(s):
		return false // it packs its windows for several rows at once
	case s.Contracts() && (rows < t.Machine.LeastProductRows || pairsOfBatch(s) < t.Machine.LeastProduct):
		return false
	}
	return true
}

// pairsOfBatch returns the number of multiplications in one product of a batch. A product without a batch counts as
// large: the number is math.MaxInt.
func pairsOfBatch(s *plan.Step) int {
	first := s.Product().Pairs
	if first == 0 {
		return math.MaxInt
	}
	return plan.Indices(s.Axes[first:])
}

// readsWindows reports whether the pairs, the rows or the columns of a product are several axes, as they are for
// windows of images.
func readsWindows(s *plan.Step) bool {
	at := s.Product()
	return at.Rows-at.Pairs > 1 || at.Cols-at.Rows > 1 || len(s.Axes)-at.Cols > 1
}

// onlyCopies reports whether a step is a pure copy, made because no strides describe the view.
func onlyCopies(s *plan.Step) bool {
	return s.Elementwise() && len(s.Body.Body) == 1 && s.Body.Body[0].Op == ir.OpCopy
}

// copiesOrCasts reports whether a step is a single copy or cast, which costs less to repeat than its result costs to
// read from memory.
func copiesOrCasts(s *plan.Step) bool {
	return onlyCopies(s) || s.Elementwise() && len(s.Body.Body) == 1 && s.Body.Body[0].Op == ir.OpCast
}
