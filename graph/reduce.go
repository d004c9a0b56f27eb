package graph

import "github.com/stridefuse/stridefuse/ir"

// Reductions take axes as numbers, from the end if negative, as names, or as
// slices of them: x.Sum(0), x.Sum("row", -1), x.Sum([]int{0, 1}). Without any
// axis they reduce all; an empty slice is no axis, and reduces nothing. Options may
// be among the axes. A reduced axis is dropped, or has extent 1 with KeepDims. Ops before a
// reduction run in its loop.

// reduce makes the node of a reduction.
func (x Node) reduce(op ir.Op, args []any) Node {
	n := x.get()
	if n.err != nil {
		return apply(op, ir.Attr{}, n)
	}
	r, err := n.reduction(args, "KeepDims")
	if err != nil {
		return Node{poison(err, n)}
	}
	y := apply(op, ir.Attr{Axes: r.axes}, n)
	if r.keep {
		return y.Unsqueeze(r.axes)
	}
	return y
}

// Sum returns the sum along axes, 0 of no elements. Bools and integers of 8 and 16 bits
// are added as Int64 or Uint64, as NumPy does; InType gives another type. Integers wrap. Float32 is
// added in a tree of fixed form, so that the result depends neither on threads
// nor on layouts: its error is less than 38 * 2^-24 times the sum of magnitudes,
// for any number of elements (package ir, reduce.go), if no sum of 1024 of them
// overflows. Float64 has the same tree: 37 * 2^-53 for each factor of 1024.
func (x Node) Sum(axes ...any) Node {
	y, axes := total(x, axes)
	return y.reduce(ir.OpSum, axes)
}

// Prod returns the product along axes, 1 of no elements, in the type that Sum has. Integers
// wrap. Floats are multiplied in float64 and rounded at the end, and exponents have no bounds on
// the way: the product of 20 times 1e-300 and 20 times 1e300 is about 1, in any order. A product
// is infinite, zero or subnormal only where the exact one is, or is close to it.
func (x Node) Prod(axes ...any) Node {
	y, axes := total(x, axes)
	if dt := y.DType(); ir.Reals.Has(dt) && dt != Float64 {
		return y.Cast(Float64).reduce(ir.OpProd, axes).Cast(dt)
	}
	return y.reduce(ir.OpProd, axes)
}

// Min returns the least element along axes: NaN if any is, -0 < +0, and false < true. Of no
// elements there is none, which is an error.
func (x Node) Min(axes ...any) Node {
	return x.boolsAsBytes(func(x Node) Node { return x.reduce(ir.OpAMin, axes) })
}

// Max returns the greatest element along axes: NaN if any is, -0 < +0, and false < true. Of
// no elements there is none, which is an error.
func (x Node) Max(axes ...any) Node {
	return x.boolsAsBytes(func(x Node) Node { return x.reduce(ir.OpAMax, axes) })
}

// boolsAsBytes returns f(x). If x is of bools, f gets them as the bytes 0 and 1, and its result is bools again: their order is that of
// bytes, and has no kernels of its own.
func (x Node) boolsAsBytes(f func(x Node) Node) Node {
	if x.DType() != Bool {
		return f(x)
	}
	return f(x.Cast(Uint8)).Cast(Bool)
}

// All returns whether all elements along axes are true; numbers are where they
// are not 0. Of no elements it is true.
func (x Node) All(axes ...any) Node { return x.truth().reduce(ir.OpAll, axes) }

// Any returns whether any element along axes is true; numbers are where they are
// not 0. Of no elements it is false.
func (x Node) Any(axes ...any) Node { return x.truth().reduce(ir.OpAny, axes) }

// AllBits returns the bits of integers that are set in all elements along axes: their And.
// Of no elements all bits are set.
func (x Node) AllBits(axes ...any) Node { return x.reduce(ir.OpAllBits, axes) }

// AnyBits returns the bits of integers that are set in any element along axes: their Or.
func (x Node) AnyBits(axes ...any) Node { return x.reduce(ir.OpAnyBits, axes) }

// XorBits returns the bits of integers that are set in an odd number of elements along
// axes: their Xor.
func (x Node) XorBits(axes ...any) Node { return x.reduce(ir.OpXorBits, axes) }

func (x Node) truth() Node {
	if x.get().err != nil || x.DType() == Bool {
		return x
	}
	return x.Ne(0)
}

// count returns how many elements a reduction of x by args takes in, as one
// element of x's type.
func (x Node) count(args []any, options ...string) (Node, reduction) {
	n := x.get()
	if n.err != nil {
		return x, reduction{}
	}
	r, err := n.reduction(args, options...)
	switch {
	case err != nil:
		return fail("%w", err), r
	case !ir.Reals.Has(n.typ.DType):
		return fail("does not take %s: Cast to float32 or float64", n.typ.DType), r
	}
	size := ir.Fixed(1)
	for _, k := range r.axes {
		size = size.Mul(n.typ.Shape[k])
	}
	return apply(ir.OpExtent, ir.Attr{DType: n.typ.DType, Begin: size}), r
}

