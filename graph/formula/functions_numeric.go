package formula

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// The functions of numerical methods: differences, interpolation, convolution, and statistics.

// numerics has functions that are methods of Node, with NumPy's parameters.
var numerics = map[string]function{
	"diff":      {"a, n=1, axis=-1", differences},
	"gradient":  {"f, spacing=1.0, axis=None", gradient},
	"trapezoid": {"y, x=None, dx=1.0, axis=-1", trapezoid},
	"interp":    {"x, xp, fp, left=None, right=None", interp},
	"polyval":   {"p, x", func(c *call) graph.Node { return c.pair(same, "x", "p", graph.Node.PolyVal) }},
	"polyfit":   {"x, y, deg", polyfit},
	"convolve":  {"a, v, mode='full'", convolve},
	"correlate": {"a, v, mode='valid'", correlate},
	"kron":      {"a, b", func(c *call) graph.Node { return c.pair(same, "a", "b", graph.Node.Kron) }},
	"cross": {"a, b, axis=-1", func(c *call) graph.Node {
		axis := c.int("axis")
		return c.pair(same, "a", "b", func(x graph.Node, y any) graph.Node { return x.Cross(y, axis) })
	}},
	"isin": {"element, test_elements, invert=False", func(c *call) graph.Node {
		invert := c.flag("invert")
		return c.pair(same, "element", "test_elements", func(x graph.Node, y any) graph.Node {
			if invert {
				return x.IsIn(y).Not()
			}
			return x.IsIn(y)
		})
	}},
	"norm":    {"x, ord=None, axis=None, keepdims=False", norm},
	"average": {"a, axis=None, weights=None, keepdims=False", average},
	"cov":     {"m, rowvar=True, ddof=1", covariance},
	"corrcoef": {"x, rowvar=True", func(c *call) graph.Node {
		return c.observations("x", func(x graph.Node) graph.Node { return x.Corr(nil) })
	}},

	"nan_to_num": {"x, nan=0.0, posinf=None, neginf=None", nanToNum},
	"nanprod":    reduction(along, total, func(x graph.Node, axes ...any) graph.Node { return withoutNaN(x, 1).Prod(axes...) }),
	"nancumsum": scanning(total, func(x graph.Node, axis any, opts ...graph.ReduceOption) graph.Node {
		return withoutNaN(x, 0).CumSum(axis, opts...)
	}),
	"nanvar":        deviation(graph.Node.NanVar),
	"nanstd":        deviation(graph.Node.NanStd),
	"nanquantile":   {"a, q, axis=None, keepdims=False", func(c *call) graph.Node { return quantile(c, 1, graph.Node.NanQuantile) }},
	"nanpercentile": {"a, q, axis=None, keepdims=False", func(c *call) graph.Node { return quantile(c, 100, graph.Node.NanQuantile) }},
}

// pair applies a method of one argument to another.
func (c *call) pair(r rule, x, y string, f func(x graph.Node, y any) graph.Node) graph.Node {
	return safe(c, c.operands(r, x, y), func(x []graph.Node) graph.Node { return f(x[0], x[1]) })
}

// withoutNaN returns floats with NaN replaced.
func withoutNaN(x graph.Node, by any) graph.Node {
	if !fractional(x.DType()) {
		return x
	}
	return graph.Where(x.IsNaN(), by, x)
}

// norm is that of vectors along an axis, or of all elements, or with an order the norm of a matrix: 1 and inf are the
// greatest sums of magnitudes of a column and of a row, 'fro' is the root of the sum of squares.
func norm(c *call) graph.Node {
	ord, axes := c.values["ord"], axesOf(c)
	return safe(c, c.operands(quotient, "x"), func(x []graph.Node) graph.Node {
		a, order := x[0], math.NaN()
		matrix := !c.given("axis") && a.Rank() == 2 || c.given("axis") && len(c.ints("axis")) == 2
		whole := matrix && !c.given("axis") && !c.flag("keepdims")
		if ord.kind == numeric {
			order = ord.num.float()
		}
		switch {
		case ord.kind == none, ord.kind == text && ord.text == "fro" && matrix, order == 2 && !matrix:
			return a.Norm2(axes...)
		case whole && order == 1:
			return a.Abs().Sum(0).Max()
		case whole && math.IsInf(order, 1):
			return a.Abs().Sum(1).Max()
		case !matrix && order == 1:
			return a.Norm1(axes...)
		case !matrix && math.IsInf(order, 1):
			return a.Abs().Max(axes...)
		case !matrix && math.IsInf(order, -1):
			return a.Abs().Min(axes...)
		case !matrix && order == 0:
			return truth(a).Cast(a.DType()).Sum(axes...)
		}
		c.p.fail(ord.at, "norms of vectors have the order 0, 1, 2, inf or -inf, those of matrices 'fro', or without axis and keepdims 1 or inf")
		return a
	})
}

