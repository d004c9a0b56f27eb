package main

import (
	"maps"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
)

// nodes are the functions of programs, by the standard's names.
var nodes = map[string]func(c *call) []value{}

func init() {
	for name, f := range unaries {
		nodes[name] = func(c *call) []value { return []value{f.apply(c.x("x"))} }
	}
	for name, f := range binaries {
		nodes[name] = func(c *call) []value {
			x, y := c.pair("x1", "x2")
			return []value{f.apply(x, y)}
		}
	}
	maps.Copy(nodes, arrangements)
	maps.Copy(nodes, reductions)
	maps.Copy(nodes, creations)
}

// unary is a function of one array. Functions of integers that are nil return them as they are.
type unary struct {
	real    func(x graph.Node) graph.Node
	complex func(z cmplx.Node) cmplx.Node
	parts   func(z cmplx.Node) graph.Node // of complex numbers, if the result is real
	whole   bool                          // integers are themselves
}

func (f unary) apply(x value) value {
	switch {
	case x.complex && f.parts != nil:
		return realOf(f.parts(x.z))
	case x.complex && f.complex != nil:
		return complexOf(f.complex(x.z))
	case x.complex:
		panic("no function of complex numbers")
	case f.whole && !graph.Floats.Has(x.dtype()):
		return x
	}
	return realOf(f.real(x.re))
}

func same(x graph.Node) graph.Node { return x }

// both returns a test of the two parts of complex numbers.
func both(test func(x graph.Node) graph.Node, join func(a graph.Node, b any) graph.Node) func(z cmplx.Node) graph.Node {
	return func(z cmplx.Node) graph.Node { return join(test(z.Real()), test(z.Imag())) }
}

func finite(x graph.Node) graph.Node {
	if !graph.Floats.Has(x.DType()) {
		return graph.Fill(graph.Bool, true, x.Shape())
	}
	return x.IsFinite()
}

// ofFloats is a test that is false for integers.
func ofFloats(test func(x graph.Node) graph.Node) func(x graph.Node) graph.Node {
	return func(x graph.Node) graph.Node {
		if !graph.Floats.Has(x.DType()) {
			return graph.Fill(graph.Bool, false, x.Shape())
		}
		return test(x)
	}
}

var unaries = map[string]unary{
	"abs": {real: graph.Node.Abs, parts: cmplx.Node.Abs}, "acos": {real: graph.Node.Acos, complex: cmplx.Node.Acos},
	"acosh": {real: graph.Node.Acosh, complex: cmplx.Node.Acosh}, "asin": {real: graph.Node.Asin, complex: cmplx.Node.Asin},
	"asinh": {real: graph.Node.Asinh, complex: cmplx.Node.Asinh}, "atan": {real: graph.Node.Atan, complex: cmplx.Node.Atan},
	"atanh": {real: graph.Node.Atanh, complex: cmplx.Node.Atanh}, "bitwise_invert": {real: graph.Node.Not},
	"ceil": {real: graph.Node.Ceil, whole: true}, "conj": {real: same, complex: cmplx.Node.Conj}, "cos": {real: graph.Node.Cos, complex: cmplx.Node.Cos},
	"cosh": {real: graph.Node.Cosh, complex: cmplx.Node.Cosh}, "exp": {real: graph.Node.Exp, complex: cmplx.Node.Exp},
	"expm1": {real: graph.Node.Expm1, complex: cmplx.Node.Expm1}, "floor": {real: graph.Node.Floor, whole: true},
	"imag":     {real: func(x graph.Node) graph.Node { return graph.Fill(x.DType(), 0, x.Shape()) }, parts: cmplx.Node.Imag},
	"isfinite": {real: finite, parts: both(graph.Node.IsFinite, graph.Node.And)},
	"isinf":    {real: ofFloats(graph.Node.IsInf), parts: both(graph.Node.IsInf, graph.Node.Or)},
	"isnan":    {real: ofFloats(graph.Node.IsNaN), parts: both(graph.Node.IsNaN, graph.Node.Or)},
	"log":      {real: graph.Node.Log, complex: cmplx.Node.Log}, "log1p": {real: graph.Node.Log1p, complex: cmplx.Node.Log1p},
	"log2": {real: graph.Node.Log2, complex: cmplx.Node.Log2}, "log10": {real: graph.Node.Log10, complex: cmplx.Node.Log10},
	"logical_not": {real: graph.Node.Not}, "negative": {real: graph.Node.Neg, complex: cmplx.Node.Neg},
	"positive": {real: same, complex: func(z cmplx.Node) cmplx.Node { return z }}, "real": {real: same, parts: cmplx.Node.Real},
	"reciprocal": {real: graph.Node.Reciprocal, complex: func(z cmplx.Node) cmplx.Node { return one(z).Div(z) }},
	"round":      {real: graph.Node.Round, complex: func(z cmplx.Node) cmplx.Node { return z.View(graph.Node.Round) }, whole: true},
	"sign":       {real: graph.Node.Sign, complex: cmplx.Node.Sign}, "signbit": {real: graph.Node.Signbit},
	"sin": {real: graph.Node.Sin, complex: cmplx.Node.Sin}, "sinh": {real: graph.Node.Sinh, complex: cmplx.Node.Sinh},
	"square": {real: graph.Node.Square, complex: func(z cmplx.Node) cmplx.Node { return z.Mul(z) }},
	"sqrt":   {real: graph.Node.Sqrt, complex: cmplx.Node.Sqrt}, "tan": {real: graph.Node.Tan, complex: cmplx.Node.Tan},
	"tanh": {real: graph.Node.Tanh, complex: cmplx.Node.Tanh}, "trunc": {real: graph.Node.Trunc, whole: true},
}

