package layout

import (
	"fmt"
	"slices"
)

// pick converts axes counted as in NumPy, for an array of the given rank, to 0..rank-1. It refuses axes outside and duplicates.
func (l Layout) pick(op string, axes []int, rank int) ([]int, error) {
	if err := CheckAxes(axes, -rank, rank); err != nil {
		return nil, fmt.Errorf("%s: shape %v: %w", op, l.Shape, err)
	}
	picked := slices.Clone(axes)
	for i, k := range picked {
		if k < 0 {
			picked[i] += rank
		}
	}
	return picked, nil
}

// moved shifts the offset. The offset of an empty layout stays, as no location is valid.
func (l Layout) moved(by int) Layout {
	if l.Size() != 0 {
		l.Offset += by
	}
	return l
}

// Permute reorders the axes: axis k of the result is axis axes[k] of l. All axes must be given.
func (l Layout) Permute(axes ...int) (Layout, error) {
	picked, err := l.pick("permute", axes, l.Rank())
	if err != nil {
		return Layout{}, err
	}
	if len(axes) != l.Rank() {
		return Layout{}, fmt.Errorf("permute: %d axes %v for shape %v of rank %d; give each axis once", len(axes), axes, l.Shape, l.Rank())
	}
	v := blank(l.Rank(), l.Offset)
	for to, from := range picked {
		v.Shape[to], v.Strides[to] = l.Shape[from], l.Strides[from]
	}
	return v, nil
}

// Slice keeps the n indices begin, begin+step, ... of an axis, each of which must be in [0, extent), as IndexItem.Resolve returns
// them. The step may be negative, but not 0. If n is 0, begin is ignored.
func (l Layout) Slice(axis, begin, n, step int) (Layout, error) {
	picked, err := l.pick("slice", []int{axis}, l.Rank())
	if err != nil {
		return Layout{}, err
	}
	k := picked[0]
	extent := l.Shape[k]
	if step == 0 {
		return Layout{}, fmt.Errorf("slice: axis %d of shape %v: step 0; it must be positive or negative", k, l.Shape)
	}
	if !InsideSlice(begin, n, step, extent) {
		return Layout{}, fmt.Errorf("slice: axis %d of shape %v: %d indices from %d by %d; they must lie in [0, %d)", k, l.Shape, n, begin, step, extent)
	}
	v := l.clone()
	v.Shape[k] = n
	v.Strides[k] *= step
	return v.moved(begin * l.Strides[k]), nil
}

// InsideSlice reports whether begin, begin+step, ... (n of them) are in [0, extent). It computes nothing that may exceed int.
func InsideSlice(begin, n, step, extent int) bool {
	switch {
	case n <= 0:
		return n == 0
	case begin < 0 || begin >= extent:
		return false
	case step > 0:
		return n-1 <= (extent-1-begin)/step
	}
	return n-1 <= -(begin / step)
}

// Index fixes the index of one axis and drops the axis. As in NumPy, i is in
// [-extent, extent) and a negative one counts from the end.
func (l Layout) Index(axis, i int) (Layout, error) {
	picked, err := l.pick("index", []int{axis}, l.Rank())
	if err != nil {
		return Layout{}, err
	}
	k := picked[0]
	n, at := l.Shape[k], i
	if at < 0 {
		at += n
	}
	if at < 0 || at >= n {
		return Layout{}, fmt.Errorf("index: %d is outside axis %d of shape %v; allowed is [%d, %d)", i, k, l.Shape, -n, n)
	}
	return l.without(k).moved(at * l.Strides[k]), nil
}

// without returns the layout without the given axes.
func (l Layout) without(axes ...int) Layout {
	v := blank(l.Rank()-len(axes), l.Offset)
	to := 0
	for k, n := range l.Shape {
		if !slices.Contains(axes, k) {
			v.Shape[to], v.Strides[to] = n, l.Strides[k]
			to++
		}
	}
	return v
}

// Flip reverses the given axes. Without axes it returns l.
func (l Layout) Flip(axes ...int) (Layout, error) {
	picked, err := l.pick("flip", axes, l.Rank())
	if err != nil {
		return Layout{}, err
	}
	v := l.clone()
	for _, k := range picked {
		v.Strides[k] = -v.Strides[k]
		v = v.moved((l.Shape[k] - 1) * l.Strides[k])
	}
	return v, nil
}

