package blocks

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Short forms of the ops in the rules. The shapes of the operands are numbers.

func extents(x *ir.Value) []int {
	n, ok := x.Type.Shape.Ints()
	if !ok {
		panic("blocks: the shape " + x.Type.Shape.String() + " is not of numbers")
	}
	return n
}

func (w *writer) constant(at *ir.Value, d ir.DType, bits uint64) *ir.Value {
	return w.add(ir.OpConst, ir.Attr{DType: d, Bits: ir.Wrap(d, int64(bits))}, at)
}

func (w *writer) cast(x *ir.Value, d ir.DType) *ir.Value {
	if x.Type.DType == d {
		return x
	}
	return w.add(ir.OpCast, ir.Attr{DType: d}, x, x)
}

func (w *writer) reshape(x *ir.Value, shape ...int) *ir.Value {
	if slices.Equal(extents(x), shape) {
		return x
	}
	return w.add(ir.OpReshape, ir.Attr{Shape: ir.ShapeOf(shape...)}, x, x)
}

func (w *writer) permute(x *ir.Value, axes ...int) *ir.Value {
	if slices.IsSorted(axes) {
		return x
	}
	return w.add(ir.OpPermute, ir.Attr{Axes: axes}, x, x)
}

// moved moves an axis to another position.
func (w *writer) moved(x *ir.Value, from, to int) *ir.Value {
	axes := make([]int, len(x.Type.Shape))
	for i := range axes {
		axes[i] = i
	}
	axes = slices.Insert(slices.Delete(axes, from, from+1), to, from)
	return w.permute(x, axes...)
}

func (w *writer) slice(x *ir.Value, axis, begin, n int) *ir.Value {
	if begin == 0 && extents(x)[axis] == n {
		return x
	}
	return w.add(ir.OpSlice, ir.Attr{Axis: axis, Begin: ir.Fixed(begin), Len: ir.Fixed(n), Step: 1}, x, x)
}

func (w *writer) concat(axis int, xs ...*ir.Value) *ir.Value {
	xs = slices.DeleteFunc(xs, func(x *ir.Value) bool { return x == nil })
	if len(xs) == 1 {
		return xs[0]
	}
	return w.add(ir.OpConcat, ir.Attr{Axis: axis}, xs[0], xs...)
}

func (w *writer) unsqueeze(x *ir.Value, axis int) *ir.Value {
	return w.add(ir.OpUnsqueeze, ir.Attr{Axes: []int{axis}}, x, x)
}

func (w *writer) squeeze(x *ir.Value, axis int) *ir.Value {
	return w.add(ir.OpSqueeze, ir.Attr{Axes: []int{axis}}, x, x)
}

// split splits an axis in two; the second has extent inner.
func (w *writer) split(x *ir.Value, axis, inner int) *ir.Value {
	shape := extents(x)
	n := shape[axis] / inner
	return w.reshape(x, slices.Replace(slices.Clone(shape), axis, axis+1, n, inner)...)
}
