package tile

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// The members of a tile are its steps, with axes cut where dimensions of the intermediates end. After that, each axis
// moves along one dimension of each intermediate.

// tileMember is a step of a tile, or the part of a copying step that stores one of its outputs.
type tileMember struct {
	index int // of the step in the plan
	step  plan.Step
}

// cut makes members from the steps. In tiles other than row groups it fails if a step before the last has several
// outputs, unless the step only copies or casts.
func (t *tile) cut() bool {
	t.members, t.shapes = nil, map[int][]int{}
	steps := make([]plan.Step, len(t.steps))
	for k, i := range t.steps {
		steps[k] = *rowsApart(&t.t.p.Steps[i])
	}
	for changed := true; changed; { // a cut axis may move along more dimensions, which are then cut too
		changed = false
		for _, b := range t.made {
			shape := shapeIn(steps, b, t.t.p.Buffers[b].Shape)
			changed = changed || !slices.Equal(shape, t.shapes[b])
			t.shapes[b] = shape
		}
		for k := range steps {
			if changed {
				steps[k] = t.cutStep(steps[k])
			}
		}
	}
	for k, i := range t.steps {
		s, last := steps[k], k == len(steps)-1
		switch {
		case last || t.rows > 0 || len(s.Out) == 1:
			t.members = append(t.members, tileMember{index: i, step: s})
			continue
		case !copiesOrCasts(&s):
			return false
		}
		for o, out := range s.Out {
			one := s
			one.Body, one.Out = s.Body.Storing(s.Body.Out[o]), []plan.Output{out}
			t.members = append(t.members, tileMember{index: i, step: one})
		}
	}
	return true
}

// rowsApart returns a gather whose indices have an axis of their own, so that each iteration takes a single line. It
// returns any other step as it is.
func rowsApart(s *plan.Step) *plan.Step {
	if !s.Gathers() || s.TakesOne() {
		return s
	}
	line := s.Along()
	one := *s
	one.Axes = slices.Insert(slices.Clone(s.Axes), line, plan.Axis{Extent: s.Axes[line].Extent})
	one.Axes[line+1].Extent = 1
	one.In, one.Out = s.Over(len(one.Axes), func(a *plan.Access, strides []int, _ *plan.Output) {
		copy(strides, slices.Insert(slices.Clone(a.Strides), line, a.Strides[line]))
	})
	from := &one.In[0]
	from.Line, from.Strides[line] = s.LineOf(*from), 0
	return &one
}

// shapeIn returns the shape of a temporary as steps move through it. A dimension that no axis moves along is merged
// with the next one. A dimension is cut in two if a step that writes it has an axis for the outer part. For example,
// the rows of a product may count the lines and columns of an image together.
func shapeIn(steps []plan.Step, buffer int, shape []int) []int {
	moved := make([]bool, len(shape))
	for i := range steps {
		for a := range steps[i].Accesses() {
			if a.Buffer != buffer {
				continue
			}
			for _, stride := range a.Strides {
				if d, _ := dimOf(shape, max(stride, -stride)); d >= 0 {
					moved[d] = true
				}
			}
		}
	}
	merged, n := make([]int, 0, len(shape)), 1
	for d, e := range shape {
		if n *= e; moved[d] || d == len(shape)-1 {
			merged, n = append(merged, n), 1
		}
	}
	shape = merged
	for i := range steps {
		for _, out := range steps[i].Out {
			if out.Buffer != buffer {
				continue
			}
			for _, stride := range out.Strides {
				if d, by := dimOf(shape, stride); by > 1 && shape[d]%by == 0 && !crosses(steps, buffer, stride) {
					shape = slices.Insert(slices.Clone(shape), d+1, by)
					shape[d] /= by
				}
			}
		}
	}
	return shape
}

// crosses reports whether a step reads a buffer along an axis that is not parallel and crosses a distance: its stride
// is shorter than the distance, and all its indices together reach at least that far. Such an axis is never cut.
func crosses(steps []plan.Step, buffer, distance int) bool {
	for i := range steps {
		for _, a := range steps[i].In {
			for k, x := range steps[i].Axes {
				if a.Buffer == buffer && x.Role != plan.Parallel && a.Strides[k] < distance && a.Strides[k]*(x.Extent-1) >= distance {
					return true
				}
			}
		}
	}
	return false
}

// cutStep returns a step with its parallel axes cut so that each moves along one dimension of each intermediate, where
// that is possible.
func (t *tile) cutStep(s plan.Step) plan.Step {
	for again := true; again; {
		again = false
		for a := range s.Accesses() {
			if !slices.Contains(t.made, a.Buffer) || a.Panel != nil {
				continue
			}
			shape := t.shapes[a.Buffer]
			if axis, n := cutOf(shape, &s, a); n > 0 && !inPanels(&s, axis) {
				s, again = cutAxis(&s, axis, n), true
				break
			}
		}
	}
	return s
}

// cutAxis returns a step with an axis cut in two, of which the inner one has n indices. No operand may have that axis
// in panels.
func cutAxis(s *plan.Step, axis, n int) plan.Step {
	cut := *s
	cut.Axes = slices.Concat(s.Axes[:axis+1], []plan.Axis{{Extent: n}}, s.Axes[axis+1:])
	cut.Axes[axis].Extent /= n
	cut.In, cut.Out = s.Over(len(cut.Axes), func(a *plan.Access, strides []int, _ *plan.Output) {
		copy(strides, a.Strides[:axis+1])
		copy(strides[axis+1:], a.Strides[axis:])
		strides[axis] *= n
		if a.Panel != nil && a.Panel.Axis > axis {
			panel := *a.Panel
			panel.Axis++
			a.Panel = &panel
		}
	})
	return cut
}

// inPanels reports whether some operand of a step has the axis in panels.
func inPanels(s *plan.Step, axis int) bool {
	return slices.ContainsFunc(s.In, func(a plan.Access) bool { return a.Panel != nil && a.Panel.Axis == axis })
}

// cutOf returns an axis along which an access moves through several dimensions of a shape, and the number n of indices
// after which the outer dimension advances by one. n is 0 if there is no such axis.
func cutOf(shape []int, s *plan.Step, a *plan.Access) (axis, n int) {
	for k, x := range s.Axes {
		if x.Role != plan.Parallel || x.Extent == 1 || a.Strides[k] <= 0 {
			continue
		}
		d, by := dimOf(shape, a.Strides[k])
		if d < 0 {
			continue
		}
		if n := shape[d] / by; shape[d]%by == 0 && n < x.Extent && x.Extent%n == 0 {
			return k, n
		}
	}
	return 0, 0
}
