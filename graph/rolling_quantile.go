package graph

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// Quantiles of sliding windows, and weighted means.

// Median returns the medians of windows, as Median does: NaN if an element is, unless MinPeriods leaves NaNs out. Those of
// integers are Float64. Blocks of the size of a window are sorted, and a window takes the elements of two blocks
// (Suomela, Median filtering is equivalent to sorting, 2014): the time is that of the sorting, and of a few steps for each
// window.
func (r Rolling) Median() Node { return r.Quantile(0.5) }

// Quantile returns quantile q, from 0 to 1, of windows, and interpolates linearly between two elements. See Median.
// Its derivative sorts every window.
func (r Rolling) Quantile(q float64) Node {
	if r.x.Err() != nil {
		return r.x
	}
	if !(q >= 0 && q <= 1) {
		return fail("a part of %v: give one from 0 to 1", q)
	}
	r.x = r.x.inReals()
	return r.statistic(func(r Rolling) Node {
		y := r.quantile(q)
		return y.ruled(func(y, g Node) []Node {
			windows := r.x.Window(r.axis, r.size, 1, 1)
			if r.skips {
				windows = windows.NanQuantile(q, -1)
			} else {
				windows = windows.Quantile(q, -1)
			}
			return VJP(windows, Where(y.IsNaN(), 0, g), r.x)
		}, r.x)
	})
}

// exactQuarters is a size of windows up to which float32 has the places of quartiles: 3*(exactQuarters-1) is below 1<<24.
const exactQuarters = 1 << 22

// quantile cuts the axis into overlapping lines, for the workers.
func (r Rolling) quantile(q float64) Node {
	if r.x.DType() == Float32 && (4*q != math.Trunc(4*q) || r.size > exactQuarters) { // places that float32 rounds
		r.x = r.x.Cast(Float64)
		return r.quantile(q).Cast(Float32)
	}
	width := r.size * max(tuning.WindowBlocks, tuning.WindowLine/r.size)
	if width/r.size < tuning.WindowBlocks { // it passes int
		return fail("windows of %d elements are too long", r.size)
	}
	count := r.x.Shape()[r.axis].Sub(ir.Fixed(r.size - 1))
	if n, known := count.Int(); known && n < width {
		width = max(n, 1)
	}
	lines := r.padded(r.x, width-1).Window(r.axis, width+r.size-1, width, 1)
	dt, least := r.x.DType(), r.size
	if r.skips {
		least = max(r.least, 1)
	}
	n := r.numbers()
	places := Where(n.Ge(least), n.Sub(1).Cast(dt).Mul(q), math.NaN())
	places = r.padded(places, width-1).Window(r.axis, width, width, 1)
	return r.flat(apply(ir.OpWindowQuantile, ir.Attr{Axis: lines.Rank() - 1}, lines.get(), places.get()), width)
}

// WeightedSum returns the sums of the elements of windows times weights, a Node or Tensor of x's type and of size elements,
// in the time of size products for each window. pandas' win_type has such weights.
func (r Rolling) WeightedSum(weights any) Node {
	return r.weighted(weights, func(r Rolling, w Node) Node {
		if r.skips {
			return r.enough(r.replaced(0).products(w), r.numbers(), 0)
		}
		return r.products(w)
	})
}

// WeightedMean returns WeightedSum divided by the sum of the weights, which with MinPeriods is that of the weights of
// numbers.
func (r Rolling) WeightedMean(weights any) Node {
	return r.weighted(weights, func(r Rolling, w Node) Node {
		if r.skips {
			counted := r.of(r.x.IsNaN().Not().Cast(r.x.DType())).products(w)
			return r.enough(r.replaced(0).products(w).Div(counted), r.numbers(), 1)
		}
		return r.products(w).Div(w.Sum())
	})
}

func (r Rolling) weighted(weights any, f func(r Rolling, w Node) Node) Node {
	if r.x.Err() != nil {
		return r.x
	}
	if !ir.Reals.Has(r.x.DType()) {
		return fail("does not take %s: Cast to float32 or float64", r.x.DType())
	}
	return r.x.withOperands(func(x Node, operands []Node) Node {
		w := operands[0]
		if want := ir.ShapeOf(r.size); !w.Shape().Equal(want) {
			return fail("weights of shape %s: give one for each of the %d elements of a window", w.Shape(), r.size)
		}
		r.x = x
		return f(r, w)
	}, weights)
}

// products returns the products of windows and weights.
func (r Rolling) products(w Node) Node { return r.x.Window(r.axis, r.size, 1, 1).MatMul(w) }
