package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// The outer axes of a row group, and the loop nests of its steps with those
// axes apart.

// keptAxes returns the axes of a step's loop nest that a fold or a product leaves:
// all of a step that has neither.
func keptAxes(s *plan.FlatStep) []int {
	last := len(s.Extents) - 1
	axes := make([]int, 0, last+1)
	for k := range s.Extents {
		if s.Down && k == last-1 || s.Kernel.Fold != nil && k == last || s.Kernel.Dots() && k == last-2 {
			continue
		}
		axes = append(axes, k)
	}
	return axes
}

func pick[T any](from []T, axes []int) []T {
	out := make([]T, len(axes))
	for i, k := range axes {
		out[i] = from[k]
	}
	return out
}

// outerAxes returns the coarsest shape of the rows that refines outer and has
// the cuts of a step's nest.
func outerAxes(s *plan.FlatStep, outer []int, rows int) ([]int, bool) {
	shape, ok := common(s, outer, rows)
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

// common returns the coarsest shape that the kept axes of a step and the outer
// axes, with all the elements of a row behind them, are made of.
func common(s *plan.FlatStep, outer []int, rows int) ([]int, bool) {
	kept := pick(s.Extents, keptAxes(s))
	n := 1
	for _, e := range kept {
		n *= e
	}
	if n%rows != 0 {
		return nil, false
	}
	ls, ok := layout.Refine(apart(kept), apart(append(slices.Clone(outer), n/rows)))
	if !ok {
		return nil, false
	}
	return ls[0].Shape, true
}

// apart is a layout of a shape in which no two axes are one.
func apart(shape []int) layout.Layout {
	return layout.Layout{Shape: shape, Strides: slices.Repeat([]int{1}, len(shape))}
}

// splitRows returns a step with the outer axes as axes of their own, and which of
// its axes is the last of them.
func splitRows(s *plan.FlatStep, outer []int, rows int) (split plan.FlatStep, along int, ok bool) {
	shape, ok := common(s, outer, rows)
	if !ok || len(shape) < len(outer) || !slices.Equal(shape[:len(outer)], outer) {
		return split, 0, false
	}
	axes, last := keptAxes(s), len(s.Extents)-1
	folded, dots := s.Down || s.Kernel.Fold != nil, s.Kernel.Dots()
	switch {
	case folded && len(shape) != len(outer):
		return split, 0, false // it folds other rows
	case dots && (len(shape) != len(outer)+1 || shape[len(outer)] != s.Extents[last]):
		return split, 0, false // rows of its product
	}
	split = *s
	split.Operands = slices.Clone(s.Operands)
	for i := range split.Operands {
		a := &split.Operands[i]
		l, ok := layout.Layout{Shape: pick(s.Extents, axes), Strides: pick(a.Strides, axes)}.Reshape(shape...)
		if !ok {
			return split, 0, false
		}
		a.Strides = l.Strides
		switch {
		case s.Down:
			a.Strides = slices.Insert(a.Strides, len(shape)-1, s.Operands[i].Strides[last-1])
		case dots:
			a.Strides = slices.Insert(a.Strides, len(shape)-2, s.Operands[i].Strides[last-2])
		case folded:
			a.Strides = append(a.Strides, s.Operands[i].Strides[last])
		}
		a.Strides = atLeastTwo(a.Strides, 0)
	}
	along = len(outer) - 1
	switch {
	case s.Down:
		split.Extents = slices.Insert(slices.Clone(shape), len(shape)-1, s.Extents[last-1])
		along++
	case dots:
		split.Extents = slices.Insert(slices.Clone(shape), len(shape)-2, s.Extents[last-2])
		along++
	case folded:
		split.Extents = append(slices.Clone(shape), s.Extents[last])
	default:
		split.Extents = slices.Clone(shape)
	}
	if len(split.Extents) < 2 {
		split.Extents = atLeastTwo(split.Extents, 1)
		along++
	}
	return split, along, true
}
