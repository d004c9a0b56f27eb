package passes

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// convolutions writes each convolution as what computes it in its order of additions (ir/conv.go): the taps of single
// channels as a sum of slices, which reads the operand once in one loop, and any other as a product of matrices of
// windows, or the reduction that this is for one row or one column. The windows are views. Of a product they are the
// right operand; or the left one, if all that is read of the result has its channels last, as the rows of that product
// have.
//
// Requires: all sizes bound.
// Ensures: no convolution.
func convolutions(s *State) error {
	if !slices.ContainsFunc(s.Func.Body, isConv) {
		return nil
	}
	last := channelsLast(s.Func)
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		switch {
		case isConv(v) && !last[v]:
			c := convolver{s: s, v: v}
			return c.result()
		case v.Op == ir.OpPermute && last[v.Args[0]]:
			c := convolver{s: s, v: v.Args[0], last: true}
			return c.result()
		}
		return v, nil // a convolution with its channels last stands before the permutes that read it, and is dropped
	})
}

func checkConvolutions(s *State) error {
	for _, v := range s.Func.Body {
		if isConv(v) {
			return fmt.Errorf("%%%d is a %s", v.ID, v.Op)
		}
	}
	return nil
}

func isConv(v *ir.Value) bool { return v.Attr.Conv != nil }

// channelsLast returns the convolutions whose operand has its channels last in memory, and whose result is read with
// its channels last.
func channelsLast(f *ir.Func) map[*ir.Value]bool {
	last := map[*ir.Value]bool{}
	for _, v := range f.Body {
		if isConv(v) {
			x := v.Args[0]
			last[v] = x.Op == ir.OpPermute && slices.Equal(x.Attr.Axes, toFirst(len(x.Attr.Axes)))
			continue
		}
		for _, a := range v.Args {
			if last[a] && !(v.Op == ir.OpPermute && slices.Equal(v.Attr.Axes, toLast(len(v.Attr.Axes)))) {
				last[a] = false
			}
		}
	}
	for _, r := range f.Results {
		last[r] = false
	}
	return last
}

// toFirst returns the axes of a permute that makes the last axis the second one, and toLast those of the permute back.
func toFirst(rank int) []int { return append([]int{0, rank - 1}, axesFrom(1, rank-1)...) }
func toLast(rank int) []int  { return append(slices.Insert(axesFrom(2, rank), 0, 0), 1) }

// A convolver writes one convolution.
type convolver struct {
	s    *State
	v    *ir.Value
	last bool // whether the result has its channels last
	err  error
}

//go:noinline
func (c *convolver) add(op ir.Op, a ir.Attr, args ...*ir.Value) (y *ir.Value) {
	if c.err == nil {
		if y, c.err = c.s.Func.Add(op, a, c.v.Pos, args...); c.err == nil {
			y.Call = c.v.Call
		}
	}
	return y
}

// result returns the convolution, [n, m, windows], or [n, windows, m] with its channels last.
func (c *convolver) result() (y *ir.Value, err error) {
	x, w, d := c.v.Args[0], c.v.Args[1], c.v.Type.DType
	if c.tapped() {
		x, w = c.cast(x, d.Compute()), c.cast(w, d.Compute())
		y = c.cast(c.taps(c.padded(x), w), d)
	} else {
		y = c.product(c.padded(x), w)
	}
	return y, c.err
}

func (c *convolver) tapped() bool { return c.v.Attr.Conv.Tapped(c.v.Args[1].Type.Shape) }

// cast returns x of another type.
func (c *convolver) cast(x *ir.Value, d ir.DType) *ir.Value {
	if c.err != nil || x.Type.DType == d {
		return x
	}
	return c.add(ir.OpCast, ir.Attr{DType: d}, x)
}

// permuted returns x with its axes in an order.
func (c *convolver) permuted(x *ir.Value, axes []int) *ir.Value {
	if slices.IsSorted(axes) {
		return x
	}
	return c.add(ir.OpPermute, ir.Attr{Axes: axes}, x)
}

