package formula

import (
	"math"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Elementwise functions that are composed of several operations or have parameters.

// parameter returns the name of a parameter of a table row.
func parameter(params string, i int) string {
	name, _, _ := strings.Cut(strings.Split(params, ", ")[i], "=")
	return name
}

func absolute(x graph.Node) graph.Node {
	if x.DType() == graph.Bool {
		return x
	}
	return x.Abs()
}

func fma(x []graph.Node) graph.Node { return x[0].FMA(x[1], x[2]) }

func where(c *call) graph.Node {
	condition, x := c.x(same, "condition"), c.operands(same, "x", "y")
	return safe(c, x, func(x []graph.Node) graph.Node { return graph.Where(truth(condition), x[0], x[1]) })
}

func lerp(c *call) graph.Node {
	return safe(c, c.operands(floating, "a", "b", "t"), func(x []graph.Node) graph.Node { return graph.Lerp(x[0], x[1], x[2]) })
}

// clip clips x to the bounds that are given.
func clip(c *call) graph.Node {
	params := []string{"a"}
	for _, bound := range []string{"a_min", "a_max"} {
		if c.given(bound) && !c.boundless(bound) {
			params = append(params, bound)
		}
	}
	return safe(c, c.operands(same, params...), func(x []graph.Node) graph.Node {
		switch {
		case len(x) == 1:
			return x[0]
		case len(x) == 3:
			return x[0].Clip(x[1], x[2])
		case params[1] == "a_min":
			return x[0].Maximum(x[1])
		}
		return x[0].Minimum(x[1])
	})
}

// boundless reports whether a bound is an integer that lies outside of the array's integer type on its side.
func (c *call) boundless(bound string) bool {
	x, y := c.operand("a"), c.values[bound]
	if x.kind != array || ir.Class(x.node.DType()) != 1 || y.kind != numeric || y.num.class == graph.Float64 {
		return false
	}
	return graph.Scalar(x.node.DType(), y.num.i).Err() != nil && (y.num.i < 0) == (bound == "a_min")
}

// reciprocal returns 1/x; of integers it is rounded towards 0.
func reciprocal(x graph.Node) graph.Node {
	if fractional(x.DType()) {
		return x.Reciprocal()
	}
	return x.Scalar(1).Div(x)
}

// round rounds to decimals as NumPy does: it scales, rounds to an integer, and scales back.
func round(c *call) graph.Node {
	decimals := c.int("decimals")
	return safe(c, c.operands(same, "a"), func(x []graph.Node) graph.Node {
		scale := math.Pow(10, math.Abs(float64(decimals)))
		switch {
		case !fractional(x[0].DType()) && decimals >= 0:
			return x[0]
		case !fractional(x[0].DType()):
			return roundInteger(x[0], scale)
		case decimals == 0:
			return x[0].Round()
		case decimals < 0:
			return x[0].Div(scale).Round().Mul(scale)
		}
		return x[0].Mul(scale).Round().Div(scale)
	})
}

// roundInteger returns the nearest multiple of a power of ten, ties to even.
func roundInteger(x graph.Node, scale float64) graph.Node {
	const most = 1e18 // the largest power of ten in int64
	wide := x
	if x.DType() != graph.Uint64 {
		wide = x.Cast(graph.Int64)
	}
	if scale > most {
		return x.Mul(0)
	}
	unit := wide.Scalar(int64(scale))
	quotient := wide.FloorDiv(unit)
	rest := wide.Sub(quotient.Mul(unit))
	missing := unit.Sub(rest)
	up := rest.Gt(missing).Or(rest.Eq(missing).And(quotient.Mod(2).Ne(0)))
	return graph.Where(up, quotient.Add(1), quotient).Mul(unit).Cast(x.DType())
}

func heaviside(x graph.Node, y any) graph.Node {
	step := graph.Where(x.Gt(0), 1, graph.Where(x.Eq(0), y, x.Scalar(0)))
	return graph.Where(x.IsNaN(), x, step)
}

func isClose(c *call) graph.Node {
	rtol, atol := c.float("rtol"), c.float("atol")
	return safe(c, c.operands(floating, "a", "b"), func(x []graph.Node) graph.Node {
		near := x[0].Sub(x[1]).Abs().Le(x[1].Abs().Mul(rtol).Add(atol)).And(x[1].IsFinite())
		return near.Or(x[0].Eq(x[1]))
	})
}
