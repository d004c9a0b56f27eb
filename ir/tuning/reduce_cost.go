package tuning

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The costs of row, column and pairwise reductions, which rank these strategies. A step is in normal form: its
// last axis is the one that it reduces, along the lines, and the axis before that goes across them.

// RowCost estimates the cost of a step as a row reduction.
func (m *Machine) RowCost(s *plan.Step) float64 {
	last := len(s.Axes) - 1
	along, across := contiguousBytes(s)
	each := m.BodyWork(s) + m.StridedByte*float64(across)
	n := s.Axes[last].Extent
	short := along > 0 && n*along <= m.ShortBytes
	if (n <= m.ShortLine || short) && !(short && m.ShortSums && addsShort(s)) {
		each += m.EmptyVector
	}
	return each * float64(plan.Indices(s.Axes))
}

// addsShort reports whether a step sums 1-byte or 2-byte integers that are contiguous along the lines. A kernel sums several
// such short lines at once.
func addsShort(s *plan.Step) bool {
	last := len(s.Axes) - 1
	if last == 0 || len(s.In) != 1 || len(s.Out) != 1 || s.Out[0].Combine != ir.OpAdd || s.In[0].Strides[last] != 1 || s.In[0].Strides[last-1] < s.Axes[last].Extent {
		return false
	}
	from, body := s.Body.In[0].DType, s.Body.Body
	return from.Size() <= 2 && (from == ir.Bool || ir.Ints.Has(from)) && len(body) == 1 && body[0].Op == ir.OpCast && ir.Ints.Has(body[0].DType) && body[0].DType.Size() >= 4
}

// ColumnCost estimates the cost of a step as a column reduction.
func (m *Machine) ColumnCost(s *plan.Step) float64 {
	along, _ := contiguousBytes(s)
	each := m.BodyWork(s) + m.StridedByte*float64(along)
	if !m.fills(s) && !m.joins(s) {
		each += 2 * m.EmptyVector
	}
	return each * float64(plan.Indices(s.Axes))
}

// PairCost estimates the cost of a step as a pairwise reduction: a little less than as a row reduction, which it precedes.
func (m *Machine) PairCost(s *plan.Step) float64 { return m.RowCost(s) - float64(plan.Indices(s.Axes)) }

// fills reports whether the columns of a column reduction are enough, or a few whole vectors.
func (m *Machine) fills(s *plan.Step) bool {
	cols := s.Axes[len(s.Axes)-2].Extent
	bytes := cols * s.Body.OutType(0).Size()
	return cols >= m.MinColumns || bytes >= m.WholeVectors*m.Vector && bytes%m.Vector == 0
}

// contiguousBytes returns the bytes per index of the inputs that are contiguous along the lines, and of those
// contiguous across them. An input that repeats along either is not counted: it is one element a row, or the same row
// each time.
func contiguousBytes(s *plan.Step) (along, across int) {
	last := len(s.Axes) - 1
	for i, a := range s.In {
		size := s.Body.In[i].DType.Size()
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

// joins reports whether a column reduction has many rows and can combine several of them as one long row: each input
// is contiguous from row to row, or the same row each time.
func (m *Machine) joins(s *plan.Step) bool {
	last := len(s.Axes) - 1
	for _, a := range s.In {
		row, col := a.Strides[last], a.Strides[last-1]
		if !(col == 1 && (row == 0 || row == s.Axes[last-1].Extent) || row == 0 && col == 0) {
			return false
		}
	}
	return s.Axes[last].Extent >= m.JoinedRows
}

func abs(n int) int { return max(n, -n) }
