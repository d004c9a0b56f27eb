package graph

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// Exponentially weighted statistics.

// ExpWeighted has the statistics of all elements up to each element of an axis, in which the element i places before has
// the weight (1-alpha)^i, and NaNs have none: those of pandas' ewm(alpha=alpha) with its defaults. A result is NaN until
// there is a number. ExpAverage is ewm with adjust=False, of an x without NaNs.
type ExpWeighted struct {
	x     Node // with its error, if an argument is wrong
	axis  int
	decay Node // 1-alpha, a scalar
}

// ExpWeighted returns exponentially weighted statistics along an axis of floats. Alpha is a number or a scalar Node above
// 0 and at most 1: 1/(1+com), 2/(span+1), or 1-exp(-ln(2)/halflife) of pandas' other parameters.
func (x Node) ExpWeighted(axis, alpha any) ExpWeighted {
	if x.Err() != nil {
		return ExpWeighted{x: x}
	}
	k, err := x.get().axis(axis)
	if err != nil {
		return ExpWeighted{x: fail("%w", err)}
	}
	if !ir.Reals.Has(x.DType()) {
		return ExpWeighted{x: fail("does not take %s: Cast to a float type", x.DType())}
	}
	a := Node{operand(alpha, x.DType())}
	switch {
	case a.Err() != nil:
		return ExpWeighted{x: a}
	case a.Rank() != 0 || a.DType() != x.DType():
		return ExpWeighted{x: fail("an alpha of %s: give a number, or a scalar of %s", a.get().text(), x.DType())}
	case a.n.op == ir.OpConst:
		if v := ir.ToFloat(a.DType(), a.n.attr.Bits); !(v > 0 && v <= 1) {
			return ExpWeighted{x: fail("an alpha of %v: give one above 0 and at most 1", v)}
		}
	}
	return ExpWeighted{x, k, a.Neg().Add(1)}
}

// Sum returns the weighted sums.
func (e ExpWeighted) Sum() Node {
	return e.compute(func(e ExpWeighted) Node {
		return Where(e.weights().CumMax(e.axis).Gt(0), e.numbers().Recurrence(e.axis, e.decay), math.NaN())
	})
}

// Mean returns the weighted sums divided by the sums of weights. It keeps its value over NaNs, however many.
func (e ExpWeighted) Mean() Node { return e.compute(ExpWeighted.mean) }

// Var returns the variances, by pandas' estimate for a sample: NaN of one number. They are sums of squared distances from the
// mean before each element (West, Updating mean and variance estimates, 1979). A number long before the others, with a weight that
// float types round away beside theirs, still counts; in pandas the variance is then NaN.
func (e ExpWeighted) Var() Node {
	return e.compute(func(e ExpWeighted) Node {
		is, weight := e.weights(), e.held(e.weights(), 1)
		old := e.before(weight).Mul(e.faded()) // the weight of the elements before
		d := e.x.Sub(e.before(e.mean()))
		d = Where(is.Eq(0).Or(old.Eq(0)), 0, d)
		squares := e.held(d.Square().Mul(old.Div(old.Add(1))), 1)
		pairs := e.held(old.Mul(is), 2) // of weights, each pair once: half the square of their sum less the sum of their squares
		return Where(pairs.Gt(0), squares.Mul(weight).Div(pairs.Mul(2)), math.NaN())
	})
}

// Std returns the square roots of Var.
func (e ExpWeighted) Std() Node {
	return e.compute(func(e ExpWeighted) Node { return e.Var().norm() })
}

// compute computes 16-bit and fixed-point types in the type that they are computed in.
func (e ExpWeighted) compute(f func(e ExpWeighted) Node) Node {
	return e.x.inComputeType(func(x Node) Node {
		if x.Err() != nil {
			return x
		}
		if e.x = x; e.decay.DType() != x.DType() {
			e.decay = e.decay.Cast(x.DType())
		}
		return f(e)
	})
}

func (e ExpWeighted) mean() Node { return e.held(e.numbers(), 1).Div(e.held(e.weights(), 1)) }

// weights has 1 for each number, and 0 for NaNs; numbers has 0 for NaNs.
func (e ExpWeighted) weights() Node { return e.x.IsNaN().Not().Cast(e.x.DType()) }
func (e ExpWeighted) numbers() Node { return Where(e.x.IsNaN(), 0, e.x) }

// faded returns what weight 1 at the last number before each element has become there: 1-alpha, times 1-alpha for each NaN between.
func (e ExpWeighted) faded() Node {
	after := e.before(e.weights()) // 1 behind a number
	return after.Mul(e.decay).Recurrence(e.axis, Where(after.Eq(0), e.decay, 0))
}

// held adds elements that are 0 at NaNs. Each element is multiplied at each later number by what weights have faded to since the number
// before, as often as times says. At NaNs the sum stays as it is, so that sums divided by one another lose no digits to subnormal numbers.
func (e ExpWeighted) held(x Node, times int) Node {
	by := e.faded()
	if times == 2 {
		by = by.Square()
	}
	return x.Recurrence(e.axis, Where(e.x.IsNaN(), 1, by))
}

// before returns the element before each one, and 0 before the first.
func (e ExpWeighted) before(x Node) Node {
	front, none := make([]int, x.Rank()), make([]int, x.Rank())
	front[e.axis] = 1
	return x.SliceAxis(e.axis, 0, -1, 1).Pad(front, none, PadConstant)
}
