package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// What row, column and pairwise reductions cost. What a byte costs that is
// not contiguous along the columns, and what an element costs where vectors stay empty,
// are in additions of float32: they rank the two ways and predict no time.
const (
	stridedByte = 1.0
	emptyVector = 64.0
)

// rowCost estimates a row reduction of a step in normal form.
func (t *target) rowCost(s *plan.Step) float64 {
	last := len(s.Axes) - 1
	_, across := t.contiguousBytes(s)
	cost := t.work(s) + stridedByte*float64(elems(s)*across)
	if s.Axes[last].Extent <= t.ShortLine {
		cost += emptyVector * float64(elems(s))
	}
	return cost
}

// columnCost estimates a column reduction of a step in normal form.
func (t *target) columnCost(s *plan.Step) float64 {
	last := len(s.Axes) - 1
	along, _ := t.contiguousBytes(s)
	cost := t.work(s) + stridedByte*float64(elems(s)*along)
	if s.Axes[last-1].Extent < t.MinColumns && !t.joins(s) {
		cost += 2 * emptyVector * float64(elems(s))
	}
	return cost
}

// pairCost estimates a pairwise reduction: it goes before a row reduction.
func (t *target) pairCost(s *plan.Step) float64 { return t.rowCost(s) - float64(elems(s)) }

// contiguousBytes returns how many bytes of an index are inputs that are contiguous
// along the lines, and how many inputs that are contiguous across them. An input that
// repeats along either is not counted: it is one element a row, or the same row each
// time.
func (t *target) contiguousBytes(s *plan.Step) (along, across int) {
	last := len(s.Axes) - 1
	for _, a := range s.In {
		size := t.buffers[a.Buffer].DType.Size()
		switch line, next := abs(a.Strides[last]), abs(a.Strides[last-1]); {
		case line == 0 || next == 0:
		case line == 1:
			along += size
		case next == 1:
			across += size
		}
	}
	return along, across
}

// joins reports whether a column reduction of many rows can combine several as one
// long row: each input is contiguous from row to row, or the same row each time.
func (t *target) joins(s *plan.Step) bool {
	last := len(s.Axes) - 1
	for _, a := range s.In {
		row, col := a.Strides[last], a.Strides[last-1]
		if !(col == 1 && (row == 0 || row == s.Axes[last-1].Extent) || row == 0 && col == 0) {
			return false
		}
	}
	return s.Axes[last].Extent >= t.JoinedRows
}

// rowsCan returns why a row reduction can't compute a step in normal form, or "".
func rowsCan(s *plan.Step) string {
	last := len(s.Axes) - 1
	for _, o := range s.Out {
		if o.Combine == ir.OpInvalid && s.Axes[last].Extent > 1 && o.Strides[last] != 1 {
			return "an output that is stored is not contiguous along the lines"
		}
	}
	return ""
}

// columnsCan returns why a column reduction can't compute a step in normal form, or "".
func columnsCan(s *plan.Step) string {
	last := len(s.Axes) - 1
	for _, o := range s.Out {
		switch {
		case o.Combine.IsArgReduction():
			return "an index is found along a row alone"
		case s.Axes[last-1].Extent > 1 && o.Strides[last-1] != 1:
			return "an output is not contiguous across the lines"
		}
	}
	return ""
}