// Mean returns Sum divided by the number of elements, of floats: NaN of none.
func (x Node) Mean(axes ...any) Node {
	return x.inComputeType(func(x Node) Node {
		n, _ := x.count(axes, "KeepDims")
		if n.Err() != nil {
			return n
		}
		return x.Sum(axes...).Div(n)
	})
}

// Var returns the mean of the squared distances from the mean along axes, of
// floats, in two passes: the mean m, then sum(d*d) - sum(d)^2/n with d = x - m. The
// second term is what the rounding of m makes of the first, so that a great mean costs
// no digits, and elements that are all the same have the variance 0. With DDOF(d) it
// divides by d less than the number of elements.
func (x Node) Var(axes ...any) Node {
	return x.inComputeType(func(x Node) Node {
		n, r := x.count(axes, "KeepDims", "DDOF")
		if n.Err() != nil {
			return n
		}
		d := x.Sub(x.Mean(r.axes, KeepDims))
		over := []any{r.axes}
		if r.keep {
			over = append(over, KeepDims)
		}
		sum := d.Sum(over...)
		squares := d.Square().Sum(over...).Sub(sum.Mul(sum.Div(n))).Maximum(0)
		if r.ddof != 0 {
			n = n.Sub(r.ddof).Maximum(0)
		}
		return squares.Div(n)
	})
}

// Std returns the square root of Var.
func (x Node) Std(axes ...any) Node {
	return x.inComputeType(func(x Node) Node { return x.Var(axes...).Sqrt() })
}

// SumSquares returns the sum of the squares along axes, in the type that Sum has: squares of bytes are of 64 bits
// too, and those of Float16 of 32. Options: KeepDims, InType.
func (x Node) SumSquares(axes ...any) Node {
	y, axes := total(x, axes)
	return y.inComputeType(func(y Node) Node { return y.Square().Sum(axes...) })
}

// Norm1 returns the sum of the magnitudes along axes, in the type that Sum has.
func (x Node) Norm1(axes ...any) Node {
	y, axes := total(x, axes)
	return y.Abs().Sum(axes...)
}

// Norm2 returns the square root of the sum of squares along axes, of floats.
// As in NumPy, squares past the range of the type are not guarded against: of
// Float32 that are elements beyond 1e19 and below 1e-19.
func (x Node) Norm2(axes ...any) Node {
	return x.inComputeType(func(x Node) Node { return x.SumSquares(axes...).Sqrt() })
}

// LogSumExp returns log(sum(exp(x))) along axes, of floats, without overflow on
// the way: the greatest element is taken out of the exponentials. It is -Inf
// where all elements are, and +Inf where one is. Of no elements it is an error,
// as Max is.
func (x Node) LogSumExp(axes ...any) Node {
	return x.inComputeType(func(x Node) Node {
		n, r := x.count(axes, "KeepDims")
		if n.Err() != nil {
			return n
		}
		top := x.Max(r.axes, KeepDims)
		// Stored, or each element would compute it again: along the first axis 0.3 to 0.6 of the time (Emerald Rapids).
		top = Where(top.IsFinite(), top, 0).Materialize()
		y := x.Sub(top).logSumExp(r.axes, KeepDims).Add(top)
		if !r.keep {
			y = y.Squeeze(r.axes)
		}
		return y
	})
}

// logSumExp is the logarithm of the sum of the exponentials of x along axes where the greatest element is 0, or not finite. The zeros' exponentials are apart,
// all but one of them in a sum of their own: beside 1 a small sum would lose its digits.
func (x Node) logSumExp(axes ...any) Node {
	zero := x.Eq(0)
	others := Where(zero, 0, x.Exp()).Sum(axes...)
	zeros := zero.Cast(x.DType()).Sum(axes...)
	return zeros.Sub(1).Add(others).Log1p()
}

// ArgMin returns the index of the least element along one axis, or of the
// elements of all of x in row-major order, as Int64: of the first NaN if there is
// one, else of the first of several equal elements, as +0 and -0 are; the last of
// either with LastIndex. A line has at most 1<<31 elements. Along the last axis
// of a row-major x it reads x once.
func (x Node) ArgMin(axis ...any) Node { return x.arg(ir.OpArgMin, axis) }

// ArgMax returns the index of the greatest element, as ArgMin does of the least.
func (x Node) ArgMax(axis ...any) Node { return x.arg(ir.OpArgMax, axis) }

// arg is the index of the elements that are the least or greatest. The last one is
// the first of the line read backwards.
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
	case len(r.axes) == rank && rank != 1: // all of it
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

// Iota returns 0, 1, 2, ... along one axis of extent n, which is an int or a Dim. Numbers of
// a type with fractions are rounded. If n is an int, numbers past the greatest of the type are an error.
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

// reducedNames returns the names of the axes that are left.
func reducedNames(op ir.Op, a ir.Attr, names []string) []string {
	if op.Info().Kind == ir.Scan {
		return names
	}
	return without(names, a.Axes...)
}
