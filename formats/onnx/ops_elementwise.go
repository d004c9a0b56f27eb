package onnx

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Elementwise operators.

// oldBroadcast are the attributes that broadcast the second operand up to version 6: at the axis, or aligned with the
// last one.
var oldBroadcast = attrs{"broadcast": 0, "axis": unset{0}}

var elementwise = []operator{
	{"Abs", 1, latest, 1, 1, ir.Numeric, nil, unaryOp(graph.Node.Abs)},
	{"Acos", 7, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Acos)},
	{"Acosh", 9, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Acosh)},
	{"Add", 1, 6, 2, 2, ir.Numeric, oldBroadcast, aligned(graph.Node.Add)},
	{"Add", 7, latest, 2, 2, ir.Numeric, nil, binaryOp(graph.Node.Add)},
	{"And", 1, 6, 2, 2, ir.Bools, oldBroadcast, aligned(graph.Node.And)},
	{"And", 7, latest, 2, 2, ir.Bools, nil, binaryOp(graph.Node.And)},
	{"Asin", 7, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Asin)},
	{"Asinh", 9, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Asinh)},
	{"Atan", 7, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Atan)},
	{"Atanh", 9, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Atanh)},
	{"BitShift", 11, 27, 2, 2, ir.Unsigned, attrs{"direction": unset{""}}, bitShift},
	{"BitShift", 28, latest, 2, 2, ir.Ints, attrs{"direction": unset{""}}, bitShift},
	{"BitwiseAnd", 18, latest, 2, 2, ir.Ints, nil, binaryOp(graph.Node.And)},
	{"BitwiseNot", 18, latest, 1, 1, ir.Ints, nil, unaryOp(graph.Node.Not)},
	{"BitwiseOr", 18, latest, 2, 2, ir.Ints, nil, binaryOp(graph.Node.Or)},
	{"BitwiseXor", 18, latest, 2, 2, ir.Ints, nil, binaryOp(graph.Node.Xor)},
	{"Ceil", 1, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Ceil)},
	{"Clip", 1, 10, 1, 1, ir.Numeric, attrs{"min": unset{0.}, "max": unset{0.}}, clipAttrs},
	{"Clip", 11, latest, 1, 3, ir.Numeric, nil, clip},
	{"Cos", 7, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Cos)},
	{"Cosh", 9, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Cosh)},
	{"Div", 1, 6, 2, 2, ir.Numeric, oldBroadcast, aligned(graph.Node.Div)},
	{"Div", 7, latest, 2, 2, ir.Numeric, nil, binaryOp(graph.Node.Div)},
	{"Equal", 1, 6, 2, 2, ir.Computed, oldBroadcast, aligned(graph.Node.Eq)},
	{"Equal", 7, latest, 2, 2, ir.Computed, nil, binaryOp(graph.Node.Eq)},
	{"Erf", 9, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Erf)},
	{"Exp", 1, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Exp)},
	{"Floor", 1, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Floor)},
	{"Greater", 1, 6, 2, 2, ir.Numeric, oldBroadcast, aligned(graph.Node.Gt)},
	{"Greater", 7, latest, 2, 2, ir.Numeric, nil, binaryOp(graph.Node.Gt)},
	{"GreaterOrEqual", 12, latest, 2, 2, ir.Numeric, nil, binaryOp(graph.Node.Ge)},
	{"IsInf", 10, latest, 1, 1, ir.Floats | ir.Minifloats, attrs{"detect_negative": 1, "detect_positive": 1}, isInf},
	{"IsNaN", 9, latest, 1, 1, ir.Floats | ir.Minifloats, nil, func(c *call) []value { return one(floated(c.x(0)).IsNaN()) }},
	{"Less", 1, 6, 2, 2, ir.Numeric, oldBroadcast, aligned(graph.Node.Lt)},
	{"Less", 7, latest, 2, 2, ir.Numeric, nil, binaryOp(graph.Node.Lt)},
	{"LessOrEqual", 12, latest, 2, 2, ir.Numeric, nil, binaryOp(graph.Node.Le)},
	{"Log", 1, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Log)},
	{"Max", 1, latest, 1, many, ir.Numeric, nil, variadic(maximum)},
	{"Mean", 1, latest, 1, many, ir.Floats, nil, mean},
	{"Min", 1, latest, 1, many, ir.Numeric, nil, variadic(minimum)},
	{"Mod", 10, latest, 2, 2, ir.Numeric, attrs{"fmod": 0}, mod},
	{"Mul", 1, 6, 2, 2, ir.Numeric, oldBroadcast, aligned(graph.Node.Mul)},
	{"Mul", 7, latest, 2, 2, ir.Numeric, nil, binaryOp(graph.Node.Mul)},
	{"Neg", 1, latest, 1, 1, ir.Numeric, nil, unaryOp(graph.Node.Neg)},
	{"Not", 1, latest, 1, 1, ir.Bools, nil, unaryOp(graph.Node.Not)},
	{"Or", 1, 6, 2, 2, ir.Bools, oldBroadcast, aligned(graph.Node.Or)},
	{"Or", 7, latest, 2, 2, ir.Bools, nil, binaryOp(graph.Node.Or)},
	{"Pow", 1, 6, 2, 2, ir.Numeric, oldBroadcast, aligned(power)},
	{"Pow", 7, latest, 2, 2, ir.Numeric, nil, binaryOp(power)},
	{"Reciprocal", 1, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Reciprocal)},
	{"Round", 11, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Round)},
	{"Sign", 9, latest, 1, 1, ir.Numeric, nil, unaryOp(graph.Node.Sign)},
	{"Sin", 7, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Sin)},
	{"Sinh", 9, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Sinh)},
	{"Sqrt", 1, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Sqrt)},
	{"Sub", 1, 6, 2, 2, ir.Numeric, oldBroadcast, aligned(graph.Node.Sub)},
	{"Sub", 7, latest, 2, 2, ir.Numeric, nil, binaryOp(graph.Node.Sub)},
	{"Sum", 1, latest, 1, many, ir.Floats, nil, variadic(graph.Node.Add)},
	{"Tan", 7, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Tan)},
	{"Tanh", 1, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Tanh)},
	{"Where", 9, latest, 3, 3, ir.Bools, nil, func(c *call) []value { return one(graph.Where(c.x(0), c.x(1), c.x(2))) }},
	{"Xor", 1, 6, 2, 2, ir.Bools, oldBroadcast, aligned(graph.Node.Xor)},
	{"Xor", 7, latest, 2, 2, ir.Bools, nil, binaryOp(graph.Node.Xor)},
}