// differences returns the n-th differences.
func differences(c *call) graph.Node {
	n := c.int("n")
	return lines(c, func(x graph.Node, axis any) graph.Node { return x.Diff(axis, n) })
}

// gradient takes one axis; an array of one axis needs none.
func gradient(c *call) graph.Node {
	return safe(c, c.operands(quotient, "f", "spacing"), func(x []graph.Node) graph.Node {
		axis := 0
		if c.given("axis") {
			axis = c.int("axis")
		} else if x[0].Rank() != 1 {
			c.p.fail(c.values["f"].at, "an array of %d axes has as many gradients: say which axis", x[0].Rank())
		}
		return safe(c, x, func(x []graph.Node) graph.Node { return x[0].Gradient(axis, x[1]) })
	})
}

func trapezoid(c *call) graph.Node {
	axis, spacing := c.int("axis"), "dx"
	if c.given("x") {
		spacing = "x"
	}
	return c.pair(quotient, "y", spacing, func(y graph.Node, spacing any) graph.Node { return y.Trapezoid(axis, spacing) })
}

// interp computes in float64, as NumPy does.
func interp(c *call) graph.Node {
	params := []string{"x", "xp", "fp"}
	for _, side := range []string{"left", "right"} {
		if c.given(side) {
			params = append(params, side)
		}
	}
	return safe(c, c.operands(fixed(graph.Float64), params...), func(v []graph.Node) graph.Node {
		x, at := v[0], v[1]
		y := x.Interp(at, v[2])
		if y.Err() != nil {
			return y
		}
		if c.given("left") {
			y = graph.Where(x.Lt(at.Index(0, 0)), v[3], y)
		}
		if c.given("right") {
			y = graph.Where(x.Gt(at.Index(0, -1)), v[len(v)-1], y)
		}
		return y
	})
}

// polyfit computes in float64, as NumPy does.
func polyfit(c *call) graph.Node {
	degree := c.int("deg")
	return safe(c, c.operands(fixed(graph.Float64), "x", "y"), func(v []graph.Node) graph.Node { return v[0].PolyFit(v[1], degree) })
}

// overlaps are the modes of convolve, by NumPy's names.
var overlaps = map[string]graph.Overlap{"full": graph.OverlapFull, "same": graph.OverlapSame, "valid": graph.OverlapValid}

func (c *call) overlap() graph.Overlap {
	mode, ok := overlaps[c.values["mode"].text]
	if !ok || c.values["mode"].kind != text {
		c.p.fail(c.values["mode"].at, "mode must be 'full', 'same' or 'valid'")
	}
	return mode
}

func convolve(c *call) graph.Node {
	mode := c.overlap()
	return c.pair(integers, "a", "v", func(a graph.Node, v any) graph.Node { return a.Convolve(v, mode) })
}

// correlate is the convolution with the second vector reversed.
func correlate(c *call) graph.Node {
	mode := c.overlap()
	return c.pair(integers, "a", "v", func(a graph.Node, v any) graph.Node { return a.Convolve(v.(graph.Node).Flip(), mode) })
}

// average takes weights of the shape of a, or a vector of them along one axis.
func average(c *call) graph.Node {
	axes := axesOf(c)
	if !c.given("weights") {
		return safe(c, c.operands(quotient, "a"), func(x []graph.Node) graph.Node { return x[0].Mean(axes...) })
	}
	return c.pair(quotient, "a", "weights", func(x graph.Node, weights any) graph.Node {
		w := weights.(graph.Node)
		if w.Rank() == 1 && x.Rank() > 1 {
			if c.values["axis"].kind != numeric {
				c.p.fail(c.values["weights"].at, "a vector of weights is along one axis: say which")
				return x
			}
			for k := c.int("axis"); k >= 0 && k < x.Rank()-1 || k < -1; k++ {
				w = w.Unsqueeze(-1)
			}
		}
		return x.WeightedMean(w, axes...)
	})
}

// observations applies a function to variables in columns; NumPy has them in rows, unless rowvar is False.
func (c *call) observations(param string, f func(x graph.Node) graph.Node) graph.Node {
	rows := c.flag("rowvar")
	return safe(c, c.operands(quotient, param), func(x []graph.Node) graph.Node {
		y := x[0]
		if y.Rank() == 1 {
			return f(y.Unsqueeze(1)).Reshape()
		}
		if rows {
			y = y.T()
		}
		return f(y)
	})
}

func covariance(c *call) graph.Node {
	ddof := graph.DDOF(c.int("ddof"))
	return c.observations("m", func(x graph.Node) graph.Node { return x.Cov(nil, ddof) })
}

func nanToNum(c *call) graph.Node {
	number := func(param string) any {
		if !c.given(param) {
			return nil
		}
		return c.float(param)
	}
	nan, high, low := number("nan"), number("posinf"), number("neginf")
	return safe(c, c.operands(same, "x"), func(x []graph.Node) graph.Node { return x[0].NanToNum(nan, high, low) })
}
