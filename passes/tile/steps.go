package tile

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Properties of one step that tiles use: how many rows it has, whether it copies or multiplies windows.

// rowsFrom returns how many rows a group that begins with step i has: those of the step, or of a later one that scans or multiplies
// what it stores, or reduces what it copies; 0 if there are none.
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

// rowsOf returns how many rows a step reduces, scans or multiplies.
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
		for _, a := range s.Axes[s.Product().Cols:] {
			rows /= max(1, a.Extent)
		}
	}
	return rows
}

// acrossRows reports whether a step is vectorized across the lines that it reduces or
// scans, so that each of its blocks has all elements of many lines.
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

// hasRows reports whether step i may be a member of a group of so many rows.
func (t *tiler) hasRows(i, rows int) bool {
	switch s := &t.p.Steps[i]; {
	case s.OnLines():
		return false // its operands have lines of other lengths
	case slices.ContainsFunc(s.Out, func(o plan.Output) bool { return t.uses.Shared(o.Buffer) }):
		return false // others write of the same rows
	case t.acrossRows(s) && (s.Scans() || s.Axes[len(s.Axes)-2].Extent < t.Machine.MinColumns):
		return false // each of its blocks has all rows
	case s.Contracts() && readsWindows(s):
		return false // it packs what it reads for several rows at once
	case s.Contracts() && (rows < t.Machine.LeastProductRows || pairsOfBatch(s) < t.Machine.LeastProduct):
		return false
	}
	return true
}

// pairsOfBatch returns how many pairs the elements of one product of a batch have together. Without a batch it is as good as many.
func pairsOfBatch(s *plan.Step) int {
	first := s.Product().Pairs
	if first == 0 {
		return math.MaxInt
	}
	n := 1
	for _, a := range s.Axes[first:] {
		n *= a.Extent
	}
	return n
}

// readsWindows reports whether the matrices of a product have several axes for their pairs,
// rows or columns.
func readsWindows(s *plan.Step) bool {
	at := s.Product()
	return at.Rows-at.Pairs > 1 || at.Cols-at.Rows > 1 || len(s.Axes)-at.Cols > 1
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
