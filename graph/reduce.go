package graph

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// Reductions take axes as numbers (negative ones count from the end), as names, or as slices of these: x.Sum(0),
// x.Sum("row", -1), x.Sum([]int{0, 1}). Without an axis they reduce all axes; an empty slice reduces none. Options may
// stand among the axes. A reduced axis is dropped, or has extent 1 with KeepDims. Ops before a reduction run in its
// loop.

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

// Sum returns the sum along axes, 0 for no elements. Bools and integers of 8 and 16 bits are added as Int64 or Uint64,
// as in NumPy; InType chooses another type. Integers wrap.
//
// Floats are added in a tree of fixed form, so the result depends neither on threads nor on layouts. For Float32 the
// error is less than 38 * 2^-24 times the sum of magnitudes, for any number of elements (package ir, reduce.go), if no
// sum of 1024 elements overflows. For Float64 it is less than 37 * 2^-53 for each factor of 1024 in their number.
func (x Node) Sum(axes ...any) Node {
	y, axes := total(x, axes)
	return y.reduce(ir.OpSum, axes)
}

// Prod returns the product along axes, 1 for no elements, in the type of Sum. Integers wrap. Floats are multiplied in
// float64 with unbounded exponents and rounded at the end: the product of 20 times 1e-300 and 20 times 1e300 is about
// 1, in any order. A product is infinite, zero or subnormal only if the exact one is, or nearly so.
func (x Node) Prod(axes ...any) Node {
	y, axes := total(x, axes)
	if dt := y.DType(); ir.Reals.Has(dt) && dt != Float64 {
		return y.Cast(Float64).reduce(ir.OpProd, axes).Cast(dt)
	}
	return y.reduce(ir.OpProd, axes)
}

// Min returns the least element along axes: NaN if any is NaN, -0 < +0, and false < true. An axis without elements is
// an error.
func (x Node) Min(axes ...any) Node {
	return x.boolsAsBytes(func(x Node) Node { return x.reduce(ir.OpAMin, axes) })
}

// Max returns the greatest element along axes: NaN if any is NaN, -0 < +0, and false < true. An axis without elements
// is an error.
func (x Node) Max(axes ...any) Node {
	return x.boolsAsBytes(func(x Node) Node { return x.reduce(ir.OpAMax, axes) })
}

// boolsAsBytes returns f(x). If x has bools, f gets them as bytes 0 and 1 and its result becomes bools again: bools
// have the order of bytes, and no kernels of their own.
func (x Node) boolsAsBytes(f func(x Node) Node) Node {
	if x.DType() != Bool {
		return f(x)
	}
	return f(x.Cast(Uint8)).Cast(Bool)
}

// All returns whether all elements along axes are true, or not 0 for numbers. It is true for no elements.
func (x Node) All(axes ...any) Node { return x.truth().reduce(ir.OpAll, axes) }

// Any returns whether any element along axes is true, or not 0 for numbers. It is false for no elements.
func (x Node) Any(axes ...any) Node { return x.truth().reduce(ir.OpAny, axes) }

// AllBits returns the bits of integers that are set in all elements along axes: their And. For no elements all bits are
// set.
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

// count returns how many elements each result of a reduction of x by args combines, as a number of x's type.
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

// Mean returns Sum divided by the number of elements, for floats: NaN for no elements. Integers have a mean in the type
// that InType gives.
func (x Node) Mean(axes ...any) Node {
	x, axes = inType(x, x.DType(), axes)
	return x.inComputeType(func(x Node) Node {
		n, _ := x.count(axes, "KeepDims")
		if n.Err() != nil {
			return n
		}
		return x.Sum(axes...).Div(n)
	})
}

// Var returns the mean squared distance from the mean along axes, for floats, in two passes: the mean m, then sum(d*d)
// - sum(d)^2/n with d = x - m. The second term corrects for the rounding of m. So a large mean costs no digits, and
// equal elements have the variance 0. If squares overflow, the variance is +Inf. With DDOF(d) the divisor is the number of
// elements minus d. Options: KeepDims, DDOF, InType.
//
// Distances whose squares the type lacks are lost or overflow: below 4e-23 and above 1e19 for Float32, below 3e-162 and
// above 1e154 for Float64. Multiply such elements by a power of 2 first.
func (x Node) Var(axes ...any) Node {
	x, axes = inType(x, x.DType(), axes)
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
		squares := aroundMean(d.Square().Sum(over...), sum, n)
		if r.ddof != 0 {
			n = n.Sub(r.ddof).Maximum(0)
		}
		return squares.Div(n).ruled(func(_, g Node) []Node {
			if !r.keep {
				g = g.Unsqueeze(r.axes)
			}
			return []Node{d.Mul(g.Div(n).Mul(2))}
		}, x)
	})
}

// aroundMean returns the sum of n squared distances from the mean, given the squares and the sum of distances from a rounded mean. If the
// squares overflow the result is +Inf, though the square of the sum may too.
func aroundMean(squares, sum, n Node) Node {
	return squares.Sub(sum.Mul(sum.Div(n)).Minimum(ir.Greatest(sum.DType()))).Maximum(0)
}

// Std returns the square root of Var.
func (x Node) Std(axes ...any) Node {
	x, axes = inType(x, x.DType(), axes)
	return x.inComputeType(func(x Node) Node { return x.Var(axes...).norm() })
}

