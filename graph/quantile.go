package graph

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// Quantiles take axes and options as reductions do, but either one axis or none for all elements. Quantiles of integers
// and bools are Float64, as in NumPy. Their elements are selected (Floyd and Rivest, Algorithm 489, 1975), not sorted: a line
// is read once, and a second time if its sample describes it badly or if many elements are equal. One worker reads a line, and
// needs 16 bytes of memory for each of its elements, at most 2 MiB.

// QuantileMethod says how Quantile and Quantiles interpolate between two elements, by NumPy's names: "linear" (the
// default), "lower", "higher", "midpoint", "nearest", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
// "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased" or "normal_unbiased". The definitions are those of
// Hyndman and Fan (Sample quantiles in statistical packages, 1996).
func QuantileMethod(name string) ReduceOption {
	return reduceOption{"QuantileMethod", func(o *reduceOptions) { o.method = name }}
}

// quantileMethods has for each method the position, from 0, of quantile q among n sorted elements. A position between
// two elements gives their linear interpolation; a position outside gives the first or the last element. Products are rounded before
// they are added, as a program rounds them: some processors would do both in one instruction.
var quantileMethods = map[string]func(n, q float64) float64{
	"linear":   func(n, q float64) float64 { return q * (n - 1) },
	"lower":    func(n, q float64) float64 { return math.Floor(q * (n - 1)) },
	"higher":   func(n, q float64) float64 { return math.Ceil(q * (n - 1)) },
	"midpoint": func(n, q float64) float64 { return (math.Floor(q*(n-1)) + math.Ceil(q*(n-1))) / 2 },
	"nearest":  func(n, q float64) float64 { return math.RoundToEven(q * (n - 1)) },

	"inverted_cdf":              func(n, q float64) float64 { return math.Ceil(n*q) - 1 },
	"averaged_inverted_cdf":     func(n, q float64) float64 { return float64((math.Ceil(n*q)+math.Floor(float64(n*q)+1))/2) - 1 },
	"closest_observation":       func(n, q float64) float64 { return math.RoundToEven(n*q) - 1 },
	"interpolated_inverted_cdf": plottingPosition(0, 1),
	"hazen":                     plottingPosition(0.5, 0.5),
	"weibull":                   plottingPosition(0, 0),
	"median_unbiased":           plottingPosition(1./3, 1./3),
	"normal_unbiased":           plottingPosition(3./8, 3./8),
}

// plottingPosition returns the method with the given two parameters; its positions count from 0.
func plottingPosition(alpha, beta float64) func(n, q float64) float64 {
	return func(n, q float64) float64 { return float64(n*q) + alpha + float64(q*(1-alpha-beta)) - 1 }
}

// symbolicPosition is quantileMethods for an extent that is known when the program runs: n is a Float64 node. It is a
// function, not a table, so that programs without quantiles do not link it.
func symbolicPosition(method string, n Node, q float64) Node {
	linear, part := n.Sub(1).Mul(q), n.Mul(q)
	plotting := func(alpha, beta float64) Node { return part.Add(alpha).Add(q * (1 - alpha - beta)).Sub(1) }
	switch method {
	case "linear":
		return linear
	case "lower":
		return linear.Floor()
	case "higher":
		return linear.Ceil()
	case "midpoint":
		return linear.Floor().Add(linear.Ceil()).Div(2)
	case "nearest":
		return linear.Round()
	case "inverted_cdf":
		return part.Ceil().Sub(1)
	case "averaged_inverted_cdf":
		return part.Ceil().Add(part.Add(1).Floor()).Div(2).Sub(1)
	case "closest_observation":
		return part.Round().Sub(1)
	case "interpolated_inverted_cdf":
		return plotting(0, 1)
	case "hazen":
		return plotting(0.5, 0.5)
	case "weibull":
		return plotting(0, 0)
	case "median_unbiased":
		return plotting(1./3, 1./3)
	case "normal_unbiased":
		return plotting(3./8, 3./8)
	}
	panic("BUG: graph: no position of method " + method)
}

// Median returns the middle element along an axis, or of all elements: of an even number the mean of the two, -Inf
// between -Inf and a number, and NaN if any element is NaN. The axis is dropped, or has extent 1 with KeepDims. It must
// have elements, as for all quantiles.
func (x Node) Median(axis ...any) Node {
	return x.inComputeType(func(x Node) Node { return x.quantiles([]float64{0.5}, axis, "KeepDims")[0] })
}

// Quantile returns quantile q, from 0 to 1, along an axis. Between two elements it interpolates linearly, as NumPy's
// quantile does by default, or as QuantileMethod says. It is NaN if any element is NaN. The axis is dropped, or has
// extent 1 with KeepDims.
func (x Node) Quantile(q float64, axis ...any) Node {
	return x.inComputeType(func(x Node) Node { return x.quantiles([]float64{q}, axis, "KeepDims", "QuantileMethod")[0] })
}

// Quantiles returns several quantiles as the slices of a new first axis. Up to eight are selected together; for more, the elements
// are sorted once.
func (x Node) Quantiles(qs []float64, axis ...any) Node {
	if len(qs) == 0 {
		return fail("no parts: give one or more")
	}
	return x.inComputeType(func(x Node) Node {
		return Stack(0, x.quantiles(qs, axis, "KeepDims", "QuantileMethod")...)
	})
}

