package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// An adder adds the values that replace a value to the graph. After the first error it adds nothing and returns nil.
type adder struct {
	f   *ir.Func
	v   *ir.Value // value to replace; the new values get its position in the source
	err error
}

// add adds a value with the given op, attributes and operands.
func (a *adder) add(op ir.Op, attr ir.Attr, args ...*ir.Value) *ir.Value {
	if a.err != nil {
		return nil
	}
	var y *ir.Value
	if y, a.err = a.f.Add(op, attr, a.v.Pos, args...); a.err != nil {
		return nil
	}
	y.Call = a.v.Call
	return y
}

// constant returns a constant repeated to the shape of a value.
func (a *adder) constant(like *ir.Value, bits uint64) *ir.Value {
	c := a.add(ir.OpConst, ir.Attr{DType: like.Type.DType, Bits: bits})
	if len(like.Type.Shape) == 0 {
		return c
	}
	return a.add(ir.OpExpand, ir.Attr{Shape: like.Type.Shape}, c)
}

// reshaped returns x reshaped, or x if it has the shape.
func (a *adder) reshaped(x *ir.Value, shape ir.Shape) *ir.Value {
	if a.err != nil || x.Type.Shape.Equal(shape) {
		return x
	}
	return a.add(ir.OpReshape, ir.Attr{Shape: shape}, x)
}

// permuted returns x with its axes permuted. It merges a permute of a permute into one, or into nothing if they
// cancel out.
func (a *adder) permuted(x *ir.Value, axes []int) *ir.Value {
	if a.err != nil {
		return nil
	}
	if x.Op == ir.OpPermute {
		of := make([]int, len(axes))
		for i, k := range axes {
			of[i] = x.Attr.Axes[k]
		}
		x, axes = x.Args[0], of
	}
	if slices.IsSorted(axes) {
		return x
	}
	return a.add(ir.OpPermute, ir.Attr{Axes: axes}, x)
}

// cast returns x converted to a type. If x is a permute, the operand is converted, so that the conversion runs in the
// order of memory.
func (a *adder) cast(x *ir.Value, d ir.DType) *ir.Value {
	switch {
	case a.err != nil || x.Type.DType == d:
		return x
	case x.Op == ir.OpPermute:
		return a.permuted(a.cast(x.Args[0], d), x.Attr.Axes)
	}
	return a.add(ir.OpCast, ir.Attr{DType: d}, x)
}

// cropped returns x without the first and last elements along an axis: before and after say how many.
func (a *adder) cropped(x *ir.Value, axis, before, after int) *ir.Value {
	if a.err != nil || before == 0 && after == 0 {
		return x
	}
	n := x.Type.Shape[axis].Add(ir.Fixed(-before - after))
	return a.add(ir.OpSlice, ir.Attr{Axis: axis, Begin: ir.Fixed(before), Len: n, Step: 1}, x)
}

// padded returns x with zeros added along an axis: before in front, after at the end.
func (a *adder) padded(x *ir.Value, axis, before, after int) *ir.Value {
	if a.err != nil || before == 0 && after == 0 {
		return x
	}
	zeros := func(n int) *ir.Value {
		shape := slices.Clone(x.Type.Shape)
		shape[axis] = ir.Fixed(n)
		return a.add(ir.OpExpand, ir.Attr{Shape: shape}, a.add(ir.OpConst, ir.Attr{DType: x.Type.DType}))
	}
	parts := []*ir.Value{x}
	if before > 0 {
		parts = slices.Insert(parts, 0, zeros(before))
	}
	if after > 0 {
		parts = append(parts, zeros(after))
	}
	return a.add(ir.OpConcat, ir.Attr{Axis: axis}, parts...)
}

// inverse returns the inverse of a permutation of axes.
func inverse(axes []int) []int {
	back := make([]int, len(axes))
	for i, k := range axes {
		back[k] = i
	}
	return back
}
