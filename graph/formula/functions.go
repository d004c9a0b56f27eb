package formula

import (
	"maps"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// The table of functions, part one: elementwise. A row has the parameters, and a function from the arguments to a Node.

// functions is the table of functions, by NumPy's names, or by this library's names where NumPy has none. Each function
// may be called as a method of its first argument. Operators are also in the table.
var functions = map[string]*function{}

// init joins the tables. It avoids an initialization cycle: rows call the parser, which reads the joint table.
func init() {
	for _, table := range []map[string]function{elementwise, logical, reductions, arrangements, products, numerics, sources} {
		for name, f := range table {
			if functions[name] != nil {
				panic("BUG: formula: two functions are named " + name)
			}
			functions[name] = &f
		}
	}
}

// Functions returns the names of the functions in alphabetical order.
func Functions() []string { return slices.Sorted(maps.Keys(functions)) }

// Signature returns a function's parameters as Python writes them: "sum(a, axis=None,
// keepdims=False)". Signature returns "" for an unknown function.
func Signature(function string) string {
	f := functions[function]
	if f == nil {
		return ""
	}
	return function + "(" + f.params + ")"
}

// unary is a function of one operand.
func unary(r rule, f func(graph.Node) graph.Node) function {
	return function{"x", func(c *call) graph.Node {
		return safe(c, c.operands(r, "x"), func(x []graph.Node) graph.Node { return f(x[0]) })
	}}
}

// binary is a function of two operands.
func binary(r rule, f func(x graph.Node, y any) graph.Node) function {
	return function{"x, y", func(c *call) graph.Node {
		return safe(c, c.operands(r, "x", "y"), func(x []graph.Node) graph.Node { return f(x[0], x[1]) })
	}}
}

// safe calls f unless an argument is wrong.
func safe(c *call, operands []graph.Node, f func([]graph.Node) graph.Node) graph.Node {
	if c.p.err != nil {
		return graph.Node{}
	}
	return f(operands)
}

// onBools returns an operation that uses a logical operation for bools.
func onBools(numbers, bools func(x graph.Node, y any) graph.Node) func(x graph.Node, y any) graph.Node {
	return func(x graph.Node, y any) graph.Node {
		if x.DType() == graph.Bool {
			return bools(x, y)
		}
		return numbers(x, y)
	}
}

// ofNumbers returns a function that rejects bools, with advice what to write instead.
func ofNumbers(hint string, f function) function {
	return function{f.params, func(c *call) graph.Node {
		operands := []value{c.operand("x")}
		if y, ok := c.values["y"]; ok {
			operands = append(operands, y)
		}
		if c.p.err == nil && same(operands) == graph.Bool {
			c.p.fail(operands[0].at, "these are bools: %s", hint)
		}
		return f.call(c)
	}}
}

// ofFloats returns an operation that leaves integers unchanged.
func ofFloats(f func(graph.Node) graph.Node) func(graph.Node) graph.Node {
	return func(x graph.Node) graph.Node {
		if !fractional(x.DType()) {
			return x
		}
		return f(x)
	}
}

func scaled(by float64) func(graph.Node) graph.Node {
	return func(x graph.Node) graph.Node { return x.Mul(by) }
}

// elementwise has arithmetic and elementwise functions.
var elementwise = map[string]function{
	"add":          binary(same, onBools(graph.Node.Add, graph.Node.Or)),
	"subtract":     ofNumbers("write a ^ b", binary(same, graph.Node.Sub)),
	"multiply":     binary(same, onBools(graph.Node.Mul, graph.Node.And)),
	"divide":       binary(quotient, graph.Node.Div),
	"true_divide":  binary(quotient, graph.Node.Div),
	"floor_divide": binary(integers, graph.Node.FloorDiv),
	"mod":          binary(integers, graph.Node.Mod),
	"remainder":    binary(integers, graph.Node.Mod),
	"fmod":         binary(integers, graph.Node.Rem),
	"power":        binary(integers, graph.Node.Pow),
	"pow":          binary(integers, graph.Node.Pow),
	"float_power":  binary(fixed(graph.Float64), graph.Node.Pow),
	"minimum":      binary(same, onBools(func(x graph.Node, y any) graph.Node { return x.Minimum(y) }, graph.Node.And)),
	"maximum":      binary(same, onBools(func(x graph.Node, y any) graph.Node { return x.Maximum(y) }, graph.Node.Or)),
	"arctan2":      binary(floating, graph.Node.Atan2),
	"atan2":        binary(floating, graph.Node.Atan2),
	"hypot":        binary(floating, graph.Node.Hypot),
	"logaddexp":    binary(floating, graph.Node.LogAddExp),
	"heaviside":    binary(floating, heaviside),
	"copysign":     binary(floating, graph.Node.CopySign),
	"nextafter":    binary(floating, graph.Node.NextAfter),
	"add_saturate": binary(same, graph.Node.AddSat),
	"sub_saturate": binary(same, graph.Node.SubSat),
	"fma":          {"x, y, z", func(c *call) graph.Node { return safe(c, c.operands(floating, "x", "y", "z"), fma) }},
	"clip":         {"a, a_min=None, a_max=None", clip},
	"where":        {"condition, x, y", where},
	"lerp":         {"a, b, t", lerp},
	"round":        {"a, decimals=0", round},
	"around":       {"a, decimals=0", round},
	"astype":       {"a, dtype", func(c *call) graph.Node { return c.x(fixed(c.dtype("dtype")), "a") }},
	"view": {"a, dtype", func(c *call) graph.Node {
		return safe(c, c.operands(same, "a"), func(x []graph.Node) graph.Node { return x[0].Bitcast(c.dtype("dtype")) })
	}},
	"leaky_relu":    parametric("x, slope=0.01", graph.Node.LeakyReLU),
	"elu":           parametric("x, alpha=1.0", graph.Node.ELU),
	"celu":          parametric("x, alpha=1.0", graph.Node.CELU),
	"positive":      unary(same, func(x graph.Node) graph.Node { return x }),
	"negative":      ofNumbers("write ~a", unary(same, graph.Node.Neg)),
	"absolute":      unary(same, absolute),
	"abs":           unary(same, absolute),
	"fabs":          unary(floating, graph.Node.Abs),
	"sign":          unary(same, graph.Node.Sign),
	"square":        unary(integers, graph.Node.Square),
	"reciprocal":    unary(integers, reciprocal),
	"sqrt":          unary(floating, graph.Node.Sqrt),
	"rsqrt":         unary(floating, graph.Node.Rsqrt),
	"cbrt":          unary(floating, graph.Node.Cbrt),
	"floor":         unary(same, ofFloats(graph.Node.Floor)),
	"ceil":          unary(same, ofFloats(graph.Node.Ceil)),
	"trunc":         unary(same, ofFloats(graph.Node.Trunc)),
	"fix":           unary(same, ofFloats(graph.Node.Trunc)),
	"rint":          unary(floating, graph.Node.Round),
	"exp":           unary(floating, graph.Node.Exp),
	"exp2":          unary(floating, graph.Node.Exp2),
	"expm1":         unary(floating, graph.Node.Expm1),
	"log":           unary(floating, graph.Node.Log),
	"log2":          unary(floating, graph.Node.Log2),
	"log10":         unary(floating, graph.Node.Log10),
	"log1p":         unary(floating, graph.Node.Log1p),
	"sin":           unary(floating, graph.Node.Sin),
	"cos":           unary(floating, graph.Node.Cos),
	"tan":           unary(floating, graph.Node.Tan),
	"arcsin":        unary(floating, graph.Node.Asin),
	"arccos":        unary(floating, graph.Node.Acos),
	"arctan":        unary(floating, graph.Node.Atan),
	"asin":          unary(floating, graph.Node.Asin),
	"acos":          unary(floating, graph.Node.Acos),
	"atan":          unary(floating, graph.Node.Atan),
	"sinh":          unary(floating, graph.Node.Sinh),
	"cosh":          unary(floating, graph.Node.Cosh),
	"tanh":          unary(floating, graph.Node.Tanh),
	"arcsinh":       unary(floating, graph.Node.Asinh),
	"arccosh":       unary(floating, graph.Node.Acosh),
	"arctanh":       unary(floating, graph.Node.Atanh),
	"asinh":         unary(floating, graph.Node.Asinh),
	"acosh":         unary(floating, graph.Node.Acosh),
	"atanh":         unary(floating, graph.Node.Atanh),
	"deg2rad":       unary(floating, scaled(pi/180)),
	"radians":       unary(floating, scaled(pi/180)),
	"rad2deg":       unary(floating, scaled(180/pi)),
	"degrees":       unary(floating, scaled(180/pi)),
	"erf":           unary(floating, graph.Node.Erf),
	"erfc":          unary(floating, graph.Node.Erfc),
	"sigmoid":       unary(floating, graph.Node.Sigmoid),
	"expit":         unary(floating, graph.Node.Sigmoid),
	"logit":         unary(floating, graph.Node.Logit),
	"relu":          unary(same, graph.Node.ReLU),
	"silu":          unary(floating, graph.Node.SiLU),
	"softplus":      unary(floating, graph.Node.Softplus),
	"softsign":      unary(floating, graph.Node.Softsign),
	"gelu":          unary(floating, graph.Node.GELU),
	"gelu_tanh":     unary(floating, graph.Node.GELUTanh),
	"mish":          unary(floating, graph.Node.Mish),
	"selu":          unary(floating, graph.Node.SELU),
	"hard_swish":    unary(floating, graph.Node.HardSwish),
	"bitwise_count": unary(same, func(x graph.Node) graph.Node { return absolute(x).PopCount().Cast(graph.Uint8) }),
	"bit_length":    unary(same, graph.Node.BitLen),
}

// logical has comparisons, bits and conditions.
var logical = map[string]function{
	"equal":         comparison(same, graph.Node.Eq, "equal"),
	"not_equal":     comparison(same, graph.Node.Ne, "not_equal"),
	"less":          comparison(integers, graph.Node.Lt, "less"),
	"less_equal":    comparison(integers, graph.Node.Le, "less_equal"),
	"greater":       comparison(integers, graph.Node.Gt, "greater"),
	"greater_equal": comparison(integers, graph.Node.Ge, "greater_equal"),
	"bitwise_and":   binary(same, graph.Node.And),
	"bitwise_or":    binary(same, graph.Node.Or),
	"bitwise_xor":   binary(same, graph.Node.Xor),
	"left_shift":    binary(integers, graph.Node.Shl),
	"right_shift":   binary(integers, graph.Node.Shr),
	"invert":        unary(same, graph.Node.Not),
	"bitwise_not":   unary(same, graph.Node.Not),
	"logical_not":   unary(same, func(x graph.Node) graph.Node { return truth(x).Not() }),
	"logical_and":   binary(same, ofTruth(graph.Node.And)),
	"logical_or":    binary(same, ofTruth(graph.Node.Or)),
	"logical_xor":   binary(same, ofTruth(graph.Node.Xor)),
	"isnan":         unary(floating, graph.Node.IsNaN),
	"isinf":         unary(floating, graph.Node.IsInf),
	"isfinite":      unary(floating, graph.Node.IsFinite),
	"signbit":       unary(floating, graph.Node.Signbit),
	"isclose":       {"a, b, rtol=1e-05, atol=1e-08", isClose},
}

// comparison returns a function that compares numbers by value: an integer out of range of the other operand's type is
// less or greater than all of its elements.
func comparison(r rule, f func(x graph.Node, y any) graph.Node, name string) function {
	compare := binary(r, f)
	return function{compare.params, func(c *call) graph.Node {
		c.saturate()
		if x, order, ok := c.beyond(); ok {
			if folds[name].order(order) {
				return x.Eq(x)
			}
			return x.Ne(x)
		}
		return compare.call(c)
	}}
}

// saturate replaces a number that is past the greatest float of the array beside it by an infinity, as NumPy rounds it.
func (c *call) saturate() {
	for _, side := range [][2]string{{"x", "y"}, {"y", "x"}} {
		x, y := c.values[side[0]], c.values[side[1]]
		if x.kind == array && y.kind == numeric && fractional(x.node.DType()) && x.node.DType() != graph.Fixed16x16 && graph.Scalar(x.node.DType(), y.num.operand(x.node.DType())).Err() != nil {
			c.values[side[1]] = numberValue(floatNumber(math.Copysign(inf, y.num.float())), y.at)
		}
	}
}

// beyond reports whether one of x and y is an array of integers and the other an integer out of range of its type. It
// returns the array, and the order of x and y.
func (c *call) beyond() (ints graph.Node, order int, ok bool) {
	x, y, sign := c.operand("x"), c.operand("y"), 1
	if x.kind == numeric {
		x, y, sign = y, x, -1
	}
	if x.kind != array || ir.Class(x.node.DType()) != 1 || y.kind != numeric || y.num.class == graph.Float64 {
		return graph.Node{}, 0, false
	}
	if graph.Scalar(x.node.DType(), y.num.i).Err() == nil {
		return graph.Node{}, 0, false
	}
	if y.num.i > 0 {
		sign = -sign
	}
	return x.node, sign, true
}

// truth returns which elements are not 0.
func truth(x graph.Node) graph.Node {
	if x.DType() == graph.Bool {
		return x
	}
	return x.Ne(0)
}

func ofTruth(f func(x graph.Node, y any) graph.Node) func(x graph.Node, y any) graph.Node {
	return func(x graph.Node, y any) graph.Node { return f(truth(x), truth(y.(graph.Node))) }
}

// parametric is a function of one operand and a number.
func parametric(params string, f func(x graph.Node, parameter any) graph.Node) function {
	name := parameter(params, 1)
	return function{params, func(c *call) graph.Node {
		return safe(c, c.operands(floating, "x"), func(x []graph.Node) graph.Node { return f(x[0], c.float(name)) })
	}}
}