// aligned is binaryOp for versions with the attributes of oldBroadcast.
func aligned(f func(x graph.Node, y any) graph.Node) func(c *call) []value {
	return func(c *call) []value {
		x, y := c.x(0), c.x(1)
		if axis, ok := attr[int](c, "axis"); ok && c.flag("broadcast") {
			y = alignAt(y, c.wrapAxis(axis, x.Rank()+1), x.Rank())
		}
		return one(f(x, y))
	}
}

// alignAt appends axes to y so that its first axis is axis number axis of a value of the given rank.
func alignAt(y graph.Node, axis, rank int) graph.Node {
	for range rank - axis - y.Rank() {
		y = y.Unsqueeze(-1)
	}
	return y
}

func minimum(x graph.Node, y any) graph.Node { return x.Minimum(y) }
func maximum(x graph.Node, y any) graph.Node { return x.Maximum(y) }

// variadic is the build function of an operator that combines all its inputs.
func variadic(f func(x graph.Node, y any) graph.Node) func(c *call) []value {
	return func(c *call) []value { return one(combine(c, f)) }
}

func combine(c *call, f func(x graph.Node, y any) graph.Node) graph.Node {
	x := c.x(0)
	for i := 1; i < len(c.in); i++ {
		x = f(x, c.x(i))
	}
	return x
}

func mean(c *call) []value { return one(combine(c, graph.Node.Add).Div(float64(len(c.in)))) }

func mod(c *call) []value {
	if c.flag("fmod") {
		return one(c.x(0).Rem(c.x(1)))
	}
	return one(c.x(0).Mod(c.x(1)))
}

// power returns a result of the base's type. If the exponent has another type, both are converted to a type that holds
// either.
func power(x graph.Node, exponent any) graph.Node {
	y := exponent.(graph.Node)
	dt := x.DType()
	switch {
	case dt == y.DType():
		return x.Pow(y)
	case !ir.Floats.Has(dt) && !ir.Floats.Has(y.DType()):
		return x.Pow(y.Cast(dt))
	case dt == graph.Float64 || y.DType() == graph.Float64 || !ir.Floats.Has(dt):
		return x.Cast(graph.Float64).Pow(y.Cast(graph.Float64)).Cast(dt)
	}
	return x.Pow(y.Cast(dt))
}

func bitShift(c *call) []value {
	switch c.text("direction") {
	case "LEFT":
		return one(c.x(0).Shl(c.x(1)))
	case "RIGHT":
		return one(c.x(0).Shr(c.x(1)))
	}
	return c.fail("direction %q: it must be LEFT or RIGHT", c.text("direction"))
}

// floated returns floats of 8 bits and fewer as float32.
func floated(x graph.Node) graph.Node {
	if ir.Minifloats.Has(x.DType()) {
		return x.Cast(graph.Float32)
	}
	return x
}

func isInf(c *call) []value {
	x := floated(c.x(0))
	switch negative, positive := c.flag("detect_negative"), c.flag("detect_positive"); {
	case negative && positive:
		return one(x.IsInf())
	case negative:
		return one(x.IsInf().And(x.Lt(0)))
	case positive:
		return one(x.IsInf().And(x.Gt(0)))
	}
	return one(graph.Fill(graph.Bool, false, x.Shape()))
}

func clip(c *call) []value {
	x := c.x(0)
	if c.has(1) {
		x = x.Maximum(c.x(1))
	}
	if c.has(2) {
		x = x.Minimum(c.x(2))
	}
	return one(x)
}

func clipAttrs(c *call) []value {
	x := c.x(0)
	if lo, ok := attr[float64](c, "min"); ok {
		x = x.Maximum(lo)
	}
	if hi, ok := attr[float64](c, "max"); ok {
		x = x.Minimum(hi)
	}
	return one(x)
}
