package layout

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"
)

// NumElems returns the number of elements of an array of the given shape. It returns an error if an extent is negative or the product
// exceeds int; as in NumPy, the other extents must be valid even if one is zero.
func NumElems(shape []int) (int, error) {
	size, empty := uint(1), false
	for k, n := range shape {
		if n < 0 { // a copy of the shape, here and below: it would keep the caller's off the stack
			return 0, fmt.Errorf("shape %v: extent %d of axis %d is negative", slices.Clone(shape), n, k)
		}
		if n == 0 {
			empty = true
			continue
		}
		over, product := bits.Mul(size, uint(n))
		if over != 0 || product > math.MaxInt {
			return 0, fmt.Errorf("shape %v: the product of its extents passes %d, the greatest int", slices.Clone(shape), math.MaxInt)
		}
		size = product
	}
	if empty {
		return 0, nil
	}
	return int(size), nil
}

// Ravel returns the position of an index in the row-major enumeration of shape. Each index must be in [0, extent); negative
// indices do not count from the end.
func Ravel(shape []int, index ...int) (int, error) {
	if _, err := NumElems(shape); err != nil {
		return 0, fmt.Errorf("ravel: %w", err)
	}
	if len(index) != len(shape) {
		return 0, fmt.Errorf("ravel: %d indices %v for shape %v of rank %d", len(index), index, shape, len(shape))
	}
	at := 0
	for k, i := range index {
		if i < 0 || i >= shape[k] {
			return 0, fmt.Errorf("ravel: index %d is outside axis %d of shape %v; allowed is [0, %d)", i, k, shape, shape[k])
		}
		at = at*shape[k] + i
	}
	return at, nil
}

// Unravel returns the index at position k of the row-major enumeration of shape. It is the inverse of Ravel; k must be in [0,
// size).
func Unravel(shape []int, k int) ([]int, error) {
	size, err := NumElems(shape)
	if err != nil {
		return nil, fmt.Errorf("unravel: %w", err)
	}
	if k < 0 || k >= size {
		return nil, fmt.Errorf("unravel: %d is outside shape %v; allowed is [0, %d)", k, shape, size)
	}
	index := make([]int, len(shape))
	for axis, n := range slices.Backward(shape) {
		index[axis] = k % n
		k /= n
	}
	return index, nil
}

// Collapse returns the layout with the fewest axes that enumerates the same locations in the same order. Axes of extent 1 are
// removed, and adjacent axes are merged if
//
//	s_outer == n_inner * s_inner
//
// which also holds for negative strides and inside a run of zeros. One element collapses to rank 0, an empty layout to {0}:{1} at
// its own offset.
func (l Layout) Collapse() Layout {
	if l.Size() == 0 {
		return Layout{Shape: []int{0}, Strides: []int{1}, Offset: l.Offset}
	}
	f := blank(l.Rank(), l.Offset)
	return l.collapse(f.Shape[:0], f.Strides[:0])
}

// collapse is Collapse of a nonempty layout, in the memory of shape and strides, which have room for its axes.
func (l Layout) collapse(shape, strides []int) Layout {
	for k, n := range l.Shape {
		s, last := l.Strides[k], len(shape)-1
		switch {
		case n == 1:
		case last >= 0 && strides[last] == n*s:
			shape[last] *= n
			strides[last] = s
		default:
			shape, strides = append(shape, n), append(strides, s)
		}
	}
	return Layout{Shape: shape, Strides: strides, Offset: l.Offset}
}

// Reshape returns l's elements, in the same row-major order, under another shape of the same size. It returns false if no strides
// describe that, so that a copy is needed. A reshape is possible exactly if the shape splits, from the right, into groups
// whose products are the extents of l.Collapse. The offset stays. Strides of axes of extent 1 are natural, as those of
// RowMajor: a row-major layout reshapes to RowMajor(shape). An empty layout has any empty shape, with RowMajor's strides.
func (l Layout) Reshape(shape ...int) (Layout, bool) {
	size, err := NumElems(shape)
	if own, ownErr := NumElems(l.Shape); err != nil || ownErr != nil || own != size {
		return Layout{}, false
	}
	if size == 0 {
		v := RowMajor(shape...)
		v.Offset = l.Offset
		return v, true
	}
	v := blank(len(shape), l.Offset)
	copy(v.Shape, shape)
	if !l.reshape(v) {
		return Layout{}, false
	}
	return v, true
}

