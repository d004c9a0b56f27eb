package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// find writes where the least or greatest element of a line stands.
//
// Along the last axis one pass folds each chunk to that element and its place. Of
// several chunks these are then a short line, of which it finds the chunk.
//
// Along another axis, or wherever lines lie side by side, and of short lines it takes
// two looks: for the element, and for those that are equal to it.
func (r *reducer) find(v *ir.Value) (*ir.Value, error) {
	x, axis, by := v.Args[0], v.Attr.Axes[0], v.Op.Info().By
	n := extents(x)[axis]
	b := &finder{r: r, v: v}
	switch {
	case size(v.Type.Shape) == 0 || n == 1:
		return r.constant(v, 0)
	case axis < len(x.Type.Shape)-1 || n <= r.shortLine || liesAcross(x, axis):
		index := b.index(x.Type.Shape, axis)
		return b.first(by, x, index, axis), b.err
	}
	place := b.add(ir.OpReduceChunks, ir.Attr{By: v.Op}, x)
	if n <= ir.ReduceChunk {
		return place, b.err
	}
	best := b.add(ir.OpReduceChunks, ir.Attr{By: by}, x)
	if b.err != nil {
		return nil, b.err
	}
	chunk := b.index(best.Type.Shape, 0)
	place = b.add(ir.OpAdd, ir.Attr{}, place, b.add(ir.OpMul, ir.Attr{}, chunk, b.number(ir.ReduceChunk, best.Type.Shape)))
	return b.first(by, best, place, 0), b.err
}

// liesAcross reports whether the elements along an axis of a param are not next to
// each other, as far as permutations and elementwise ops lead to one: by the first of
// their operands that has all elements.
func liesAcross(x *ir.Value, axis int) bool {
	for {
		switch {
		case x.Op == ir.OpParam:
			l := x.Attr.At
			if l == nil {
				rows := layout.RowMajor(extents(x)...)
				l = &rows
			}
			return l.Strides[axis] > 1 || l.Strides[axis] < -1
		case x.Op == ir.OpPermute:
			axis, x = x.Attr.Axes[axis], x.Args[0]
			continue
		case !x.Op.IsElementwise():
			return false
		}
		like := slices.IndexFunc(x.Args, func(a *ir.Value) bool { return slices.Equal(a.Type.Shape, x.Type.Shape) && !isConst(a) })
		if like < 0 {
			return false
		}
		x = x.Args[like]
	}
}

// finder adds values for v until there is an error.
type finder struct {
	r   *reducer
	v   *ir.Value
	err error
}

func (b *finder) add(op ir.Op, a ir.Attr, args ...*ir.Value) *ir.Value {
	if b.err != nil {
		return nil
	}
	var x *ir.Value
	x, b.err = b.r.f.Add(op, a, b.v.Pos, args...)
	return x
}

// number returns an Int32 in a shape.
func (b *finder) number(n int, s ir.Shape) *ir.Value {
	c := b.add(ir.OpConst, ir.Attr{DType: ir.Int32, Bits: uint64(n)})
	return b.add(ir.OpExpand, ir.Attr{Shape: s}, c)
}

// index returns the indices along an axis of a shape.
func (b *finder) index(s ir.Shape, axis int) *ir.Value {
	i := b.add(ir.OpIota, ir.Attr{DType: ir.Int32, Shape: s[axis : axis+1]})
	return b.across(i, s, axis)
}

// across repeats x along an axis that it lacks, or, for an index, along all others.
func (b *finder) across(x *ir.Value, s ir.Shape, axis int) *ir.Value {
	if b.err != nil {
		return nil
	}
	one := ir.Shape{}
	for i := range s {
		if (i == axis) == (x.Op == ir.OpIota) {
			one = append(one, s[i])
		} else {
			one = append(one, ir.Fixed(1))
		}
	}
	return b.add(ir.OpExpand, ir.Attr{Shape: s}, b.add(ir.OpReshape, ir.Attr{Shape: one}, x))
}

// first returns the least of the places where x is a NaN or the best of its line.
func (b *finder) first(by ir.Op, x, places *ir.Value, axis int) *ir.Value {
	best := b.fold(by, x, axis)
	if b.err != nil {
		return nil
	}
	is := b.add(ir.OpEq, ir.Attr{}, x, b.across(best, x.Type.Shape, axis))
	if ir.Floats.Has(x.Type.DType) {
		is = b.add(ir.OpOr, ir.Attr{}, is, b.add(ir.OpIsNaN, ir.Attr{}, x))
	}
	const beyond = 1<<31 - 1
	return b.fold(ir.OpMin, b.add(ir.OpSelect, ir.Attr{}, is, places, b.number(beyond, x.Type.Shape)), axis)
}

// fold folds an axis.
func (b *finder) fold(by ir.Op, x *ir.Value, axis int) *ir.Value {
	if b.err != nil {
		return nil
	}
	x, b.err = b.r.reduce(by, b.v, x, []int{axis})
	return x
}
