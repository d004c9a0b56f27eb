package graph

import (
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// Statistics that leave NaNs out, and NaNs replaced.

// NanToNum returns x with NaN replaced by a number and infinities by two others, as NumPy's nan_to_num; nil stands for
// 0, the greatest and the least finite number of x's type. Types without infinities and NaN are returned unchanged.
func (x Node) NanToNum(nan, infinity, minusInfinity any) Node {
	n := x.get()
	if n.err != nil || !ir.Floats.Has(n.typ.DType) {
		return x
	}
	or := func(v any, usual float64) any {
		if v == nil {
			return usual
		}
		return v
	}
	greatest := ir.Greatest(n.typ.DType)
	y := Where(x.IsNaN(), or(nan, 0), x)
	y = Where(x.Eq(math.Inf(1)), or(infinity, greatest), y)
	return Where(x.Eq(math.Inf(-1)), or(minusInfinity, -greatest), y)
}

// NanVar returns the variance along axes of the elements that are not NaN, as Var computes it. With DDOF(d) the divisor
// is their number minus d. It is NaN where that is 0 or less. Options: KeepDims, DDOF, InType.
func (x Node) NanVar(axes ...any) Node {
	x, axes = inType(x, x.DType(), axes)
	return x.inComputeType(func(x Node) Node {
		all, r := x.count(axes, "KeepDims", "DDOF")
		if all.Err() != nil {
			return all
		}
		over := []any{r.axes}
		if r.keep {
			over = append(over, KeepDims)
		}
		d := Where(x.IsNaN(), 0, x.Sub(x.NanMean(r.axes, KeepDims)))
		n, sum := x.NanCount(over...), d.Sum(over...)
		squares := aroundMean(d.Square().Sum(over...), sum, n)
		n = n.Sub(r.ddof)
		return Where(n.Gt(0), squares.Div(n), math.NaN())
	})
}

// NanStd returns the square root of NanVar.
func (x Node) NanStd(axes ...any) Node {
	x, axes = inType(x, x.DType(), axes)
	return x.inComputeType(func(x Node) Node { return x.NanVar(axes...).norm() })
}

// NanQuantile returns quantile q, from 0 to 1, of the elements along an axis, or of all elements, that are not NaN: NaN
// if all are NaN. It interpolates linearly. The axis is dropped, or has extent 1 with KeepDims.
func (x Node) NanQuantile(q float64, axis ...any) Node {
	return x.inComputeType(func(x Node) Node {
		if !(q >= 0 && q <= 1) {
			return fail("a part of %v: give one from 0 to 1", q)
		}
		y, err := x.inReals().nanQuantile(q, axis)
		if err != nil {
			return fail("%w", err)
		}
		return y
	})
}

func (x Node) nanQuantile(q float64, axis []any) (Node, error) {
	if x.Err() != nil {
		return x, nil
	}
	r, err := x.get().reduction(axis, "KeepDims")
	if err != nil {
		return x, err
	}
	k := 0
	switch {
	case len(r.axes) == x.Rank() && x.Rank() != 1:
		x = x.Reshape(-1)
	case len(r.axes) != 1:
		return x, fmt.Errorf("%d axes: it takes one, or none for all elements", len(r.axes))
	default:
		k = r.axes[0]
	}
	extent, known := x.Shape()[k].Int()
	if known && extent == 0 {
		return x, ir.NoElements(k, x.get().text(), " to select")
	}
	last := x.IsNaN().Not().Cast(Int64).Sum(k, KeepDims).Sub(1) // the place of the last number
	at := last.Cast(Float64).Mul(q)
	before := at.Floor()
	places := Concat(k, before.Cast(Int64), at.Ceil().Cast(Int64)) // without numbers below 0: the first element is NaN
	found := apply(ir.OpNth, ir.Attr{Axis: k}, x.get(), places.get())
	y := between(found.SliceAxis(k, 0, 1, 1), found.SliceAxis(k, 1, 2, 1), at.Sub(before).Cast(x.DType()))
	if !known { // an empty axis is an error of this Index
		y = Where(last.Lt(0), x.Index(k, -1).Unsqueeze(k), y)
	}
	if r.keep {
		for range len(r.axes) - 1 { // all axes were joined in one
			y = y.Unsqueeze(0)
		}
		return y, nil
	}
	return y.Squeeze(k), nil
}
