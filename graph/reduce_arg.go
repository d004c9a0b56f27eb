package graph

import "github.com/stridefuse/stridefuse/ir"

// ArgMin returns as Int64 the index of the least element along one axis, or the row-major index among all elements of
// x. It is the index of the first NaN if there is one, otherwise of the first of several equal elements (+0 and -0 are
// equal); with LastIndex the last in either case. A line has at most 1<<31 elements. Along the last axis of a row-major
// x it reads x once.
func (x Node) ArgMin(axis ...any) Node { return x.arg(ir.OpArgMin, axis) }

// ArgMax returns the index of the greatest element; see ArgMin.
func (x Node) ArgMax(axis ...any) Node { return x.arg(ir.OpArgMax, axis) }

// arg returns the index of the least or the greatest element. The last one is the first of the line read backwards.
func (x Node) arg(op ir.Op, args []any) Node {
	n := x.get()
	switch {
	case n.err != nil:
		return apply(op, ir.Attr{}, n)
	case n.typ.DType == Bool:
		return x.Cast(Uint8).arg(op, args)
	}
	r, err := n.reduction(args, "KeepDims", "LastIndex")
	rank := len(n.typ.Shape)
	switch {
	case err != nil:
		return fail("%w", err)
	case len(r.axes) == rank && rank != 1: // all of the array
		first := []any{0}
		if r.last {
			first = append(first, LastIndex)
		}
		y := x.Reshape(-1).arg(op, first)
		if r.keep {
			return y.Unsqueeze(r.axes)
		}
		return y
	case len(r.axes) != 1:
		return fail("%d axes: it takes one, or all for the index into all elements", len(r.axes))
	}
	axis := r.axes[0]
	elems := n.typ.Shape[axis]
	var y Node
	if r.last {
		y = apply(op, ir.Attr{Axes: r.axes}, x.Flip(axis).get())
		y = apply(ir.OpExtent, ir.Attr{DType: Int32, Begin: elems.Sub(ir.Fixed(1))}).Sub(y)
	} else {
		y = apply(op, ir.Attr{Axes: r.axes}, n)
	}
	y = y.Cast(Int64)
	if r.keep {
		return y.Unsqueeze(axis)
	}
	return y
}

// Iota returns 0, 1, 2, ... along one axis of extent n, an int or a Dim. Types with fractions are rounded. If n is an
// int, numbers beyond the greatest of the type are an error.
func Iota(dt DType, n any) Node {
	shape, err := extentsOf([]any{n})
	if err != nil {
		return fail("%w", err)
	}
	if len(shape) != 1 {
		return fail("%d extents: it has one axis", len(shape))
	}
	if dt == Int32 || dt == Int64 || dt == Bool || dt.Check() != nil {
		return apply(ir.OpIota, ir.Attr{DType: dt, Shape: shape})
	}
	if n, known := shape[0].Int(); known && n > 0 {
		if _, err := ir.Encode(dt, n-1); err != nil {
			return fail("%d elements: %w", n, err)
		}
	}
	return apply(ir.OpIota, ir.Attr{DType: Int64, Shape: shape}).Cast(dt)
}
