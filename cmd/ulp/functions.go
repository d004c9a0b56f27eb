package main

import (
	"math"

	"github.com/stridefuse/stridefuse/cmd/ulp/oracle"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// function is a measured function: its op, its call, and where its hard arguments are.
type function struct {
	op    ir.Op
	exact *oracle.Func
	node  func(x, y graph.Node) graph.Node
	limit float64   // promised ULP of the default tier on float64
	hard  []stratum // strata of x, in addition to those of every function
	hardY []stratum // strata of y
	hardQ []stratum // strata of x/y
}

func (f *function) name() string { return f.op.String() }

// bound returns the promised bound.
func (f *function) bound(dt ir.DType, fast bool) float64 {
	switch {
	case fast:
		return limitFast
	case f.limit == rounded:
		return rounded
	case dt == ir.Float32:
		return limitSingle
	}
	return f.limit
}

// The bounds that the documentation promises.
const (
	limitFast   = 4
	limitSingle = 1
	tight       = 1   // for float64
	usual       = 1.5 // for float64
	rounded     = 0.5 // correctly rounded
)

func unary(op ir.Op, limit float64, method func(graph.Node) graph.Node, hard ...stratum) function {
	return function{op: op, limit: limit, hard: hard, node: func(x, _ graph.Node) graph.Node { return method(x) }}
}

func binary(op ir.Op, limit float64, method func(graph.Node, any) graph.Node, hard, hardY []stratum) function {
	return function{op: op, limit: limit, hard: hard, hardY: hardY, node: func(x, y graph.Node) graph.Node { return method(x, y) }}
}

// quotient adds strata where x/y is hard.
func (f function) quotient(hard ...stratum) function {
	f.hardQ = hard
	return f
}

// Worst cases for the reduction of huge arguments: 6381956970095103 * 2^797 is
// the float64 nearest to a multiple of pi/2, 16367173 * 2^72 the float32 (Muller,
// Handbook of Floating-Point Arithmetic).
var hugeAngles = points(6381956970095103*0x1p797, 16367173*0x1p72, 0x1.6ac5b262ca1ffp849, 1e22, math.MaxFloat32, math.MaxFloat64)

var angles = []stratum{
	multiples(math.Pi/4, 1<<10), multiples(math.Pi/4, 1<<30), multiples(math.Pi/2, 1<<52), hugeAngles,
	values(-10, 10), values(-1e5, 1e5), bits(0x1p20, 0x1p40), bits(0x1p40, math.MaxFloat64), bits(0x1p-30, 1),
}

var functions = []function{
	unary(ir.OpSqrt, rounded, graph.Node.Sqrt),
	binary(ir.OpDiv, rounded, graph.Node.Div, nil, nil),
	binary(ir.OpMod, rounded, graph.Node.Mod, quotients, quotients),
	binary(ir.OpFloorDiv, rounded, graph.Node.FloorDiv, quotients, quotients),
	binary(ir.OpFMod, rounded, graph.Node.Rem, quotients, quotients),

	unary(ir.OpExp, tight, graph.Node.Exp, values(-746, 710), values(-104, 89), values(-1, 1), multiples(math.Ln2/2, 2200), bits(0x1p-60, 1)),
	unary(ir.OpExp2, tight, graph.Node.Exp2, values(-1076, 1025), values(-150, 129), values(-1, 1), multiples(0.5, 2200), bits(0x1p-60, 1)),
	unary(ir.OpExpm1, tight, graph.Node.Expm1, values(-746, 710), values(-40, 40), values(-1, 1), multiples(math.Ln2/2, 2200), bits(0x1p-60, 1)),
	unary(ir.OpLog, tight, graph.Node.Log, logarithms...),
	unary(ir.OpLog2, tight, graph.Node.Log2, logarithms...),
	unary(ir.OpLog10, tight, graph.Node.Log10, logarithms...),
	unary(ir.OpLog1p, tight, graph.Node.Log1p, bits(0x1p-60, 1), bits(-0x1p-60, -1), values(-1, 3), aroundPowers(math.Sqrt2), aroundPowers(1), around(-1), around(math.Sqrt2-1), around(math.Sqrt2/2-1)),
	binary(ir.OpPow, tight, graph.Node.Pow, []stratum{bits(0x1p-10, 0x1p10), values(0.5, 2), around(1), integers(1 << 10), aroundPowers(math.Sqrt2)}, []stratum{values(-1, 1), values(-20, 20), values(-1000, 1000), integers(1 << 10), bits(0x1p-10, 0x1p60)}),
	unary(ir.OpCbrt, tight, graph.Node.Cbrt, values(1, 8), values(-8, 8), aroundPowers(1)),
	unary(ir.OpRsqrt, usual, graph.Node.Rsqrt, values(1, 4), bits(0x1p-1074, 0x1p-1000), aroundPowers(1)),
	binary(ir.OpHypot, usual, graph.Node.Hypot, magnitudes, magnitudes),

	unary(ir.OpSin, tight, graph.Node.Sin, angles...),
	unary(ir.OpCos, tight, graph.Node.Cos, angles...),
	unary(ir.OpTan, tight, graph.Node.Tan, angles...),
	unary(ir.OpAsin, tight, graph.Node.Asin, values(-1, 1), around(0.5), around(1), around(-1), bits(0x1p-30, 1), oneMinus),
	unary(ir.OpAcos, tight, graph.Node.Acos, values(-1, 1), around(0.5), around(1), around(-1), bits(0x1p-30, 1), oneMinus),
	unary(ir.OpAtan, tight, graph.Node.Atan, values(-4, 4), bits(0x1p-30, 0x1p30), around(1), around(math.Sqrt2-1), around(math.Sqrt2+1)),
	binary(ir.OpAtan2, tight, graph.Node.Atan2, magnitudes, magnitudes),

	unary(ir.OpSinh, tight, graph.Node.Sinh, values(-711, 711), values(-2, 2), bits(0x1p-30, 30), multiples(math.Ln2/2, 2200)),
	unary(ir.OpCosh, tight, graph.Node.Cosh, values(-711, 711), values(-2, 2), bits(0x1p-30, 30), multiples(math.Ln2/2, 2200)),
	unary(ir.OpTanh, tight, graph.Node.Tanh, values(-20, 20), values(-2, 2), bits(0x1p-30, 22), multiples(math.Ln2/4, 200)),
	unary(ir.OpAsinh, usual, graph.Node.Asinh, values(-4, 4), bits(0x1p-30, 0x1p30), bits(-0x1p-30, -0x1p30), around(1)),
	unary(ir.OpAcosh, usual, graph.Node.Acosh, values(1, 4), onePlus, bits(1, 0x1p30), around(1)),
	unary(ir.OpAtanh, usual, graph.Node.Atanh, values(-1, 1), oneMinus, bits(0x1p-30, 1), bits(-0x1p-30, -1), around(1), around(-1)),

	unary(ir.OpErf, usual, graph.Node.Erf, values(-6, 6), values(-1, 1), bits(0x1p-30, 6)),
	unary(ir.OpErfc, tight, graph.Node.Erfc, values(-6, 28), values(-1, 1), values(8, 28), values(0.4, 3), bits(0x1p-30, 28)),

	unary(ir.OpSigmoid, tight, graph.Node.Sigmoid, values(-746, 40), values(-110, 40), values(-4, 4), multiples(math.Ln2/2, 2200)),
	unary(ir.OpSiLU, usual, graph.Node.SiLU, values(-754, 40), values(-110, 40), values(-4, 4), multiples(math.Ln2/2, 2200)),
	unary(ir.OpSoftplus, usual, graph.Node.Softplus, values(-746, 40), values(-110, 40), values(-4, 4), multiples(math.Ln2/2, 2200)),
	unary(ir.OpGELU, tight, graph.Node.GELU, values(-39, 9), values(-15, 7), values(-2, 2), bits(0x1p-30, 9)),
	unary(ir.OpGELUTanh, usual, graph.Node.GELUTanh, values(-23, 9), values(-11, 7), values(-2, 2), bits(0x1p-30, 9)),
	unary(ir.OpMish, usual, graph.Node.Mish, values(-754, 40), values(-110, 40), values(-4, 4), multiples(math.Ln2/2, 2200)),
	binary(ir.OpELU, tight, graph.Node.ELU, []stratum{values(-40, 2), values(-1, 1), bits(-0x1p-60, -1)}, []stratum{values(0, 4), points(1, -1, 0.5)}),
	unary(ir.OpSELU, usual, graph.Node.SELU, values(-40, 2), values(-1, 1), bits(-0x1p-60, -1)),
	binary(ir.OpCELU, usual, graph.Node.CELU, []stratum{values(-40, 2), values(-1, 1), bits(-0x1p-60, -1)}, []stratum{values(0, 4), points(1, -1, 0.5), tiny}).
		quotient(values(-40, 60), values(60, 1460), bits(0x1p-60, 1)),
	unary(ir.OpHardSwish, usual, graph.Node.HardSwish, values(-4, 4), around(3), around(-3), bits(0x1p-30, 4)),
	unary(ir.OpSoftsign, usual, graph.Node.Softsign, values(-4, 4), bits(0x1p-30, 0x1p60)),
	unary(ir.OpLogit, usual, graph.Node.Logit, values(0, 1), around(0.5), around(1), oneMinus, bits(0x1p-60, 0.5)),
}

func init() {
	for i := range functions {
		f := &functions[i]
		exact, ok := oracle.Lookup(f.name())
		if !ok {
			panic("BUG: no reference of " + f.name())
		}
		f.exact = exact
	}
}
