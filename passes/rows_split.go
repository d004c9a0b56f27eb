package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The outer axes of a row group, and the loop nests of its steps with those
// axes apart.

func pick[T any](from []T, axes []int) []T {
	out := make([]T, len(axes))
	for i, k := range axes {
		out[i] = from[k]
	}
	return out
}

// rowSpace is memory for shapes that are needed for a short time: what its methods return is valid
// until the next call, but for steps.
type rowSpace struct {
	layout.Space
	parallel, rows []int
}

// outerAxes returns the coarsest shape of the rows that refines outer and has
// the cuts of a step's nest.
func (sp *rowSpace) outerAxes(s *plan.Step, outer []int, rows int) ([]int, bool) {
	shape, ok := sp.common(s, outer, rows)
	if !ok {
		return nil, false
	}
	n := 1
	for i, e := range shape {
		if n *= e; n == rows {
			return shape[:i+1], true
		}
	}
	return nil, false
}

// common returns the coarsest shape that the parallel axes of a step and the outer
// axes, with all the elements of a row behind them, are made of.
func (sp *rowSpace) common(s *plan.Step, outer []int, rows int) ([]int, bool) {
	sp.Reset()
	sp.parallel = sp.parallel[:0]
	n := 1
	for _, a := range s.Axes {
		if a.Role == plan.Parallel {
			sp.parallel = append(sp.parallel, a.Extent)
			n *= a.Extent
		}
	}
	if n%rows != 0 {
		return nil, false
	}
	sp.rows = append(append(sp.rows[:0], outer...), n/rows)
	ls, ok := sp.Refine(apart(sp.parallel), apart(sp.rows))
	if !ok {
		return nil, false
	}
	return ls[0].Shape, true
}

// apart is a layout of a shape in which no two axes are one.
func apart(shape []int) layout.Layout {
	return layout.Layout{Shape: shape, Strides: manyOnes[:len(shape):len(shape)]}
}

var manyOnes = slices.Repeat([]int{1}, 2*layout.MaxRank)

// splitRows returns a step with the outer axes as axes of their own, and which of
// its axes is the last of them.
func (sp *rowSpace) splitRows(s *plan.Step, outer []int, rows int) (split plan.Step, along int, ok bool) {
	shape, ok := sp.common(s, outer, rows)
	if !ok || len(shape) < len(outer) || !slices.Equal(shape[:len(outer)], outer) {
		return split, 0, false
	}
	axis := s.Along()
	at := len(shape) // where that axis goes
	switch {
	case s.Reduces() || s.Scans():
		if len(shape) != len(outer) {
			return split, 0, false // of other rows
		}
	case s.Contracts():
		if len(shape) != len(outer)+1 || shape[len(outer)] != s.Axes[len(s.Axes)-1].Extent {
			return split, 0, false // rows of its product
		}
		at -= 2
	}
	axes := s.ParallelAxes()
	extents := pick(s.Extents(), axes)
	cut := func(a plan.Access) (plan.Access, bool) {
		l, ok := layout.Layout{Shape: extents, Strides: pick(a.Strides, axes)}.Reshape(shape...)
		if !ok || a.Panel != nil && a.Panel.Axis != len(s.Axes)-1 {
			return a, false
		}
		if a.Panel != nil {
			panel := *a.Panel
			panel.Axis = len(shape) // the columns: behind the pairs and the other axes
			a.Panel = &panel
		}
		own := l.Strides
		if axis >= 0 {
			own = slices.Insert(own, at, a.Strides[axis])
		}
		a.Strides = leading(own, max(2, len(own)), 0)
		return a, true
	}
	split = *s
	split.In, split.Out = slices.Clone(s.In), slices.Clone(s.Out)
	for i := range split.In {
		if split.In[i], ok = cut(split.In[i]); !ok {
			return split, 0, false
		}
	}
	for i := range split.Out {
		if split.Out[i].Access, ok = cut(split.Out[i].Access); !ok {
			return split, 0, false
		}
	}
	split.Axes = parallel(shape)
	along = len(outer) - 1
	if axis >= 0 {
		split.Axes = slices.Insert(split.Axes, at, s.Axes[axis])
		if at <= along {
			along++
		}
	}
	if pad := max(0, 2-len(split.Axes)); pad > 0 {
		split.Axes = append(parallel(leading(nil, pad, 1)), split.Axes...)
		along += pad
	}
	return split, along, true
}