// padded returns x with zeros around it, or cropped. What is read tap by tap is padded in the order of memory, as the
// windows of single channels are read in it.
func (c *convolver) padded(x *ir.Value) *ir.Value {
	o, rank, first := c.v.Attr.Conv, len(c.v.Args[0].Type.Shape), 2
	inOrder := c.last && c.tapped()
	if inOrder {
		x, first = c.permuted(x, toLast(rank)), 1
	}
	for i := range o.Before {
		x = c.cropped(x, first+i, max(0, -o.Before[i]), max(0, -o.After[i]))
	}
	for i := range slices.Backward(o.Before) {
		x = c.paddedAlong(x, first+i, max(0, o.Before[i]), max(0, o.After[i]))
	}
	if inOrder {
		x = c.permuted(x, toFirst(rank))
	}
	return x
}

// cropped returns x without elements at both ends of an axis.
func (c *convolver) cropped(x *ir.Value, axis, before, after int) *ir.Value {
	if c.err != nil || before == 0 && after == 0 {
		return x
	}
	left := extents(x)[axis] - before - after
	return c.add(ir.OpSlice, ir.Attr{Axis: axis, Begin: ir.Fixed(before), Len: ir.Fixed(left), Step: 1}, x)
}

// paddedAlong returns x with zeros at both ends of an axis.
func (c *convolver) paddedAlong(x *ir.Value, axis, before, after int) *ir.Value {
	if c.err != nil || before == 0 && after == 0 {
		return x
	}
	zeros := func(n int) *ir.Value {
		shape := slices.Clone(x.Type.Shape)
		shape[axis] = ir.Fixed(n)
		return c.add(ir.OpExpand, ir.Attr{Shape: shape}, c.add(ir.OpConst, ir.Attr{DType: x.Type.DType}))
	}
	parts := []*ir.Value{x}
	if before > 0 {
		parts = slices.Insert(parts, 0, zeros(before))
	}
	if after > 0 {
		parts = append(parts, zeros(after))
	}
	return c.add(ir.OpConcat, ir.Attr{Axis: axis}, parts...)
}

// taps returns the sum of the products of the elements of all windows of x, which is padded, one element after the
// other.
func (c *convolver) taps(x, w *ir.Value) *ir.Value {
	if c.err != nil {
		return nil
	}
	window := extents(w)[2:]
	if c.s.frozen[w] { // the channels of each element side by side
		rank := len(w.Type.Shape)
		w = c.permuted(c.add(ir.OpCopy, ir.Attr{}, c.permuted(w, append(axesFrom(1, rank), 0))), slices.Insert(axesFrom(0, rank-1), 0, rank-1))
	}
	var sum *ir.Value
	for k := range size(c.v.Args[1].Type.Shape[2:]) {
		a, b := c.tap(x, w, window, k)
		switch {
		case sum == nil:
			sum = c.add(c.v.Op.Info().By, ir.Attr{}, a, b)
		case c.err == nil && ir.Reals.Has(x.Type.DType):
			sum = c.add(ir.OpFMA, ir.Attr{}, a, b, sum)
		default:
			sum = c.add(ir.OpAdd, ir.Attr{}, sum, c.add(c.v.Op.Info().By, ir.Attr{}, a, b))
		}
	}
	if c.last {
		sum = c.permuted(sum, toLast(2+len(window)))
	}
	return sum
}

// tap returns the element of all windows whose index has place k in row-major order, and the weights of it.
func (c *convolver) tap(x, w *ir.Value, window []int, k int) (a, b *ir.Value) {
	a, b = x, w
	for i, n := range slices.Backward(window) {
		at := k % n
		k /= n
		o := c.v.Attr.Conv
		a = c.add(ir.OpSlice, ir.Attr{Axis: 2 + i, Begin: ir.Fixed(at * o.Dilations[i]), Len: c.v.Type.Shape[2+i], Step: o.Strides[i]}, a)
		b = c.add(ir.OpIndex, ir.Attr{Axis: 2 + i, Begin: ir.Fixed(at)}, b)
	}
	if len(window) > 1 {
		b = c.add(ir.OpUnsqueeze, ir.Attr{Axes: axesFrom(1, len(window))}, b)
	}
	return a, b
}
