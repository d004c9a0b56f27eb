package rewrite

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Taps writes each convolution of single channels as the sum of products that it is: a slice of the operand for each
// element of a window, times a weight for each channel. So it is one loop, or a part of one, that reads the operand
// once. It is computed in the order of axes that the operand has in memory, line by line or with the channels in
// vectors, and what reads it in another order reads what is stored.
//
// Requires: views are ops; convolutions are of taps.
// Ensures: no convolution.
func Taps(s *State) error {
	if !slices.ContainsFunc(s.Func.Body, isTapped) {
		return nil
	}
	s.Tapped = map[*ir.Value]bool{}
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		a, y := adder{f: s.Func, v: v}, v
		switch {
		case v.Op == ir.OpPermute && v.Args[0].Op == ir.OpPermute: // what reads the sum in its order reads it as it is
			y = a.permuted(v.Args[0], v.Attr.Axes)
		case isTapped(v):
			y = s.taps(&a, OrderInMemory(v.Args[0]))
		}
		return y, a.err
	})
}

func CheckTaps(s *State) error {
	for _, v := range s.Func.Body {
		if v.Attr.Conv != nil {
			return fmt.Errorf("%%%d is a %s", v.ID, v.Op)
		}
	}
	return nil
}

// OrderInMemory returns the axes of a value in the order that they have in the memory of what it views, if strides of
// its axes say so, or else in their own.
func OrderInMemory(x *ir.Value) []int {
	if l, ok := memoryOf(x, LayoutOf); ok {
		axes := orderOf(l)
		moves := slices.DeleteFunc(slices.Clone(axes), func(k int) bool { return l.Shape[k] == 1 || l.Strides[k] == 0 })
		if !slices.IsSorted(moves) {
			return axes
		}
	}
	return axesFrom(0, len(x.Type.Shape))
}

// taps returns the sum of the products of the elements of all windows, one element after the other, computed with its
// axes in an order.
func (s *State) taps(c *adder, order []int) *ir.Value {
	o, w, by := c.v.Attr.Conv, c.v.Args[1], c.v.Op.Info().By
	x := c.surrounded(c.permuted(c.v.Args[0], order), o, order)
	window, rank := Extents(w)[2:], len(order)
	if s.Frozen[w] { // the channels of each element side by side
		w = c.permuted(c.add(ir.OpCopy, ir.Attr{}, c.permuted(w, append(axesFrom(1, rank), 0))), slices.Insert(axesFrom(0, rank-1), 0, rank-1))
	}
	// tap returns the element of all windows whose index has place k in row-major order, and its weights.
	tap := func(k int) (a, b *ir.Value) {
		a, b = x, w
		for i, n := range slices.Backward(window) {
			at := k % n
			k /= n
			a = c.add(ir.OpSlice, ir.Attr{Axis: slices.Index(order, 2+i), Begin: ir.Fixed(at * o.Dilations[i]), Len: c.v.Type.Shape[2+i], Step: o.Strides[i]}, a)
			b = c.add(ir.OpIndex, ir.Attr{Axis: 2 + i, Begin: ir.Fixed(at)}, b)
		}
		b = c.add(ir.OpIndex, ir.Attr{Axis: 1, Begin: ir.Fixed(0)}, b)
		if behind := rank - 1 - slices.Index(order, 1); behind > 0 {
			b = c.add(ir.OpUnsqueeze, ir.Attr{Axes: axesFrom(1, 1+behind)}, b)
		}
		return a, b
	}
	var sum *ir.Value
	for k := range Size(c.v.Args[1].Type.Shape[2:]) {
		switch a, b := tap(k); {
		case sum == nil:
			sum = c.add(by, ir.Attr{}, a, b)
		case ir.Reals.Has(c.v.Type.DType):
			sum = c.add(ir.OpFMA, ir.Attr{}, a, b, sum)
		default:
			sum = c.add(ir.OpAdd, ir.Attr{}, sum, c.add(by, ir.Attr{}, a, b))
		}
	}
	s.Tapped[sum] = true
	return c.permuted(sum, inverse(order))
}

// OfTaps returns which values are convolutions of taps, or are computed of one, element by element.
func (s *State) OfTaps() ValueMap[bool] {
	of := MapIn(&s.Pass.Flags, s.Func)
	for _, v := range s.Func.Body {
		is := isTapped(v) || s.Tapped[v]
		if v.Op.IsElementwise() {
			for _, a := range v.Args {
				x := Viewed(a)
				is = is || *of.At(x) && Size(x.Type.Shape) == Size(v.Type.Shape)
			}
		}
		*of.At(v) = is
	}
	return of
}

// memoryOf returns where the elements of a value are in the memory of that which it views, if strides of its axes say so. That
// value has its elements where of says.
func memoryOf(x *ir.Value, of func(*ir.Value) layout.Layout) (l layout.Layout, ok bool) {
	if !x.Op.IsView() {
		return of(x), true
	}
	if l, ok = memoryOf(x.Args[0], of); !ok {
		return l, false
	}
	l, err := x.Layout(l)
	return l, err == nil
}

// viewsBy reports whether x is a view by way of an op.
func viewsBy(x *ir.Value, op ir.Op) bool {
	for ; x.Op.IsView(); x = x.Args[0] {
		if x.Op == op {
			return true
		}
	}
	return false
}
