package ir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Shape lists the extents of the axes, outermost first. A scalar has none.
type Shape []Dim

// ShapeOf returns the shape with the given extents.
func ShapeOf(extents ...int) Shape {
	s := make(Shape, len(extents))
	for i, n := range extents {
		s[i] = Fixed(n)
	}
	return s
}

// Ints returns the extents as numbers, or false if one is symbolic.
func (s Shape) Ints() ([]int, bool) {
	out := make([]int, len(s))
	for i, d := range s {
		n, ok := d.Int()
		if !ok {
			return nil, false
		}
		out[i] = n
	}
	return out, true
}

// Equal reports whether both shapes have the same extents.
func (s Shape) Equal(t Shape) bool { return slices.Equal(s, t) }

// NumElems returns the number of elements, which may be symbolic.
func (s Shape) NumElems() Dim {
	n := Fixed(1)
	for _, d := range s {
		n = n.Mul(d)
	}
	return n
}

// size returns the number of elements of a shape whose extents are numbers.
func (s Shape) size() int {
	n, ok := s.NumElems().Int()
	if !ok {
		panic("the shape " + s.String() + " is not of numbers")
	}
	return n
}

// Check returns an error for too many axes, an invalid extent, a negative extent, or a number of elements that exceeds int.
func (s Shape) Check() error {
	if len(s) > layout.MaxRank {
		return fmt.Errorf("%d axes: the greatest rank is %d", len(s), layout.MaxRank)
	}
	known := make([]int, 0, 8)
	for i, d := range s {
		if err := d.Err(); err != nil {
			return fmt.Errorf("axis %d: %w", i, err)
		}
		if n, ok := d.Int(); ok {
			if n < 0 {
				return fmt.Errorf("shape %s: extent %d of axis %d is negative", s, n, i)
			}
			known = append(known, n)
		}
	}
	_, err := layout.NumElems(known)
	return err
}

func (s Shape) String() string {
	text := make([]string, len(s))
	for i, d := range s {
		text[i] = d.String()
	}
	return "[" + strings.Join(text, ",") + "]"
}

// Bind returns the shape with the named sizes replaced by numbers.
func (s Shape) Bind(sizes map[string]int) (Shape, error) {
	out := make(Shape, len(s))
	for i, d := range s {
		n, err := d.Bind(sizes)
		if err != nil {
			return nil, err
		}
		if n < 0 {
			return nil, fmt.Errorf("shape %s: extent %s of axis %d is %d, which is negative", s, d, i, n)
		}
		out[i] = Fixed(n)
	}
	return out, out.Check()
}

// Broadcast returns the common shape of a and b by NumPy's rule: axes are aligned at the last one, and an axis of extent 1 repeats. A
// symbolic extent equals only itself.
func Broadcast(a, b Shape) (Shape, error) {
	switch {
	case len(b) == 0 || a.Equal(b):
		return a, nil
	case len(a) == 0:
		return b, nil
	}
	out := make(Shape, max(len(a), len(b)))
	for i := range out {
		x, y := fromEnd(a, len(out)-i), fromEnd(b, len(out)-i)
		switch {
		case x == y || y.Is(1):
			out[i] = x
		case x.Is(1):
			out[i] = y
		default:
			return nil, fmt.Errorf("shapes %s and %s do not broadcast: axis %d is %s and %s", a, b, i, x, y)
		}
	}
	return out, nil
}

// fromEnd returns the k-th extent from the end, or 1 if there are fewer axes.
func fromEnd(s Shape, k int) Dim {
	if k > len(s) {
		return Fixed(1)
	}
	return s[len(s)-k]
}

// Type is the type of a value: its element type and its shape.
type Type struct {
	DType DType
	Shape Shape
}

// Equal reports whether both types are the same.
func (t Type) Equal(u Type) bool { return t.DType == u.DType && t.Shape.Equal(u.Shape) }

func (t Type) String() string { return t.DType.Text() + t.Shape.String() }
