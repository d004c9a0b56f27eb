package onnx

import (
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Operators of the domain com.microsoft, which onnxruntime's tools write: products and activations that its optimizer
// fuses. Definitions: ContribOperators.md of onnxruntime.

var fusedOps = []operator{
	{"com.microsoft.BiasAdd", 1, latest, 3, 3, ir.Floats, nil, func(c *call) []value { return one(c.x(0).Add(c.x(1)).Add(c.x(2))) }},
	{"com.microsoft.BiasGelu", 1, latest, 2, 2, ir.Floats, nil, func(c *call) []value { return one(c.x(0).Add(c.x(1)).GELU()) }},
	{"com.microsoft.BiasSplitGelu", 1, latest, 2, 2, ir.Floats, nil, biasSplitGelu},
	{"com.microsoft.CDist", 1, latest, 2, 2, ir.Floats, attrs{"metric": "sqeuclidean"}, distances},
	{"com.microsoft.ExpandDims", 1, latest, 2, 2, ir.AllTypes, nil, func(c *call) []value { return one(c.x(0).Unsqueeze(c.int1(1))) }},
	{"com.microsoft.FastGelu", 1, latest, 1, 2, ir.Floats, nil, func(c *call) []value { return one(c.plus(c.x(0), 1).GELUTanh()) }},
	{"com.microsoft.FusedConv", 1, latest, 2, 4, ir.Floats, windowAttrs(attrs{"dilations": []int{}, "group": 1, "activation": "", "activation_params": []float64{}}), fusedConv},
	{"com.microsoft.FusedGemm", 1, latest, 2, 3, ir.Floats, with(activationAttrs, attrs{"alpha": 1., "beta": 1., "transA": 0, "transB": 0}), func(c *call) []value {
		return one(c.activated(gemm(c)[0].node))
	}},
	{"com.microsoft.FusedMatMul", 1, latest, 2, 2, ir.Floats, fusedProductAttrs, func(c *call) []value { return one(c.fusedProduct()) }},
	{"com.microsoft.FusedMatMulActivation", 1, latest, 2, 2, ir.Floats, with(fusedProductAttrs, with(activationAttrs, attrs{"activation_axis": unset{0}})), func(c *call) []value {
		return one(c.activated(c.fusedProduct()))
	}},
	{"com.microsoft.GatherND", 1, latest, 2, 2, ir.AllTypes, nil, gatherND},
	{"com.microsoft.Gelu", 1, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.GELU)},
	{"com.microsoft.GemmFastGelu", 1, latest, 2, 3, ir.Floats, nil, func(c *call) []value {
		return one(c.plus(c.x(0).MatMul(c.x(1)), 2).GELUTanh())
	}},
	{"com.microsoft.QuickGelu", 1, latest, 1, 1, ir.Floats, attrs{"alpha": exactly(1.702)}, func(c *call) []value { return one(swish(c.x(0), c.float("alpha"))) }},
	{"com.microsoft.TransposeMatMul", 1, latest, 2, 2, ir.Floats, fusedProductAttrs, func(c *call) []value { return one(c.fusedProduct()) }},
	{"com.microsoft.Trilu", 1, latest, 1, 2, ir.AllTypes, attrs{"upper": 1}, trilu},
}

var (
	activationAttrs   = attrs{"activation": "", "activation_alpha": unset{0.}, "activation_beta": unset{0.}, "activation_gamma": unset{0.}}
	fusedProductAttrs = attrs{"alpha": 1., "transA": 0, "transB": 0, "transBatchA": 0, "transBatchB": 0}
)

// plus adds input i, if it is given.
func (c *call) plus(x graph.Node, i int) graph.Node {
	if c.has(i) {
		return x.Add(c.x(i))
	}
	return x
}

// fusedActivations has the functions that fused operators apply to their result, with up to two parameters.
var fusedActivations = map[string]func(x graph.Node, p [2]float64) graph.Node{
	"Clip":        func(x graph.Node, p [2]float64) graph.Node { return x.Clip(p[0], p[1]) },
	"HardSigmoid": func(x graph.Node, p [2]float64) graph.Node { return x.HardSigmoid(p[0], p[1]) },
	"LeakyRelu":   func(x graph.Node, p [2]float64) graph.Node { return x.LeakyReLU(p[0]) },
	"Relu":        func(x graph.Node, _ [2]float64) graph.Node { return x.Maximum(0) },
	"Sigmoid":     func(x graph.Node, _ [2]float64) graph.Node { return x.Sigmoid() },
	"Tanh":        func(x graph.Node, _ [2]float64) graph.Node { return x.Tanh() },
}

// activated applies the attribute activation.
func (c *call) activated(x graph.Node) graph.Node {
	name := c.text("activation")
	var p [2]float64
	switch {
	case name == "":
		return x
	case c.op.attrs["activation_params"] != nil:
		copy(p[:], need[[]float64](c, "activation_params"))
	default:
		p[0], _ = attr[float64](c, "activation_alpha")
		p[1], _ = attr[float64](c, "activation_beta")
	}
	f := fusedActivations[name]
	if f == nil {
		c.fail("activation %q is not known", name)
		return x
	}
	return f(x, p)
}

// fusedProduct multiplies matrices, whose axes may be exchanged: the last two, or before that the first one with those
// between it and the last one.
func (c *call) fusedProduct() graph.Node {
	operand := func(i int, batch, last string) graph.Node {
		x := c.x(i)
		if r := x.Rank(); c.flag(batch) && r > 2 {
			x = x.Permute(append(from(1, r-1), 0, r-1))
		}
		if c.flag(last) && x.Rank() > 1 {
			x = x.SwapAxes(-1, -2)
		}
		return x
	}
	return scaled(operand(0, "transBatchA", "transA").MatMul(operand(1, "transBatchB", "transB")), c.float("alpha"))
}

// fusedConv adds input 3 to a convolution before the activation.
func fusedConv(c *call) []value {
	y := conv(c)
	if c.err != nil {
		return nil
	}
	return one(c.activated(c.plus(y[0].node, 3)))
}

// biasSplitGelu multiplies the first half of the last axis by the Gelu of the second half.
func biasSplitGelu(c *call) []value {
	halves := c.x(0).Add(c.x(1)).Split(-1, slices.Repeat([]int{c.lastExtent(0) / 2}, 2)...)
	return one(halves[0].Mul(halves[1].GELU()))
}

// lastExtent returns the extent of the last axis of input i as a number.
func (c *call) lastExtent(i int) int {
	shape := c.x(i).Shape()
	if len(shape) == 0 {
		c.fail("input %d is a scalar", i)
		return 0
	}
	n, fixed := shape[len(shape)-1].Int()
	if !fixed {
		c.needShapes()
	}
	return n
}

// distances returns the distances of the rows of two matrices.
func distances(c *call) []value {
	y := c.x(0).Unsqueeze(1).Sub(c.x(1)).Square().Sum(-1)
	switch metric := c.text("metric"); metric {
	case "sqeuclidean":
		return one(y)
	case "euclidean":
		return one(y.Sqrt())
	default:
		return c.fail("metric %q: it must be euclidean or sqeuclidean", metric)
	}
}