// one returns 1+0i in the shape of z.
func one(z cmplx.Node) cmplx.Node {
	x := z.Real()
	return cmplx.Make(graph.Fill(x.DType(), 1, x.Shape()), graph.Fill(x.DType(), 0, x.Shape()))
}

// binary is a function of two arrays of one type.
type binary struct {
	real    func(x graph.Node, y any) graph.Node
	complex func(z cmplx.Node, w any) cmplx.Node
	parts   func(z cmplx.Node, w any) graph.Node
}

func (f binary) apply(x, y value) value {
	switch {
	case x.complex && f.parts != nil:
		return realOf(f.parts(x.z, y.z))
	case x.complex && f.complex != nil:
		return complexOf(f.complex(x.z, y.z))
	case x.complex:
		panic("no function of complex numbers")
	}
	return realOf(f.real(x.re, y.re))
}

var binaries = map[string]binary{
	"add": {real: graph.Node.Add, complex: cmplx.Node.Add}, "atan2": {real: graph.Node.Atan2}, "bitwise_and": {real: graph.Node.And},
	"bitwise_left_shift": {real: graph.Node.Shl}, "bitwise_or": {real: graph.Node.Or}, "bitwise_right_shift": {real: graph.Node.Shr},
	"bitwise_xor": {real: graph.Node.Xor}, "copysign": {real: graph.Node.CopySign}, "divide": {real: graph.Node.Div, complex: cmplx.Node.Div},
	"equal": {real: graph.Node.Eq, parts: cmplx.Node.Eq}, "floor_divide": {real: graph.Node.FloorDiv}, "greater": {real: graph.Node.Gt},
	"greater_equal": {real: graph.Node.Ge}, "hypot": {real: graph.Node.Hypot}, "less": {real: graph.Node.Lt}, "less_equal": {real: graph.Node.Le},
	"logaddexp": {real: graph.Node.LogAddExp}, "logical_and": {real: graph.Node.And}, "logical_or": {real: graph.Node.Or},
	"logical_xor": {real: graph.Node.Xor}, "maximum": {real: func(x graph.Node, y any) graph.Node { return x.Maximum(y) }},
	"minimum":  {real: func(x graph.Node, y any) graph.Node { return x.Minimum(y) }},
	"multiply": {real: graph.Node.Mul, complex: cmplx.Node.Mul}, "nextafter": {real: graph.Node.NextAfter},
	"not_equal": {real: graph.Node.Ne, parts: func(z cmplx.Node, w any) graph.Node { return z.Eq(w).Not() }},
	"pow":       {real: graph.Node.Pow, complex: cmplx.Node.Pow}, "remainder": {real: graph.Node.Mod}, "subtract": {real: graph.Node.Sub, complex: cmplx.Node.Sub},
}
