package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Shapes and layouts of values whose sizes are bound.

// bytes returns the size of a value in memory.
func bytes(v *ir.Value) int { return size(v.Type.Shape) * v.Type.DType.Size() }

// size returns the number of elements of a shape that is bound.
func size(s ir.Shape) int {
	n := 1
	for _, d := range s {
		e, _ := d.Int()
		n *= e
	}
	return n
}

// layoutOf returns where the elements of a value sit in its buffer.
func layoutOf(v *ir.Value) layout.Layout { return layoutIn(new(layout.Space), v) }

// layoutIn is layoutOf in memory of a space.
func layoutIn(s *layout.Space, v *ir.Value) layout.Layout {
	if v.Attr.At != nil {
		return *v.Attr.At
	}
	var space [8]int
	return s.RowMajor(appendExtents(space[:0], v)...)
}

func extents(v *ir.Value) []int { return appendExtents(make([]int, 0, len(v.Type.Shape)), v) }

// hasExtents reports whether a shape is that of a value.
func hasExtents(shape []int, v *ir.Value) bool {
	var space [8]int
	return slices.Equal(shape, appendExtents(space[:0], v))
}

// appendExtents appends the extents of a value.
func appendExtents(e []int, v *ir.Value) []int {
	for _, d := range v.Type.Shape {
		n, _ := d.Int()
		e = append(e, n)
	}
	return e
}

// extent returns that axis of a value, counted from the last one, which is 1.
func extent(v *ir.Value, fromEnd int) int {
	n, _ := v.Type.Shape[len(v.Type.Shape)-fromEnd].Int()
	return n
}

// lineOf returns how many elements a reduction has in one line.
func lineOf(v *ir.Value) int {
	s := v.Args[0].Type.Shape
	n, _ := s[len(s)-1].Int()
	return n
}

// apart is a layout of a shape in which no two axes are one.
func apart(shape []int) layout.Layout {
	return layout.Layout{Shape: shape, Strides: manyOnes[:len(shape):len(shape)]}
}

var manyOnes = slices.Repeat([]int{1}, 2*layout.MaxRank)
