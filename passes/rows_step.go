package passes

import "github.com/stridefuse/stridefuse/ir/plan"

// Properties of one step that row groups use: how many rows it has, what it writes.

// readsWindows reports whether the matrices of a product have several axes for their pairs,
// rows or columns.
func readsWindows(s *plan.Step) bool {
	at := s.Product()
	return at.Rows-at.Pairs > 1 || at.Cols-at.Rows > 1 || len(s.Axes)-at.Cols > 1
}

// acrossRows reports whether a step is vectorized across the lines that it reduces or
// scans, so that each of its blocks has all elements of many lines.
func (r *grouper) acrossRows(s *plan.Step) bool {
	axis, last := s.Along(), len(s.Axes)-1
	switch {
	case s.Scans():
		return axis < last
	case !s.Reduces() || axis != last || last == 0 || !s.CombinesAll():
		return false
	}
	return r.s.machine.ColumnCost(s) < r.s.machine.RowCost(s)
}

// rowsOf returns how many rows a step reduces, scans or multiplies.
func (r *grouper) rowsOf(s *plan.Step) int {
	if s.Elementwise() || s.OnLines() || r.acrossRows(s) {
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
