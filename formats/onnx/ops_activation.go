package onnx

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Activations.

// exactly returns the float64 that a float32 default is stored as.
func exactly(f float32) float64 { return float64(f) }

var activations = []operator{
	{"Celu", 12, latest, 1, 1, ir.Floats, attrs{"alpha": 1.}, func(c *call) []value { return one(c.x(0).CELU(c.float("alpha"))) }},
	{"Elu", 1, latest, 1, 1, ir.Floats, attrs{"alpha": 1.}, func(c *call) []value { return one(c.x(0).ELU(c.float("alpha"))) }},
	{"Gelu", 20, latest, 1, 1, ir.Floats, attrs{"approximate": "none"}, gelu},
	{"HardSigmoid", 1, latest, 1, 1, ir.Floats, attrs{"alpha": exactly(0.2), "beta": 0.5}, func(c *call) []value {
		return one(c.x(0).HardSigmoid(c.float("alpha"), c.float("beta")))
	}},
	{"HardSwish", 14, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.HardSwish)},
	{"LeakyRelu", 1, latest, 1, 1, ir.Floats, attrs{"alpha": exactly(0.01)}, func(c *call) []value { return one(c.x(0).LeakyReLU(c.float("alpha"))) }},
	{"Mish", 18, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Mish)},
	{"PRelu", 1, 6, 2, 2, ir.Floats, nil, preluChannels},
	{"PRelu", 7, latest, 2, 2, ir.Numeric, nil, func(c *call) []value { return one(prelu(c.x(0), c.x(1))) }},
	{"Relu", 1, latest, 1, 1, ir.Numeric, nil, func(c *call) []value { return one(c.x(0).Maximum(0)) }},
	{"Selu", 1, 5, 1, 1, ir.Floats, attrs{"alpha": exactly(1.6732), "gamma": exactly(1.0507)}, selu},
	{"Selu", 6, latest, 1, 1, ir.Floats, attrs{"alpha": exactly(1.67326319217681884765625), "gamma": exactly(1.05070102214813232421875)}, selu},
	{"Shrink", 9, latest, 1, 1, ir.Numeric, attrs{"bias": 0., "lambd": 0.5}, shrink},
	{"Sigmoid", 1, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Sigmoid)},
	{"Softplus", 1, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Softplus)},
	{"Softsign", 1, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.Softsign)},
	{"SwiGLU", 28, latest, 2, 2, ir.Floats, attrs{"alpha": 1.}, func(c *call) []value {
		return one(swish(c.x(0), c.float("alpha")).Mul(c.x(1)))
	}},
	{"Swish", 24, latest, 1, 1, ir.Floats, attrs{"alpha": 1.}, func(c *call) []value { return one(swish(c.x(0), c.float("alpha"))) }},
	{"ThresholdedRelu", 10, latest, 1, 1, ir.Floats, attrs{"alpha": 1.}, func(c *call) []value {
		return one(graph.Where(c.x(0).Gt(c.float("alpha")), c.x(0), 0))
	}},
}

func selu(c *call) []value { return one(c.x(0).ELU(c.float("alpha")).Mul(c.float("gamma"))) }

func gelu(c *call) []value {
	switch how := c.text("approximate"); how {
	case "none":
		return one(c.x(0).GELU())
	case "tanh":
		return one(c.x(0).GELUTanh())
	default:
		return c.fail("approximate %q: it must be none or tanh", how)
	}
}

func swish(x graph.Node, alpha float64) graph.Node {
	if alpha == 1 {
		return x.SiLU()
	}
	return x.Mul(x.Mul(alpha).Sigmoid())
}

func prelu(x, slope graph.Node) graph.Node { return graph.Where(x.Lt(0), x.Mul(slope), x) }

// preluChannels is PRelu of the versions with a slope for each channel, the second axis.
func preluChannels(c *call) []value {
	x, slope := c.x(0), c.x(1)
	if slope.Rank() == 1 && x.Rank() > 1 && !slope.Shape()[0].Is(1) {
		slope = alignAt(slope, 1, x.Rank())
	}
	return one(prelu(x, slope))
}

func shrink(c *call) []value {
	x, bias, limit := c.x(0), c.float("bias"), c.float("lambd")
	if !ir.Floats.Has(x.DType()) && (bias != math.Trunc(bias) || limit != math.Trunc(limit)) {
		y := x.Cast(graph.Float64)
		return one(shrunk(y, bias, limit).Cast(x.DType()))
	}
	return one(shrunk(x, bias, limit))
}

func shrunk(x graph.Node, bias, limit float64) graph.Node {
	return graph.Where(x.Lt(-limit), x.Add(bias), graph.Where(x.Gt(limit), x.Sub(bias), 0))
}