// quantiles returns a node for each quantile of an operand.
func (x Node) quantiles(qs []float64, args []any, options ...string) Nodes {
	all := func(y Node) Nodes { return slices.Repeat(Nodes{y}, len(qs)) }
	if x.get().err != nil {
		return all(x)
	}
	x, k, keep, method, err := x.quantileArgs(args, options...)
	if err != nil {
		return all(fail("%w", err))
	}
	var places Nodes
	parts := make([]any, len(qs))
	for i, q := range qs {
		if !(q >= 0 && q <= 1) {
			return all(fail("a part of %v: give one from 0 to 1", q))
		}
		var at Nodes
		at, parts[i] = quantilePlaces(x.get().typ.Shape[k], method, q)
		places = append(places, at...)
	}
	floats, short := ir.Floats.Has(x.DType()), false
	if n, known := x.get().typ.Shape[k].Int(); known && n <= tuning.ShortSelection && floats {
		places, short = append(places, Scalar(Int64, n-1)), true
	}
	found := x.nth(k, places)
	if found.Err() != nil {
		return all(found)
	}
	return found.interpolated(k, parts, func(y Node) Node {
		switch {
		case short: // NaNs are last
			last := found.Index(k, -1)
			y = Where(last.IsNaN(), last, y)
		case floats:
			y = Where(x.IsNaN().Any(k), math.NaN(), y)
		}
		if keep != nil {
			y = y.Unsqueeze(keep)
		}
		return y
	})
}

// quantilePlaces returns the place of quantile q among n elements in order, or the two places around it and the part of the way from
// one to the other, else nil.
func quantilePlaces(n ir.Dim, method string, q float64) (places Nodes, part any) {
	if count, known := n.Int(); known {
		at := min(max(quantileMethods[method](float64(count), q), 0), float64(count-1))
		low := math.Floor(at)
		if at == low {
			return Nodes{Scalar(Int64, int(low))}, nil
		}
		return Nodes{Scalar(Int64, int(low)), Scalar(Int64, int(low)+1)}, at - low
	}
	count := apply(ir.OpExtent, ir.Attr{DType: Float64, Begin: n})
	at := symbolicPosition(method, count, q).Maximum(0).Minimum(count.Sub(1))
	low := at.Floor()
	return Nodes{low.Cast(Int64), at.Ceil().Cast(Int64)}, at.Sub(low)
}

// nth returns the elements at some places along the sorted axis k.
func (x Node) nth(k int, places Nodes) Node {
	for i, p := range places {
		places[i] = p.Unsqueeze(0)
	}
	at := Concat(0, places...)
	if len(places) > tuning.MostSelected {
		return x.Sort(k).Take(k, at)
	}
	full := append(Shape{}, x.get().typ.Shape...)
	lined := repeated(ir.Fixed(1), len(full))
	full[k] = ir.Fixed(len(places))
	lined[k] = full[k]
	return apply(ir.OpNth, ir.Attr{Axis: k}, x.get(), at.Reshape(Shape(lined)).BroadcastTo(full).get())
}

// interpolated returns a node for each part: between two elements of axis k, the second of which is that part of the way
// from the first, or of one element if the part is nil.
func (x Node) interpolated(k int, parts []any, finish func(y Node) Node) (out Nodes) {
	at := 0
	next := func() Node {
		y := x.Index(k, at).inReals()
		at++
		return y
	}
	for _, part := range parts {
		y := next()
		if part != nil {
			if n, ok := part.(Node); ok {
				part = n.Cast(y.DType())
			}
			y = between(y, next(), part)
		}
		out = append(out, finish(y))
	}
	return out
}

// between returns a + t*(b-a) for a <= b and 0 <= t < 1. Where b-a is no number, it is a: for the same infinity twice, and
// from -Inf to a finite b.
func between(a, b Node, t any) Node {
	same := a.Eq(b)
	if n := a.get(); n.err == nil && ir.Floats.Has(n.typ.DType) {
		same = same.Or(a.Eq(math.Inf(-1)).And(b.Lt(math.Inf(1))))
	}
	return Where(same, a, Lerp(a, b, t)).ruled(func(_, g Node) []Node {
		upper := g.Mul(t)
		return []Node{g.Sub(upper), upper}
	}, a, b)
}

// inReals returns integers and bools as Float64, and other types unchanged.
func (x Node) inReals() Node {
	if n := x.get(); n.err == nil && !ir.Reals.Has(n.typ.DType) {
		return x.Cast(Float64)
	}
	return x
}

// quantileArgs returns the operand, the axis, the axes of extent 1 to insert again, and the method.
func (x Node) quantileArgs(args []any, options ...string) (_ Node, axis int, keep []int, method string, err error) {
	n := x.get()
	r, err := n.reduction(args, options...)
	if method = r.method; method == "" {
		method = "linear"
	}
	switch rank := len(n.typ.Shape); {
	case err != nil:
		return x, 0, nil, "", err
	case quantileMethods[method] == nil:
		return x, 0, nil, "", fmt.Errorf("no method is named %q: use one of %s", r.method, strings.Join(slices.Sorted(maps.Keys(quantileMethods)), ", "))
	case len(r.axes) == rank && rank != 1:
		x, axis = x.Reshape(-1), 0
	case len(r.axes) != 1:
		return x, 0, nil, "", fmt.Errorf("%d axes: it takes one, or none for all elements", len(r.axes))
	default:
		axis = r.axes[0]
	}
	if r.keep {
		keep = r.axes
	}
	if x.get().typ.Shape[axis].Is(0) {
		return x, 0, nil, "", ir.NoElements(axis, x.get().text(), " to select")
	}
	return x, axis, keep, method, nil
}

// NanMedian returns the median along an axis, or of all elements, ignoring NaNs: NaN if all are NaN. The axis is
// dropped, or has extent 1 with KeepDims.
func (x Node) NanMedian(axis ...any) Node { return x.NanQuantile(0.5, axis...) }
