package tensor

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Reshape returns a view of the elements, in row-major order, under another shape of the same size. One extent may be
// -1 and is computed from the others. If no layout can express the shape without a copy, the error names the axes;
// Contiguous makes the copy.
func (t *Tensor) Reshape(shape ...int) *Tensor {
	return t.view("reshape", func(l layout.Layout) (layout.Layout, error) {
		want, err := inferExtent(l.Size(), shape)
		if err != nil {
			return layout.Layout{}, fmt.Errorf("reshape: %s to %s: %w", t.typeText(), shapeText(shape), err)
		}
		v, ok := l.Reshape(want...)
		if !ok {
			return layout.Layout{}, fmt.Errorf("reshape: %s with strides %v to %s needs a copy: %s: call Contiguous first",
				t.typeText(), l.Strides, shapeText(want), brokenJoin(l, want))
		}
		return v, nil
	})
}

// Flatten is Reshape(-1): a 1-d view in row-major order.
func (t *Tensor) Flatten() *Tensor { return t.Reshape(-1) }

// inferExtent returns shape with its -1, if any, replaced.
func inferExtent(size int, shape []int) ([]int, error) {
	want := append([]int{}, shape...)
	open := slices.Index(want, -1)
	if open >= 0 {
		want[open] = 1
	}
	n, err := layout.NumElems(want)
	switch {
	case err != nil && slices.Contains(want, -1):
		return nil, fmt.Errorf("only one extent may be -1")
	case err != nil:
		return nil, err
	case open >= 0 && n == 0 && size == 0:
		return nil, fmt.Errorf("beside an extent of 0, -1 may be any number: give it")
	case open >= 0 && n > 0 && size%n == 0:
		want[open] = size / n
	case n != size:
		return nil, fmt.Errorf("%d elements do not fit a shape of %d", size, n)
	}
	return want, nil
}

// brokenJoin names the axes of l that a reshape to want would have to merge but can't. There must be at least one such
// pair.
func brokenJoin(l layout.Layout, want []int) string {
	ends := []int{1} // the boundaries of want's axes: products of its extents from the right
	for _, n := range slices.Backward(want) {
		ends = append(ends, ends[len(ends)-1]*n)
	}
	inner, inside := -1, 1 // the axis before, and the number of elements from it on
	for k, n := range slices.Backward(l.Shape) {
		if n == 1 {
			continue
		}
		if inner >= 0 && l.Strides[k] != l.Shape[inner]*l.Strides[inner] && !slices.Contains(ends, inside) {
			return fmt.Sprintf("it joins axes %d and %d, but stride %d is not %d times stride %d",
				k, inner, l.Strides[k], l.Shape[inner], l.Strides[inner])
		}
		inner, inside = k, inside*n
	}
	return "its axes do not join"
}

// Contiguous returns t itself if it is row-major, otherwise a row-major copy.
func (t *Tensor) Contiguous() *Tensor {
	if t.IsRowMajor() {
		return t
	}
	return t.copied("contiguous")
}

// Clone returns a row-major copy in new memory, aligned as that of New.
func (t *Tensor) Clone() *Tensor { return t.copied("clone") }

func (t *Tensor) copied(op string) *Tensor {
	if !t.Valid() {
		return t.passOn(op)
	}
	c := newTensor(op, t.dtype, t.layout.Shape)
	if c.err == nil {
		t.gather(c.base)
	}
	return c
}

// Bitcast returns a view of the same bytes as elements of another dtype, as NumPy's view does. If the element sizes
// differ, the last axis, which must be contiguous, shrinks or grows by their ratio: its bytes must be a whole number of
// new elements, at addresses that are multiples of their size. For Bool all bytes must be 0 or 1; later writes through
// t are not checked.
func (t *Tensor) Bitcast(dt ir.DType) *Tensor {
	if !t.Valid() {
		return t.passOn("bitcast")
	}
	if err := dt.Check(); err != nil {
		return Failf("bitcast: %v", err)
	}
	v := within(dt, t.Layout(), t.base, t.life)
	if from, to := t.dtype.Size(), dt.Size(); from != to {
		var err error
		if v, err = t.rescaled(dt, from, to); err != nil {
			return Failf("bitcast: %s to %s: %v", t.typeText(), dt, err)
		}
	}
	if uintptr(v.Pointer())%uintptr(dt.Size()) != 0 {
		return Failf("bitcast: %s to %s: the first byte does not lie on a multiple of %d: call Clone first", t.typeText(), dt, dt.Size())
	}
	if dt == ir.Bool && t.dtype != ir.Bool {
		for at := range v.layout.All() {
			if b := *(*uint8)(v.addr(at)); b > 1 {
				return Failf("bitcast: %s to bool: a byte is %d, neither 0 nor 1: compare with 0 instead", t.typeText(), b)
			}
		}
	}
	return v
}

// rescaled is Bitcast between elements of from and to bytes.
func (t *Tensor) rescaled(dt ir.DType, from, to int) (*Tensor, error) {
	l := t.Layout()
	last := l.Rank() - 1
	if last < 0 {
		return nil, fmt.Errorf("a scalar has no axis to rescale from %d to %d bytes: call Unsqueeze(0) first", from, to)
	}
	if l.Shape[last] > 1 && l.Strides[last] != 1 && l.Size() > 0 {
		return nil, fmt.Errorf("the last axis has stride %d, and takes 1 to rescale from %d to %d bytes: call Contiguous first", l.Strides[last], from, to)
	}
	if n := l.Shape[last]; n > math.MaxInt/from || n*from%to != 0 {
		return nil, fmt.Errorf("the last axis has %d times %d bytes, no multiple of %d", n, from, to)
	}
	l.Shape[last] = l.Shape[last] * from / to
	if l.Size() == 0 {
		if _, err := layout.NumElems(l.Shape); err != nil {
			return nil, err
		}
		return within(dt, layout.RowMajor(l.Shape...), t.base, t.life), nil
	}
	// Offset and strides, counted from the view's least location, must be whole numbers of new elements too.
	lo, _ := t.layout.Bounds()
	l.Offset = (l.Offset - lo) * from / to
	for k, s := range l.Strides[:last] {
		if l.Shape[k] > 1 && s*from%to != 0 {
			return nil, fmt.Errorf("axis %d has stride %d, %d bytes, no multiple of %d: call Contiguous first", k, s, s*from, to)
		}
		l.Strides[k] = s * from / to
	}
	l.Strides[last] = 1
	return within(dt, l, unsafe.Add(t.base, lo*from), t.life), nil
}
