package ir

import (
	"errors"
	"fmt"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// The rules of the view ops, two for each op: the shape of the result given that of the operand, and the layout of the result given that of
// the operand.

func reshapeShape(a Attr, s Shape) (Shape, error) {
	if err := a.Shape.Check(); err != nil {
		return nil, err
	}
	have, want := s.NumElems(), a.Shape.NumElems()
	if have != want && !(have.rounds() || want.rounds()) { // extents with quotients may still be equal once sizes are bound
		if k, one := onlyOther(s, a.Shape); one {
			return nil, fmt.Errorf("axis %d of shape %s is %s: it must be %s", k, s, s[k], a.Shape[k])
		}
		return nil, fmt.Errorf("shape %s has %s elements and %s has %s", s, have, a.Shape, want)
	}
	return a.Shape, have.Err()
}

// onlyOther returns the one axis along which two shapes of one rank, at least 2, differ.
func onlyOther(s, t Shape) (axis int, one bool) {
	if len(s) != len(t) || len(s) == 1 {
		return 0, false
	}
	for k := range s {
		if s[k] != t[k] {
			if one {
				return 0, false
			}
			axis, one = k, true
		}
	}
	return axis, one
}

func reshapeLayout(v *Value, l layout.Layout) (layout.Layout, error) {
	shape, _ := v.Type.Shape.Ints()
	if m, ok := l.Reshape(shape...); ok {
		return m, nil
	}
	return l, fmt.Errorf("%s reshaped to %v is not a view", l, shape)
}

func permuteShape(a Attr, s Shape) (Shape, error) {
	if len(a.Axes) != len(s) {
		return nil, fmt.Errorf("%d axes given for shape %s: name each axis once", len(a.Axes), s)
	}
	if err := layout.CheckAxes(a.Axes, 0, len(s)); err != nil {
		return nil, err
	}
	out := make(Shape, len(s))
	for i, k := range a.Axes {
		out[i] = s[k]
	}
	return out, nil
}

func permuteLayout(v *Value, l layout.Layout) (layout.Layout, error) {
	return l.Permute(v.Attr.Axes...)
}

func sliceShape(a Attr, s Shape) (Shape, error) {
	if err := layout.CheckAxes([]int{a.Axis}, 0, len(s)); err != nil {
		return nil, err
	}
	if a.Step == 0 {
		return nil, errors.New("a step of 0 never ends")
	}
	if err := a.Begin.Err(); err != nil {
		return nil, err
	}
	begin, fixed := a.Begin.Int()
	n, fixed2 := a.Len.Int()
	extent, fixed3 := s[a.Axis].Int()
	if fixed && fixed2 && fixed3 && !layout.InsideSlice(begin, n, a.Step, extent) {
		return nil, leavesAxis(a, begin, n, extent)
	}
	out := append(Shape{}, s...)
	out[a.Axis] = a.Len
	return out, nil
}

// leavesAxis returns the error of a slice that is not inside an axis.
func leavesAxis(a Attr, begin, n, extent int) error {
	side := "before"
	if a.Step < 0 {
		side = "after"
	}
	switch outside := begin < 0 || begin >= extent; {
	case outside && (n > 0 || begin != extent):
		return fmt.Errorf("it begins at index %d of axis %d, which has %d elements", begin, a.Axis, extent)
	case n < 0:
		return fmt.Errorf("it ends %s index %d, where it begins: axis %d has %d elements", side, begin, a.Axis, extent)
	}
	return fmt.Errorf("its %d elements from index %d by steps of %d go beyond axis %d, which has %d", n, begin, a.Step, a.Axis, extent)
}

func sliceLayout(v *Value, l layout.Layout) (layout.Layout, error) {
	begin, _ := v.Attr.Begin.Int()
	n, _ := v.Attr.Len.Int()
	return l.Slice(v.Attr.Axis, begin, n, v.Attr.Step)
}

func indexShape(a Attr, s Shape) (Shape, error) {
	if err := layout.CheckAxes([]int{a.Axis}, 0, len(s)); err != nil {
		return nil, err
	}
	if err := a.Begin.Err(); err != nil {
		return nil, err
	}
	at, fixed := a.Begin.Int()
	extent, fixed2 := s[a.Axis].Int()
	if fixed && fixed2 && extent == 0 {
		return nil, NoElements(a.Axis, "shape "+s.String(), fmt.Sprintf(" for index %d", at))
	}
	if fixed && fixed2 && (at < 0 || at >= extent) {
		return nil, fmt.Errorf("index %d is outside axis %d, which has %d", at, a.Axis, extent)
	}
	return append(append(Shape{}, s[:a.Axis]...), s[a.Axis+1:]...), nil
}

func indexLayout(v *Value, l layout.Layout) (layout.Layout, error) {
	at, _ := v.Attr.Begin.Int()
	return l.Index(v.Attr.Axis, at)
}

func flipShape(a Attr, s Shape) (Shape, error) { return s, layout.CheckAxes(a.Axes, 0, len(s)) }

func flipLayout(v *Value, l layout.Layout) (layout.Layout, error) { return l.Flip(v.Attr.Axes...) }

func expandShape(a Attr, s Shape) (Shape, error) {
	got, err := Broadcast(s, a.Shape)
	if err == nil && !got.Equal(a.Shape) {
		err = fmt.Errorf("shape %s does not expand to %s: only axes of extent 1 repeat", s, a.Shape)
	}
	return a.Shape, err
}

func expandLayout(v *Value, l layout.Layout) (layout.Layout, error) {
	shape, _ := v.Type.Shape.Ints()
	return l.Expand(shape...)
}

// diagonalShape allows a symbolic axis to be shorter than |k|. The extent is then negative until Bind infers it again from the numbers,
// as 0.
func diagonalShape(a Attr, s Shape) (Shape, error) {
	if len(a.Axes) != 2 {
		return nil, fmt.Errorf("a diagonal has two axes, got %d", len(a.Axes))
	}
	if err := layout.CheckAxes(a.Axes, 0, len(s)); err != nil {
		return nil, err
	}
	x, y := s[a.Axes[0]], s[a.Axes[1]]
	n := x.Sub(Fixed(max(a.Step, -a.Step)))
	rows, fixed := x.Int()
	cols, fixed2 := y.Int()
	switch {
	case fixed && fixed2:
		n = Fixed(layout.DiagonalLen(rows, cols, a.Step))
	case x != y:
		return nil, fmt.Errorf("the diagonal of symbolic axes %s and %s: only k = 0 of equal axes", x, y)
	}
	var out Shape
	for i, d := range s {
		if i != a.Axes[0] && i != a.Axes[1] {
			out = append(out, d)
		}
	}
	return append(out, n), nil
}

func diagonalLayout(v *Value, l layout.Layout) (layout.Layout, error) {
	return l.Diagonal(v.Attr.Axes[0], v.Attr.Axes[1], v.Attr.Step)
}

// windowShape returns the number of windows of a symbolic axis as an expression. Only numbers tell whether one fits.
func windowShape(a Attr, s Shape) (Shape, error) {
	if err := layout.CheckAxes([]int{a.Axis}, 0, len(s)); err != nil {
		return nil, err
	}
	if err := layout.CheckWindow(a.Size, a.Step, a.Dilation); err != nil {
		return nil, err
	}
	count := s[a.Axis].Sub(Fixed(a.Size - 1).Mul(Fixed(a.Dilation))).Add(Fixed(a.Step - 1)).Div(a.Step)
	if n, fixed := s[a.Axis].Int(); fixed {
		windows, err := layout.WindowCount(n, a.Size, a.Step, a.Dilation)
		if err != nil {
			return nil, fmt.Errorf("axis %d of shape %s: %w", a.Axis, s, err)
		}
		count = Fixed(windows)
	}
	out := append(append(Shape{}, s...), Fixed(a.Size))
	out[a.Axis] = count
	return out, nil
}

func windowLayout(v *Value, l layout.Layout) (layout.Layout, error) {
	return l.Window(v.Attr.Axis, v.Attr.Size, v.Attr.Step, v.Attr.Dilation)
}

func squeezeShape(a Attr, s Shape) (Shape, error) {
	if err := layout.CheckAxes(a.Axes, 0, len(s)); err != nil {
		return nil, err
	}
	drop := make([]bool, len(s))
	for _, k := range a.Axes {
		if !s[k].Is(1) {
			return nil, fmt.Errorf("axis %d of shape %s has extent %s: only axes of extent 1 can go", k, s, s[k])
		}
		drop[k] = true
	}
	out := Shape{}
	for i, d := range s {
		if !drop[i] {
			out = append(out, d)
		}
	}
	return out, nil
}

// squeezeLayout removes the axes that are named. If none is named it removes none, while Layout.Squeeze without axes removes all of extent
// 1, as NumPy's squeeze does.
func squeezeLayout(v *Value, l layout.Layout) (layout.Layout, error) {
	if len(v.Attr.Axes) == 0 {
		return l, nil
	}
	return l.Squeeze(v.Attr.Axes...)
}

func unsqueezeShape(a Attr, s Shape) (Shape, error) {
	rank := len(s) + len(a.Axes)
	if err := layout.CheckAxes(a.Axes, 0, rank); err != nil {
		return nil, err
	}
	out := make(Shape, rank)
	for _, k := range a.Axes {
		out[k] = Fixed(1)
	}
	next := 0
	for i := range out {
		if out[i] == (Dim{}) {
			out[i] = s[next]
			next++
		}
	}
	return out, nil
}

func unsqueezeLayout(v *Value, l layout.Layout) (layout.Layout, error) {
	return l.Unsqueeze(v.Attr.Axes...)
}

func accessShape(a Attr, _ Shape) (Shape, error) {
	if a.At == nil {
		return nil, errors.New("an access has a layout")
	}
	return a.Shape, checkLayout(*a.At, a.Shape)
}

func accessLayout(v *Value, _ layout.Layout) (layout.Layout, error) { return *v.Attr.At, nil }

// checkLayout returns an error unless the layout is well formed and has as many
// elements as the shape, which must be of numbers.
func checkLayout(l layout.Layout, s Shape) error {
	if len(l.Shape) != len(l.Strides) || len(l.Shape) > layout.MaxRank {
		return fmt.Errorf("a layout of %d extents and %d strides", len(l.Shape), len(l.Strides))
	}
	n, err := layout.NumElems(l.Shape)
	if err == nil && !s.NumElems().Is(n) {
		err = fmt.Errorf("layout %s has %d elements and shape %s has %s", l, n, s, s.NumElems())
	}
	return err
}