// SumSquares returns the sum of squares along axes, in the type of Sum. The squares also have that type: 64 bits for
// bytes, 32 bits for Float16. Options: KeepDims, InType.
func (x Node) SumSquares(axes ...any) Node {
	y, axes := total(x, axes)
	return y.inComputeType(func(y Node) Node { return y.Square().Sum(axes...) })
}

// Norm1 returns the sum of magnitudes along axes, in the type of Sum.
func (x Node) Norm1(axes ...any) Node {
	y, axes := total(x, axes)
	return y.Abs().Sum(axes...)
}

// Norm2 returns the square root of the sum of squares along axes, for floats. As in NumPy, squares may leave the range
// of the type: for Float32 those of elements beyond 1e19 or below 1e-19.
func (x Node) Norm2(axes ...any) Node {
	return x.inComputeType(func(x Node) Node { return x.SumSquares(axes...).norm() })
}

// norm returns the square root of a sum of squares or of a variance. Its derivative is 0 where it is 0.
func (x Node) norm() Node {
	return x.Sqrt().ruled(func(y, g Node) []Node { return []Node{ratioOr0(g.Mul(0.5), y)} }, x)
}

// LogAddExp returns log(exp(x) + exp(y)) for floats, without intermediate overflow.
func (x Node) LogAddExp(y any) Node {
	return x.withOperands(func(x Node, operands []Node) Node {
		y := operands[0]
		same := x.Eq(y) // also where both are the same infinity
		sum := Where(same, x.Add(math.Ln2), x.Maximum(y).Add(x.Sub(y).Abs().Neg().Exp().Log1p()))
		return sum.ruled(func(_, g Node) []Node {
			part := Where(same, 0.5, x.Sub(y).Sigmoid())
			return []Node{g.Mul(part), g.Mul(part.Neg().Add(1))}
		}, x, y)
	}, y)
}

// LogSumExp returns log(sum(exp(x))) along axes, for floats, without intermediate overflow: it subtracts the greatest
// element first. It is -Inf where all elements are -Inf, and +Inf where one is +Inf. An axis without elements is an
// error, as for Max.
func (x Node) LogSumExp(axes ...any) Node {
	return x.inComputeType(func(x Node) Node {
		n, r := x.count(axes, "KeepDims")
		if n.Err() != nil {
			return n
		}
		top := x.Max(r.axes, KeepDims)
		// Stored, because otherwise each element would compute it again: along the first axis this takes 0.3 to 0.6 of
		// the time (Emerald Rapids).
		top = Where(top.IsFinite(), top, 0).Materialize()
		y := x.Sub(top).logSumExp(r.axes, KeepDims).Add(top)
		if !r.keep {
			y = y.Squeeze(r.axes)
		}
		return y.ruled(func(y, g Node) []Node {
			if !r.keep {
				y, g = y.Unsqueeze(r.axes), g.Unsqueeze(r.axes)
			}
			least := math.Inf(-1)
			return []Node{Where(y.Eq(least), least, x.Sub(y)).Exp().Mul(g)}
		}, x)
	})
}

// logSumExp returns the logarithm of the sum of exponentials of x along axes, where the greatest element is 0 or not
// finite. All but one of the zeros are counted separately, because beside their sum a small exponential would lose its
// digits.
func (x Node) logSumExp(axes ...any) Node {
	zero := x.Eq(0)
	others := Where(zero, 0, x.Exp()).Sum(axes...)
	zeros := zero.Cast(x.DType()).Sum(axes...)
	return zeros.Sub(1).Add(others).Log1p()
}

// reducedNames returns the names of the axes that a reduction leaves.
func reducedNames(op ir.Op, a ir.Attr, names []string) []string {
	if op.Info().Kind == ir.Scan {
		return names
	}
	return without(names, a.Axes...)
}

// Reductions of floats that ignore NaN, as NumPy's of the same names. The test for NaN is part of the reduction's loop.

// NanSum returns the sum along axes of the elements that are not NaN, or 0 if all are NaN.
func (x Node) NanSum(axes ...any) Node {
	return Where(x.IsNaN(), 0, x).Sum(axes...)
}

// NanMean returns the mean along axes of the elements that are not NaN, or NaN if all are NaN.
func (x Node) NanMean(axes ...any) Node {
	return x.inComputeType(func(x Node) Node { return x.NanSum(axes...).Div(x.NanCount(axes...)) })
}

// NanCount returns the number of elements along axes that are not NaN, in the type of x. Float32 counts exactly up to
// 1<<24.
func (x Node) NanCount(axes ...any) Node {
	return Where(x.IsNaN(), x.Scalar(0), 1).Sum(axes...)
}

// NanMin returns the least element along axes that is not NaN, or NaN if all are NaN. Like Min it is an error if there
// are no elements.
func (x Node) NanMin(axes ...any) Node {
	return x.unlessNaN(axes, Where(x.IsNaN(), math.Inf(1), x).Min(axes...))
}

// NanMax returns the greatest element along axes that is not NaN, or NaN if all are NaN. Like Max it is an error if
// there are no elements.
func (x Node) NanMax(axes ...any) Node {
	return x.unlessNaN(axes, Where(x.IsNaN(), math.Inf(-1), x).Max(axes...))
}

// unlessNaN returns y, but NaN where all elements of x along axes are NaN.
func (x Node) unlessNaN(axes []any, y Node) Node {
	return Where(x.IsNaN().All(axes...), math.NaN(), y)
}
