package formula

import (
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// The functions along axes: reductions, scans, sorts.

const along = "a, axis=None, keepdims=False"

// reductions has functions that combine many elements into one.
var reductions = map[string]function{
	"sum":     reduction(along, total, graph.Node.Sum),
	"prod":    reduction(along, total, graph.Node.Prod),
	"mean":    reduction(along, quotient, graph.Node.Mean),
	"min":     reduction(along, same, extreme(graph.Node.Min)),
	"max":     reduction(along, same, extreme(graph.Node.Max)),
	"amin":    reduction(along, same, extreme(graph.Node.Min)),
	"amax":    reduction(along, same, extreme(graph.Node.Max)),
	"ptp":     reduction(along, same, func(x graph.Node, axes ...any) graph.Node { return x.Max(axes...).Sub(x.Min(axes...)) }),
	"all":     reduction(along, same, graph.Node.All),
	"any":     reduction(along, same, graph.Node.Any),
	"argmin":  reduction(along, ordered, graph.Node.ArgMin),
	"argmax":  reduction(along, ordered, graph.Node.ArgMax),
	"median":  reduction(along, quotient, graph.Node.Median),
	"nansum":  reduction(along, total, ofNaNs(graph.Node.NanSum, graph.Node.Sum)),
	"nanmean": reduction(along, quotient, graph.Node.NanMean),
	"nanmin":  reduction(along, same, ofNaNs(graph.Node.NanMin, graph.Node.Min)),
	"nanmax":  reduction(along, same, ofNaNs(graph.Node.NanMax, graph.Node.Max)),

	"nanmedian":     reduction(along, quotient, graph.Node.NanMedian),
	"logsumexp":     reduction(along, floating, graph.Node.LogSumExp),
	"count_nonzero": reduction(along, same, func(x graph.Node, axes ...any) graph.Node { return truth(x).Cast(graph.Int64).Sum(axes...) }),

	"var":        deviation(graph.Node.Var),
	"std":        deviation(graph.Node.Std),
	"quantile":   {"a, q, axis=None, keepdims=False", func(c *call) graph.Node { return quantile(c, 1, graph.Node.Quantile) }},
	"percentile": {"a, q, axis=None, keepdims=False", func(c *call) graph.Node { return quantile(c, 100, graph.Node.Quantile) }},

	"softmax":     normalization(graph.Node.Softmax),
	"log_softmax": normalization(graph.Node.LogSoftmax),

	"cumsum":  scanning(total, graph.Node.CumSum),
	"cumprod": scanning(total, graph.Node.CumProd),
	"cummin":  scanning(integers, graph.Node.CumMin),
	"cummax":  scanning(integers, graph.Node.CumMax),

	"sort":         {"a, axis=-1", func(c *call) graph.Node { return lines(c, graph.Node.Sort) }},
	"argsort":      {"a, axis=-1", func(c *call) graph.Node { return lines(c, graph.Node.ArgSort) }},
	"searchsorted": {"a, v, side='left'", searchSorted},
}

// axesOf returns the arguments of a reduction: its axes, and KeepDims if requested.
func axesOf(c *call) []any {
	var axes []any
	if c.given("axis") {
		axes = append(axes, c.ints("axis"))
	}
	if c.flag("keepdims") {
		axes = append(axes, graph.KeepDims)
	}
	return axes
}

// reduction returns a function that reduces elements along axes.
func reduction(params string, r rule, f func(x graph.Node, axes ...any) graph.Node) function {
	return function{params, func(c *call) graph.Node {
		axes := axesOf(c)
		return safe(c, c.operands(r, "a"), func(x []graph.Node) graph.Node { return f(x[0], axes...) })
	}}
}

// ordered returns the type in which ArgMin and ArgMax compare: uint8 for bool.
func ordered(operands []value) graph.DType {
	if dt := same(operands); dt != graph.Bool {
		return dt
	}
	return graph.Uint8
}

// extreme returns a reduction that also takes bools.
func extreme(f func(x graph.Node, axes ...any) graph.Node) func(x graph.Node, axes ...any) graph.Node {
	return func(x graph.Node, axes ...any) graph.Node {
		if x.DType() == graph.Bool {
			return f(x.Cast(graph.Uint8), axes...).Cast(graph.Bool)
		}
		return f(x, axes...)
	}
}

// ofNaNs returns a reduction that ignores NaNs, which only floats have.
func ofNaNs(floats, others func(x graph.Node, axes ...any) graph.Node) func(x graph.Node, axes ...any) graph.Node {
	return func(x graph.Node, axes ...any) graph.Node {
		if fractional(x.DType()) {
			return floats(x, axes...)
		}
		return others(x, axes...)
	}
}

// deviation is var or std.
func deviation(f func(x graph.Node, axes ...any) graph.Node) function {
	return function{"a, axis=None, ddof=0, keepdims=False", func(c *call) graph.Node {
		args := append(axesOf(c), graph.DDOF(c.int("ddof")))
		return safe(c, c.operands(quotient, "a"), func(x []graph.Node) graph.Node { return f(x[0], args...) })
	}}
}

// quantile computes the quantile q/whole, or those of a list of numbers as slices along a new first axis.
func quantile(c *call, whole float64, f func(x graph.Node, q float64, axis ...any) graph.Node) graph.Node {
	args, q := axesOf(c), c.values["q"]
	if q.kind != sequence {
		at := c.float("q") / whole
		return safe(c, c.operands(quotient, "a"), func(x []graph.Node) graph.Node { return f(x[0], at, args...) })
	}
	if len(q.list) == 0 {
		c.p.fail(q.at, "q is an empty list: give one number or more")
	}
	places := make([]float64, len(q.list))
	for i, v := range q.list {
		if v.kind != numeric {
			c.p.fail(v.at, "q must be a number or a list of numbers, not a list with %s", v.what())
		}
		places[i] = v.num.float() / whole
	}
	return safe(c, c.operands(quotient, "a"), func(x []graph.Node) graph.Node {
		parts := make(graph.Nodes, len(places))
		for i, at := range places {
			parts[i] = f(x[0], at, args...)
		}
		return graph.Stack(0, parts...)
	})
}

// normalization returns a function along axes that keeps them; the default is all axes.
func normalization(f func(x graph.Node, axis any, more ...any) graph.Node) function {
	return function{"a, axis=None", func(c *call) graph.Node {
		var axes any
		if c.given("axis") {
			axes = c.ints("axis")
		}
		return safe(c, c.operands(floating, "a"), func(x []graph.Node) graph.Node {
			if axes == nil {
				all := make([]int, x[0].Rank())
				for k := range all {
					all[k] = k
				}
				axes = all
			}
			return f(x[0], axes)
		})
	}}
}

// scanning returns a running reduction along an axis; the default is all elements in row-major order.
func scanning(r rule, f func(x graph.Node, axis any, opts ...graph.ReduceOption) graph.Node) function {
	return function{"a, axis=None", func(c *call) graph.Node {
		axis := 0
		if c.given("axis") {
			axis = c.int("axis")
		}
		return safe(c, c.operands(r, "a"), func(x []graph.Node) graph.Node {
			if !c.given("axis") {
				x[0] = x[0].Flatten()
			}
			return f(x[0], axis)
		})
	}}
}

// lines returns the result of a function along one axis.
func lines(c *call, f func(x graph.Node, axis any) graph.Node) graph.Node {
	axis := c.int("axis")
	return safe(c, c.operands(same, "a"), func(x []graph.Node) graph.Node { return f(x[0], axis) })
}

func searchSorted(c *call) graph.Node {
	side := c.values["side"]
	if side.kind != text || side.text != "left" && side.text != "right" {
		c.p.fail(side.at, "side must be 'left' or 'right'")
	}
	return safe(c, c.operands(same, "a", "v"), func(x []graph.Node) graph.Node {
		return x[0].SearchSorted(x[1], side.text == "right")
	})
}

// products has the sums of products.
var products = map[string]function{
	"matmul": binary(same, graph.Node.MatMul),
	"dot":    binary(same, graph.Node.Dot),
	"outer":  binary(same, graph.Node.Outer),
	"inner": binary(same, func(x graph.Node, y any) graph.Node {
		if x.Rank() == 0 || y.(graph.Node).Rank() == 0 {
			return x.Mul(y)
		}
		return x.Tensordot(y, -1, -1)
	}),
	"vdot":      binary(same, func(x graph.Node, y any) graph.Node { return x.Flatten().Dot(y.(graph.Node).Flatten()) }),
	"tensordot": {"x, y, axes=2", tensordot},
	"einsum":    {"subscripts, *operands", einsum},
}

// tensordot takes a number of axes, or a tuple of the axes of each operand.
func tensordot(c *call) graph.Node {
	var axes []any
	if v := c.values["axes"]; v.kind == sequence && len(v.list) == 2 {
		for _, e := range v.list {
			one := call{c.p, map[string]value{"axes": e}}
			axes = append(axes, one.ints("axes"))
		}
	} else {
		axes = []any{c.int("axes")}
	}
	return safe(c, c.operands(same, "x", "y"), func(x []graph.Node) graph.Node { return x[0].Tensordot(x[1], axes...) })
}

func einsum(c *call) graph.Node {
	subscripts := c.values["subscripts"]
	if subscripts.kind != text {
		c.p.fail(subscripts.at, `subscripts must be a string, such as "ij,jk->ik"`)
	}
	operands := c.arrays("operands")
	return safe(c, operands, func(x []graph.Node) graph.Node {
		args := make([]any, len(x))
		for i := range x {
			args[i] = x[i]
		}
		return graph.Einsum(subscripts.text, args...)
	})
}

// reversed returns axis numbers from the last to the first.
func reversed(rank int) []int {
	axes := make([]int, rank)
	for k := range axes {
		axes[k] = k
	}
	slices.Reverse(axes)
	return axes
}
