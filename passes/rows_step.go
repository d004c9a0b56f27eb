package passes

import "github.com/stridefuse/stridefuse/ir/plan"

// What row groups ask of one step: what kind it is, how many rows it has, what it writes.

// onLines reports whether a step computes lines from lines.
func onLines(s *plan.Step) bool {
	role, _ := s.Kind()
	return role == plan.Line
}

// contracts reports whether a step is a product.
func contracts(s *plan.Step) bool {
	role, _ := s.Kind()
	return role == plan.Contract
}

// readsWindows reports whether a step is a product whose matrices have several axes for
// their pairs, rows or columns: its strategy packs what it reads for several rows at once.
func readsWindows(s *plan.Step) bool {
	at := s.Product()
	return at.Rows-at.Pairs > 1 || at.Cols-at.Rows > 1 || len(s.Axes)-at.Cols > 1
}

// acrossRows reports whether a step is vectorized across the lines that it reduces or
// scans, so that each of its blocks has all elements of many lines.
func (r *grouper) acrossRows(s *plan.Step) bool {
	role, axis := s.Kind()
	last := len(s.Axes) - 1
	switch {
	case s.Scans():
		return axis < last
	case role != plan.Reduce || axis != last || last == 0 || !s.CombinesAll():
		return false
	}
	return r.machine.ColumnCost(s) < r.machine.RowCost(s)
}

// rowsOf returns how many rows a step folds, scans or multiplies.
func (r *grouper) rowsOf(s *plan.Step) int {
	role, _ := s.Kind()
	if role == plan.Parallel || role == plan.Line || r.acrossRows(s) {
		return 0
	}
	rows := 1
	for _, k := range keptAxes(s) {
		rows *= s.Axes[k].Extent
	}
	if role == plan.Contract {
		for _, a := range s.Axes[s.Product().Cols:] {
			rows /= max(1, a.Extent)
		}
	}
	return rows
}

// written lists the buffers that a step writes.
func written(s *plan.Step) []int {
	var out []int
	for _, o := range s.Out {
		out = append(out, o.Buffer)
	}
	return out
}