// Expand repeats l to a shape, as NumPy's broadcast_to: axes are aligned at the right; axes of extent 1 and new leading axes
// take any extent, with stride 0.
func (l Layout) Expand(shape ...int) (Layout, error) {
	if _, err := NumElems(shape); err != nil {
		return Layout{}, fmt.Errorf("expand: %w", err)
	}
	lead := len(shape) - l.Rank()
	if lead < 0 {
		return Layout{}, fmt.Errorf("expand: shape %v of rank %d to shape %v of rank %d; the rank may grow, not shrink", l.Shape, l.Rank(), shape, len(shape))
	}
	v := blank(len(shape), l.Offset)
	copy(v.Shape, shape)
	for k, n := range l.Shape {
		switch {
		case n == 1: // stride 0
		case n == shape[lead+k]:
			v.Strides[lead+k] = l.Strides[k]
		default:
			return Layout{}, fmt.Errorf("expand: shape %v to shape %v: axis %d cannot go from %d to %d; only extents of 1 stretch", l.Shape, shape, k, n, shape[lead+k])
		}
	}
	return v, nil
}

// Diagonal returns the elements with i[b] == i[a]+k, as numpy.diagonal with offset k, axis1 a and axis2 b: axes a and b are removed, and a
// new last axis walks along the diagonal. A k beyond the extents gives an empty diagonal.
func (l Layout) Diagonal(a, b, k int) (Layout, error) {
	picked, err := l.pick("diagonal", []int{a, b}, l.Rank())
	if err != nil {
		return Layout{}, err
	}
	a, b = picked[0], picked[1]
	rest := l.without(a, b)
	v := blank(rest.Rank()+1, l.Offset)
	last := copy(v.Shape, rest.Shape)
	copy(v.Strides, rest.Strides)
	v.Shape[last], v.Strides[last] = DiagonalLen(l.Shape[a], l.Shape[b], k), l.Strides[a]+l.Strides[b]
	return v.moved(max(k, 0)*l.Strides[b] - min(k, 0)*l.Strides[a]), nil
}

// DiagonalLen returns the number of elements (i, i+k) of a rows x cols array.
func DiagonalLen(rows, cols, k int) int {
	if k >= 0 {
		return max(0, min(rows, cols-min(k, cols)))
	}
	return max(0, min(rows+max(k, -rows), cols))
}

// Squeeze removes the given axes, which must have extent 1. Without axes it removes every axis of extent 1, as numpy.squeeze.
// (OpSqueeze names the axes that it removes.)
func (l Layout) Squeeze(axes ...int) (Layout, error) {
	picked, err := l.pick("squeeze", axes, l.Rank())
	if err != nil {
		return Layout{}, err
	}
	for _, k := range picked {
		if l.Shape[k] != 1 {
			return Layout{}, fmt.Errorf("squeeze: axis %d of shape %v (rank %d) has extent %d; only extents of 1 can go", k, l.Shape, l.Rank(), l.Shape[k])
		}
	}
	if len(axes) == 0 {
		for k, n := range l.Shape {
			if n == 1 {
				picked = append(picked, k)
			}
		}
	}
	return l.without(picked...), nil
}

// Unsqueeze inserts axes of extent 1. As in numpy.expand_dims the axes are
// positions in the result. Their strides are natural, as Reshape's are.
func (l Layout) Unsqueeze(axes ...int) (Layout, error) {
	rank := l.Rank() + len(axes)
	picked, err := l.pick("unsqueeze", axes, rank)
	if err != nil {
		return Layout{}, err
	}
	v := blank(rank, l.Offset)
	from := l.Rank() - 1
	for k := rank - 1; k >= 0; k-- {
		if slices.Contains(picked, k) {
			v.Shape[k], v.Strides[k] = 1, v.naturalStride(k)
			continue
		}
		v.Shape[k], v.Strides[k] = l.Shape[from], l.Strides[from]
		from--
	}
	return v, nil
}

// naturalStride returns the stride of an axis k of extent 1: the extent times the stride of the axis behind it, or 1 for the last
// axis.
func (l Layout) naturalStride(k int) int {
	if k == l.Rank()-1 {
		return 1
	}
	return max(l.Shape[k+1], 1) * l.Strides[k+1]
}

// CheckAxes returns an error unless axes of an array of the given rank are distinct and in [least, rank). Negative axes count from
// the end.
func CheckAxes(axes []int, least, rank int) error {
	if rank > MaxRank {
		return fmt.Errorf("%d axes: the greatest rank is %d", rank, MaxRank)
	}
	seen := uint64(0)
	for _, a := range axes {
		k := a
		if k < 0 {
			k += rank
		}
		switch {
		case rank == 0:
			return fmt.Errorf("axis %d of a scalar: it has none", a)
		case a < least || a >= rank:
			return fmt.Errorf("axis %d is outside rank %d: allowed are %d to %d", a, rank, least, rank-1)
		case seen&(1<<k) != 0:
			return fmt.Errorf("axis %d is named twice", k)
		}
		seen |= 1 << k
	}
	return nil
}
