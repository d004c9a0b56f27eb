package layout

import (
	"fmt"
	"iter"
	"math"
	"slices"
)

// MaxRank is the greatest number of axes.
const MaxRank = 64

// Layout describes the locations of the elements of an n-d array in a linear buffer: element index i is at Offset + sum
// i[k]*Strides[k], all in elements.
//
// Shape and Strides have the same length, the rank; strides may be negative or zero. A Layout is a value: no method changes it, and
// views share no slices with it. A shape that NumElems refuses counts as empty.
type Layout struct {
	Shape, Strides []int
	Offset         int
}

// RowMajor returns the dense layout of shape whose last axis is the fastest. A stride is the product of the extents of the
// axes behind it, where a zero extent counts as one.
func RowMajor(shape ...int) Layout {
	l := blank(len(shape), 0)
	copy(l.Shape, shape)
	l.setRowMajor()
	return l
}

// setRowMajor sets the strides to those of a dense layout whose last axis is the fastest.
func (l Layout) setRowMajor() {
	step := 1
	for k, n := range slices.Backward(l.Shape) {
		l.Strides[k] = step
		step *= max(n, 1)
	}
}

// ColMajor returns the dense layout of shape whose first axis is the fastest.
func ColMajor(shape ...int) Layout {
	l := blank(len(shape), 0)
	copy(l.Shape, shape)
	step := 1
	for k, n := range shape {
		l.Strides[k] = step
		step *= max(n, 1)
	}
	return l
}

// blank returns a layout of the given rank, all zero, in one allocation.
func blank(rank, offset int) Layout {
	buf := make([]int, 2*rank)
	return Layout{Shape: buf[:rank:rank], Strides: buf[rank:], Offset: offset}
}

func (l Layout) clone() Layout {
	v := blank(l.Rank(), l.Offset)
	copy(v.Shape, l.Shape)
	copy(v.Strides, l.Strides)
	return v
}

// Rank returns the number of axes.
func (l Layout) Rank() int { return len(l.Shape) }

// Size returns the number of elements, repeats counted.
func (l Layout) Size() int {
	n, _ := NumElems(l.Shape)
	return n
}

// Span returns the distance from the least to the greatest location plus one, 1+sum((n-1)*|s|), or 0 for an empty layout. It is at
// most the greatest int.
func (l Layout) Span() int {
	l.Offset = 0
	lo, hi := l.Bounds()
	if reach := uint(hi) - uint(lo) + 1; reach <= math.MaxInt {
		return int(reach)
	}
	return math.MaxInt
}

// Bounds returns the least and the greatest location; lo > hi if the layout is empty. A bound outside int is replaced by the least
// or greatest int, so that comparing it with a buffer's length stays correct.
func (l Layout) Bounds() (lo, hi int) {
	if slices.Contains(l.Shape, 0) { // the product of the other extents may exceed int
		return 0, -1
	}
	lo, hi = l.Offset, l.Offset
	for k, n := range l.Shape {
		if s := l.Strides[k]; s < 0 {
			lo = Advance(lo, n-1, s)
		} else {
			hi = Advance(hi, n-1, s)
		}
	}
	return lo, hi
}

// IsRowMajor reports whether the elements, in row-major order of the indices, are contiguous in memory. The offset and the
// strides of axes of extent 1 do not matter. An empty layout is row-major.
func (l Layout) IsRowMajor() bool {
	if l.Size() == 0 {
		return true
	}
	step := 1
	for k, n := range slices.Backward(l.Shape) {
		if n != 1 && l.Strides[k] != step {
			return false
		}
		step *= n
	}
	return true
}

// At returns the location of an element. It checks nothing: the index may exceed the extents, and an axis without an index
// counts as 0.
func (l Layout) At(index ...int) int {
	at := l.Offset
	for k, s := range l.Strides[:min(len(index), len(l.Strides))] {
		at += index[k] * s
	}
	return at
}

// Equal reports whether shapes, strides and offsets are equal. It also compares the strides of axes of extent 1, which have no
// effect; compare collapsed layouts to ignore them.
func (l Layout) Equal(m Layout) bool {
	return l.Offset == m.Offset && slices.Equal(l.Shape, m.Shape) && slices.Equal(l.Strides, m.Strides)
}

// String returns the layout as "{4,3}:{1,4}+0": shape, strides, offset.
func (l Layout) String() string {
	return fmt.Sprintf("%s:%s%+d", Braced(l.Shape), Braced(l.Strides), l.Offset)
}

func Braced(xs []int) string {
	text := []byte{'{'}
	for k, x := range xs {
		if k > 0 {
			text = append(text, ',')
		}
		text = fmt.Append(text, x)
	}
	return string(append(text, '}'))
}

// All yields the location of every element, in row-major order of the indices.
func (l Layout) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		index, at := make([]int, l.Rank()), l.Offset
		for range l.Size() {
			if !yield(at) {
				return
			}
			for k := l.Rank() - 1; k >= 0; k-- { // an odometer
				index[k]++
				at += l.Strides[k]
				if index[k] < l.Shape[k] {
					break
				}
				at -= l.Shape[k] * l.Strides[k]
				index[k] = 0
			}
		}
	}
}
