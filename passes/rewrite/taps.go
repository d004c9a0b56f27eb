package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Convolutions of taps, whose groups have one channel. Orders writes each as a sum of products: for each element of a
// window, a slice of the operand times one weight per channel. The sum is a single loop, or part of one, that reads the
// operand once. It keeps the order of axes that the operand has in memory, so it runs along lines or across channels.
// Readers that need another order read the stored sum.

// OrderInMemory returns the axes of x in the order of memory. It returns them in ascending order if strides do not
// describe x.
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

// sumOfTaps returns the sum over window elements of slices times weights, in the order of the elements, with its axes in
// the given order.
func (s *State) sumOfTaps(c *adder, order []int) *ir.Value {
	o, w, by := c.v.Attr.Conv, c.v.Args[1], c.v.Op.Info().By
	x := c.surrounded(c.permuted(c.v.Args[0], order), o, order)
	window, rank := Extents(w)[2:], len(order)
	if s.Frozen[w] { // store the channels of each window element side by side
		w = c.permuted(c.add(ir.OpCopy, ir.Attr{}, c.permuted(w, append(axesFrom(1, rank), 0))), slices.Insert(axesFrom(0, rank-1), 0, rank-1))
	}
	// tap returns window element k, in row-major order, of all windows, and its weights.
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

// OfTaps marks convolutions of taps, and the values computed element by element from one.
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

// memoryOf returns the layout of x in the value below its views, whose own layout is given by of. It returns false if
// strides do not describe x.
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

// viewsBy reports whether one of the views of x has the given op.
func viewsBy(x *ir.Value, op ir.Op) bool {
	for ; x.Op.IsView(); x = x.Args[0] {
		if x.Op == op {
			return true
		}
	}
	return false
}
