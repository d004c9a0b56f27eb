package passes

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// convolutions writes convolutions as products of matrices of windows, but for those of taps (ir/conv.go), which become
// ones of the type that is computed in. The windows are views. They are the right operand; or the left one, if all that
// is read of the result has its channels last, as the rows of that product have.
//
// Requires: all sizes bound.
// Ensures: convolutions are of taps, and of a type that is computed in itself.
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
		if isConv(v) && !(isTapped(v) && v.Type.DType.Native()) {
			return fmt.Errorf("%%%d is a %s of %s that has no taps", v.ID, v.Op, v.Type.DType)
		}
	}
	return nil
}

func isConv(v *ir.Value) bool { return v.Attr.Conv != nil }

// isTapped reports whether a convolution is of taps.
func isTapped(v *ir.Value) bool { return v.Attr.Conv.Tapped(v.Args[1].Type.Shape) }

// channelsLast returns the convolutions but for those of taps whose operand has its channels last in memory, and whose result is read with
// its channels last.
func channelsLast(f *ir.Func) map[*ir.Value]bool {
	last := map[*ir.Value]bool{}
	for _, v := range f.Body {
		if isConv(v) {
			x := v.Args[0]
			last[v] = !isTapped(v) && x.Op == ir.OpPermute && slices.Equal(x.Attr.Axes, toFirst(len(x.Attr.Axes)))
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
	last bool       // whether the result has its channels last
	made *numbering // of the values that are made, or nil
	err  error
}

func (c *convolver) add(op ir.Op, a ir.Attr, args ...*ir.Value) (y *ir.Value) {
	if c.err == nil {
		if y, c.err = c.s.Func.Add(op, a, c.v.Pos, args...); c.err == nil {
			y.Call = c.v.Call
			if c.made != nil && (op == ir.OpExpand || !op.IsView()) { // taps have views of their own, so that the pass views sees how many there are
				y = c.made.first(y)
			}
		}
	}
	return y
}

// result returns the convolution, [n, m, windows], or [n, windows, m] with its channels last.
func (c *convolver) result() (*ir.Value, error) {
	x, w, d := c.v.Args[0], c.v.Args[1], c.v.Type.DType
	var y *ir.Value
	switch {
	case !isTapped(c.v):
		y = c.product(c.padded(x, axesFrom(0, len(x.Type.Shape))), w)
	case d.Native():
		y = c.v
	default:
		y = c.cast(c.add(c.v.Op, *c.v.Attr, c.cast(x, d.Compute()), c.cast(w, d.Compute())), d)
	}
	return y, c.err
}

// cast returns x of another type. What is permuted is cast before, in the order of memory.
func (c *convolver) cast(x *ir.Value, d ir.DType) *ir.Value {
	switch {
	case c.err != nil || x.Type.DType == d:
		return x
	case x.Op == ir.OpPermute:
		return c.permuted(c.cast(x.Args[0], d), x.Attr.Axes)
	}
	return c.add(ir.OpCast, ir.Attr{DType: d}, x)
}

// permuted returns x with its axes in an order.
func (c *convolver) permuted(x *ir.Value, axes []int) *ir.Value {
	if c.err != nil {
		return nil
	}
	y, err := permuted(c.s.Func, x, axes, c.v.Pos)
	if c.err = err; err != nil {
		return nil
	}
	if y != x && y.Call == 0 {
		y.Call = c.v.Call
	}
	return y
}

// padded returns x with zeros around it, or cropped. Its axes are in an order.
func (c *convolver) padded(x *ir.Value, order []int) *ir.Value {
	o := c.v.Attr.Conv
	for i := range o.Before {
		x = c.cropped(x, slices.Index(order, 2+i), max(0, -o.Before[i]), max(0, -o.After[i]))
	}
	for i := range slices.Backward(o.Before) {
		x = c.paddedAlong(x, slices.Index(order, 2+i), max(0, o.Before[i]), max(0, o.After[i]))
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
