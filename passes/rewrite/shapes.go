package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// This file has shapes and layouts of values whose sizes are bound.

// Bytes returns the size of a value in bytes.
func Bytes(v *ir.Value) int { return Size(v.Type.Shape) * v.Type.DType.Size() }

// Size returns the number of elements of a shape.
func Size(s ir.Shape) int {
	n := 1
	for _, d := range s {
		e, _ := d.Int()
		n *= e
	}
	return n
}

// LayoutOf returns the layout of a value in its buffer.
func LayoutOf(v *ir.Value) layout.Layout { return LayoutIn(new(layout.Space), v) }

// LayoutIn is LayoutOf. It allocates the shape and the strides in s.
func LayoutIn(s *layout.Space, v *ir.Value) layout.Layout {
	if v.Attr.At != nil {
		return *v.Attr.At
	}
	var space [8]int
	return s.RowMajor(AppendExtents(space[:0], v)...)
}

// Extents returns the extents of a value.
func Extents(v *ir.Value) []int { return AppendExtents(make([]int, 0, len(v.Type.Shape)), v) }

// HasExtents reports whether shape equals the shape of v.
func HasExtents(shape []int, v *ir.Value) bool {
	var space [8]int
	return slices.Equal(shape, AppendExtents(space[:0], v))
}

// AppendExtents appends the extents of a value to e.
func AppendExtents(e []int, v *ir.Value) []int {
	for _, d := range v.Type.Shape {
		n, _ := d.Int()
		e = append(e, n)
	}
	return e
}

// Extent returns the extent of the axis fromEnd places from the end of v: 1 is the last axis.
func Extent(v *ir.Value, fromEnd int) int {
	n, _ := v.Type.Shape[len(v.Type.Shape)-fromEnd].Int()
	return n
}

// LineOf returns the number of elements in a line of a reduction.
func LineOf(v *ir.Value) int {
	s := v.Args[0].Type.Shape
	n, _ := s[len(s)-1].Int()
	return n
}

// Apart returns a layout of a shape whose axes cannot be collapsed with one another. Refine then keeps all of them.
func Apart(shape []int) layout.Layout {
	return layout.Layout{Shape: shape, Strides: ManyOnes[:len(shape):len(shape)]}
}

// ManyOnes is a list of ones, of which callers take as many as they need. It must not be changed.
var ManyOnes = slices.Repeat([]int{1}, 2*layout.MaxRank)