// reshape sets the strides of v, whose shape has as many elements as l, which is not empty.
func (l Layout) reshape(v Layout) bool {
	var space [2][8]int // enough axes for most layouts
	f := l.collapse(space[0][:0], space[1][:0])
	chunk, left, stride := f.Rank(), 1, 1 // left is the part of the chunk's extent that is not used yet
	for k, n := range slices.Backward(v.Shape) {
		if n == 1 {
			v.Strides[k] = v.naturalStride(k)
			continue
		}
		if left == 1 { // sizes agree, so there is another chunk
			chunk--
			left, stride = f.Shape[chunk], f.Strides[chunk]
		}
		if left%n != 0 {
			return false
		}
		v.Strides[k] = stride
		left /= n
		stride *= n
	}
	return true
}

// appendCuts appends l's cuts in ascending order: the suffix products of l's collapsed shape (numbers of elements inside an
// axis), without 1 and the size. A cut is a position of the row-major enumeration at which l does not collapse. A collapsible
// layout has no cuts.
func appendCuts(cuts []int, l Layout) []int {
	if l.Size() == 0 {
		return cuts
	}
	var space [2][8]int
	f, inside := l.collapse(space[0][:0], space[1][:0]), 1
	for k := f.Rank() - 1; k > 0; k-- {
		inside *= f.Shape[k]
		cuts = append(cuts, inside)
	}
	return cuts
}

// Refine rewrites layouts of one size on the coarsest shape they share: each
// result enumerates its operand's locations in its operand's row-major order,
// and one loop nest then walks them all. ok is false when there is no such
// shape or the sizes differ; then at least one operand needs a copy.
//
// There is one exactly when the union of the operands' cuts is a chain of
// divisors. Enough: the ratios of neighbours are a shape that each operand
// reshapes to. Necessary: let an operand be affine on a shape with suffix
// products P, and c the least cut of it not in P, so that the cut p before c
// (or 1) is in P. Within P the step into place i depends only on the greatest
// product that divides i; let r be that product for c. P is a chain, so p
// divides r, and r < c; hence the step into r is the operand's ordinary step at
// p, and so is the step into c: there is no cut at c. Hence P holds all cuts,
// and suffix products of a shape are a chain.
func Refine(ls ...Layout) (out []Layout, ok bool) { return new(Space).Refine(ls...) }

// Refine is the function Refine with results in the memory of s.
func (s *Space) Refine(ls ...Layout) (out []Layout, ok bool) {
	if len(ls) == 0 {
		return nil, true
	}
	var space [2][16]int
	cuts, size := space[0][:0], ls[0].Size()
	for _, l := range ls {
		if l.Size() != size {
			return nil, false
		}
		cuts = appendCuts(cuts, l)
	}
	sort.Ints(cuts)
	shape, ok := shapeOfCuts(space[1][:0], cuts, size)
	if !ok {
		return nil, false
	}
	out = take(&s.layouts, len(ls))
	reserve(&s.ints, 2*len(ls)*len(shape))
	for i, l := range ls {
		v := s.blank(len(shape), l.Offset)
		if copy(v.Shape, shape); size == 0 {
			v.setRowMajor()
		} else if !l.reshape(v) {
			return nil, false // a shape past int
		}
		out[i] = v
	}
	return out, true
}

// shapeOfCuts appends to shape the one whose suffix products are 1, the cuts (which
// ascend, perhaps with repeats) and the size, if each divides the next.
func shapeOfCuts(shape, cuts []int, size int) (_ []int, ok bool) {
	inside := 1
	for _, cut := range append(cuts, size) {
		if cut%inside != 0 {
			return nil, false
		}
		if cut != inside {
			shape = append(shape, cut/inside)
		}
		inside = cut
	}
	slices.Reverse(shape)
	return shape, true
}
