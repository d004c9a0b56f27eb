package graph

import "github.com/stridefuse/stridefuse/ir"

// Recurrence returns y[i] = a[i]*y[i-1] + x[i] along an axis, with y[0] = x[0]: a linear recurrence of first order,
// such as a recursive filter or a balance with interest. The factors a are a number, or a Node or Tensor of x's type
// that broadcasts to x's shape. To start from a known y[-1], add a[0]*y[-1] to x[0].
//
// Elements are computed in order; each product and each sum is rounded. So the bits are those of a plain loop, and of
// scipy.signal.lfilter with [1] and [1, -a]. Lines are computed side by side and by several goroutines; a single line
// is not divided. Integers wrap. Storage types such as Float16 are rounded at the end. Reverse runs from the last
// element to the first.
func (x Node) Recurrence(axis, a any, opts ...ReduceOption) Node {
	n := x.get()
	factors := operand(a, n.typ.DType)
	if n.err != nil || factors.err != nil {
		return apply(ir.OpRecurrence, ir.Attr{}, n, factors)
	}
	k, err := n.axis(axis)
	if err != nil {
		return Node{poison(err, n, factors)}
	}
	o, err := scanOptions(opts)
	if err == nil {
		err = o.only("Reverse")
	}
	if err != nil {
		return Node{poison(err, n, factors)}
	}
	f := Node{factors}
	if d := n.typ.DType; ir.Reals.Has(d) && !d.Native() && f.DType() == d {
		f = f.Cast(d.Compute())
	}
	f = f.BroadcastTo(n.typ.Shape)
	return x.inComputeType(func(x Node) Node {
		if o.reverse {
			x, f = x.Flip(k), f.Flip(k)
		}
		y := apply(ir.OpRecurrence, ir.Attr{Axis: k}, x.get(), f.get())
		if o.reverse {
			y = y.Flip(k)
		}
		return y
	})
}

// ExpAverage returns the exponential moving average along an axis: y[0] = x[0] and y[i] = alpha*x[i] +
// (1-alpha)*y[i-1]. It is pandas' ewm(alpha=alpha, adjust=False).mean() of an x without NaNs. For a span of n elements
// alpha is 2/(n+1). alpha is a number, or a Node or Tensor that broadcasts to x's shape.
func (x Node) ExpAverage(axis, alpha any, opts ...ReduceOption) Node {
	return x.inComputeType(func(x Node) Node { return x.expAverage(axis, alpha, opts) })
}

func (x Node) expAverage(axis, alpha any, opts []ReduceOption) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	k, err := n.axis(axis)
	if err != nil {
		return fail("%w", err)
	}
	if !ir.Reals.Has(n.typ.DType) {
		return fail("does not take %s: Cast to a float type", n.typ.DType)
	}
	a := Node{operand(alpha, n.typ.DType)}
	if a.DType() != n.typ.DType && a.Err() == nil {
		a = a.Cast(n.typ.DType)
	}
	o, err := scanOptions(opts)
	if err != nil {
		return fail("%w", err)
	}
	places := Iota(Int64, n.typ.Shape[k])
	if o.reverse {
		places = places.Flip(0)
	}
	for range len(n.typ.Shape) - 1 - k {
		places = places.Unsqueeze(-1)
	}
	weights := Where(places.Eq(0), 1, a)
	return x.Mul(weights).Recurrence(k, a.Neg().Add(1), opts...)
}
