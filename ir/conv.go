package ir

import (
	"errors"
	"fmt"
	"slices"
)

// Convolutions. The operands are x, [n, c, spatial axes], and weights, [m, c/groups, the elements of a window]; the
// result is [n, m, windows]. A group convolves c/groups channels of x to m/groups of the result. Its elements are those
// of a product of matrices, whose rows are the windows of all n, whose columns are the channels of the result, and
// whose pairs are the elements of the windows of all c/groups channels, in row-major order. Products are added
//
//   - one fma after another, starting with the first product, if a group maps one channel to one and a window has up to
//     ConvTaps elements, which are then called taps;
//   - as in a product of one row, if there is one window of one image (dot.go);
//   - otherwise as in a product of several rows and columns, even if there is one column.

// ConvTaps is the greatest number of elements of a window of one channel that are taps.
const ConvTaps = 64

// Conv holds the attributes of a convolution. Each list has a number for each spatial axis.
type Conv struct {
	Groups        int   // of channels that are convolved independently
	Strides       []int // from one window to the next
	Dilations     []int // from one element of a window to the next
	Before, After []int // zeros around x; negative numbers crop it
}

// Tapped reports whether weights of the given shape have a group for each channel and at most ConvTaps elements per window.
func (c *Conv) Tapped(weights Shape) bool {
	n, known := weights[2:].NumElems().Int()
	return known && weights[0].Is(c.Groups) && weights[1].Is(1) && n <= ConvTaps
}

// Equal reports whether two convolutions have the same attributes. Both are nil for ops that have none.
func (c *Conv) Equal(d *Conv) bool {
	if c == nil || d == nil {
		return c == d
	}
	return c.Groups == d.Groups && slices.Equal(c.Strides, d.Strides) && slices.Equal(c.Dilations, d.Dilations) &&
		slices.Equal(c.Before, d.Before) && slices.Equal(c.After, d.After)
}

// windows returns the shape of x as its padded windows, whose elements are the last axes.
func (c *Conv) windows(x, weights Shape) (Shape, error) {
	out := slices.Clone(x)
	for i := range c.Strides {
		before, after := c.Before[i], c.After[i]
		out[2+i] = x[2+i].Add(Fixed(before)).Add(Fixed(after))
		if left, known := x[2+i].Add(Fixed(min(before, 0))).Add(Fixed(min(after, 0))).Int(); known && left < 0 {
			return nil, fmt.Errorf("%d and %d elements are removed from axis %d of shape %s, which has fewer", max(0, -before), max(0, -after), 2+i, x)
		}
	}
	if err := out.Check(); err != nil {
		return nil, err
	}
	var err error
	for i := range c.Strides {
		size, known := weights[2+i].Int()
		if !known {
			return nil, fmt.Errorf("the size of the windows, %s, is not known before the program runs", weights[2+i])
		}
		if out, err = windowShape(Attr{Axis: 2 + i, Size: size, Step: c.Strides[i], Dilation: c.Dilations[i]}, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// check returns an error unless the attributes fit the given number of spatial axes.
func (c *Conv) check(spatial int) error {
	switch {
	case c == nil:
		return errors.New("it has no strides, nor other attributes of convolutions")
	case c.Groups < 1:
		return fmt.Errorf("%d groups: give 1 or more", c.Groups)
	}
	for _, list := range [][]int{c.Strides, c.Dilations, c.Before, c.After} {
		if len(list) != spatial {
			return fmt.Errorf("%d numbers for %d spatial axes", len(list), spatial)
		}
	}
	return nil
}

func inferConv(op Op, a Attr, args []Type) (Type, error) {
	x, w := args[0], args[1]
	spatial := len(x.Shape) - 2
	switch {
	case x.DType != w.DType:
		return Type{}, fmt.Errorf("dtypes %s and %s differ: Cast one of them", x.DType, w.DType)
	case !op.Info().Domain.Has(x.DType):
		return Type{}, DoesNotTake(op.Info().Domain, x.DType)
	case spatial < 1 || len(w.Shape) != len(x.Shape):
		return Type{}, fmt.Errorf("%s and weights %s: both have two axes for channels and the same number of others", x, w)
	}
	if err := a.Conv.check(spatial); err != nil {
		return Type{}, err
	}
	groups := a.Conv.Groups
	if x.Shape[1] != w.Shape[1].Mul(Fixed(groups)) {
		return Type{}, fmt.Errorf("%s has %s channels, and the weights %s are of %s in each of %d groups", x, x.Shape[1], w, w.Shape[1], groups)
	}
	if m, known := w.Shape[0].Int(); known && m%groups != 0 {
		return Type{}, fmt.Errorf("%d channels of the result are no %d equal groups", m, groups)
	}
	windows, err := a.Conv.windows(x.Shape, w.Shape)
	if err != nil {
		return Type{}, err
	}
	shape := windows[:2+spatial]
	shape[1] = w.Shape[0]
	return Type{x.DType, shape}, shape.Check()
}

// evalConv computes a convolution window by window.
func evalConv(v *Value, args [][]uint64) []uint64 {
	shape, _ := v.Args[0].Type.Shape.Ints()
	weights, _ := v.Args[1].Type.Shape.Ints()
	out, _ := v.Type.Shape.Ints()
	c, pairs, windows, columns := v.Attr.Conv, indices(weights[1:]), indices(out[2:]), weights[0]/v.Attr.Conv.Groups
	adds := convSum{v.Op.Info().By, v.Args[0].Type.DType, c.Tapped(v.Args[1].Type.Shape), out[0]*len(windows) == 1}
	all := make([]uint64, v.Type.Shape.size())
	line := make([]uint64, len(pairs))
	for image := range out[0] {
		for group := range c.Groups {
			for w, window := range windows {
				for p, pair := range pairs {
					line[p] = c.element(shape, args[0], image, group*weights[1]+pair[0], window, pair[1:])
				}
				for m := group * columns; m < (group+1)*columns; m++ {
					all[(image*weights[0]+m)*len(windows)+w] = adds.of(line, args[1][m*len(pairs):][:len(pairs)])
				}
			}
		}
	}
	return all
}

// element returns an element of a window of a channel of an image; x has the elements of the images.
func (c *Conv) element(shape []int, x []uint64, image, channel int, window, at []int) uint64 {
	place := image*shape[1] + channel
	for i, n := range shape[2:] {
		k := window[i]*c.Strides[i] + at[i]*c.Dilations[i] - c.Before[i]
		if k < 0 || k >= n {
			return 0
		}
		place = place*n + k
	}
	return x[place]
}

// convSum adds the products of pairs.
type convSum struct {
	by              Op
	d               DType
	tapped, reduces bool
}

// of returns the sum of the products of x and y.
func (s convSum) of(x, y []uint64) uint64 {
	if !s.tapped || !Floats.Has(s.d) {
		return Defined.DotLine(s.by, s.d, x, y, s.reduces)
	}
	sum := Defined.Combine(s.by, s.d, x[0], y[0])
	for i := range x[1:] {
		sum = Defined(OpFMA, s.d, s.d, [3]uint64{x[1+i], y[1+i], sum})
	}
	return sum
}

// indices returns the indices of a shape in row-major order.
func indices(shape []int) [][]int {
	out := [][]int{{}}
	for _, n := range shape {
		var next [][]int
		for _, index := range out {
			for k := range n {
				next = append(next, append(slices.Clip(slices.Clone(index)), k))
			}
		}
		out = next
	}
	return out
}
