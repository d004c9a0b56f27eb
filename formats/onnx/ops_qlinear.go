package onnx

import (
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Operators of the domain com.microsoft on quantized tensors: each computes in float32 on what its inputs represent, and
// quantizes the result. A scale and a zero point follow each tensor among the inputs.

var quantizedOps = []operator{
	{"com.microsoft.DequantizeLinear", 1, latest, 2, 3, ir.Ints, attrs{"axis": 1}, dequantize},
	{"com.microsoft.NhwcMaxPool", 1, latest, 1, 1, bytes, windowAttrs(attrs{"ceil_mode": 0, "dilations": []int{}}), nhwcMaxPool},
	{"com.microsoft.QLinearAdd", 1, latest, 2, 8, bytes, nil, func(c *call) []value { return c.quantized(c.real(0, 1, 2).Add(c.real(3, 4, 5)), 6, 7) }},
	{"com.microsoft.QLinearAveragePool", 1, latest, 2, 5, bytes, windowAttrs(attrs{"ceil_mode": 0, "channels_last": 0, "count_include_pad": 0}), qlinearAveragePool},
	{"com.microsoft.QLinearConcat", 1, latest, 5, many, ir.SetOf(graph.Float32), attrs{"axis": unset{0}}, qlinearConcat},
	{"com.microsoft.QLinearConv", 1, latest, 8, 9, bytes, windowAttrs(attrs{"channels_last": 0, "dilations": []int{}, "group": 1}), qlinearConv},
	{"com.microsoft.QLinearGlobalAveragePool", 1, latest, 2, 5, bytes, attrs{"channels_last": 0}, func(c *call) []value {
		x := c.real(0, 1, 2)
		if !c.good(x) {
			return nil
		}
		axes := from(2, x.Rank())
		if c.flag("channels_last") {
			axes = from(1, x.Rank()-1)
		}
		return c.quantized(x.Mean(axes, graph.KeepDims), 3, 4)
	}},
	{"com.microsoft.QLinearLeakyRelu", 1, latest, 2, 5, bytes, attrs{"alpha": exactly(0.01)}, func(c *call) []value {
		return c.quantized(c.real(0, 1, 2).LeakyReLU(c.float("alpha")), 3, 4)
	}},
	{"com.microsoft.QLinearMul", 1, latest, 2, 8, bytes, nil, func(c *call) []value { return c.quantized(c.real(0, 1, 2).Mul(c.real(3, 4, 5)), 6, 7) }},
	{"com.microsoft.QLinearReduceMean", 1, latest, 2, 5, bytes, attrs{"axes": []int{}, "keepdims": 1}, func(c *call) []value {
		x, axes := c.real(0, 1, 2), c.list("axes")
		if len(axes) == 0 {
			axes = from(0, x.Rank())
		}
		args := []any{axes}
		if c.flag("keepdims") {
			args = append(args, graph.KeepDims)
		}
		return c.quantized(x.Mean(args...), 3, 4)
	}},
	{"com.microsoft.QLinearSigmoid", 1, latest, 2, 5, bytes, nil, func(c *call) []value { return c.quantized(c.real(0, 1, 2).Sigmoid(), 3, 4) }},
	{"com.microsoft.QLinearSoftmax", 1, latest, 2, 5, bytes, attrs{"axis": -1, "opset": unset{0}}, func(c *call) []value {
		x := c.real(0, 1, 2)
		axes := []int{c.axis(x.Rank())}
		if c.int("opset") < 13 {
			axes = from(axes[0], x.Rank())
		}
		return c.quantized(x.Softmax(axes), 3, 4)
	}},
	{"com.microsoft.QLinearWhere", 1, latest, 9, 9, ir.Bools, nil, func(c *call) []value {
		return c.quantized(graph.Where(c.x(0), c.real(1, 2, 3), c.real(4, 5, 6)), 7, 8)
	}},
	{"com.microsoft.QuantizeLinear", 1, latest, 2, 3, ir.Floats, attrs{"axis": 1}, quantize},
}

// real returns the numbers that quantized input i represents, with the scale and the zero point of other inputs.
func (c *call) real(i, scale, zero int) graph.Node {
	x := c.x(i).Cast(graph.Int32)
	if c.has(zero) {
		x = x.Sub(c.x(zero).Reshape().Cast(graph.Int32))
	}
	return asFloat32(x).Mul(asFloat32(c.x(scale)).Reshape())
}

// quantized quantizes a result to the type of input 0, or of the zero point if there is one.
func (c *call) quantized(y graph.Node, scale, zero int) []value {
	q := graph.Quantization{DType: c.in[0].dtype(), Scale: asFloat32(c.x(scale)).Reshape()}
	if q.Zero = graph.Scalar(q.DType, 0); c.has(zero) {
		q.DType, q.Zero = c.in[zero].dtype(), c.x(zero).Reshape()
	}
	if !bytes.Has(q.DType) {
		return c.fail("a result of %s: it must be int8 or uint8", q.DType)
	}
	return one(y.Quantize(q))
}

// channelsFirst moves the channels from the last axis to the second, and channelsLast moves them back.
func channelsFirst(x graph.Node) graph.Node {
	return x.Permute(slices.Concat([]int{0, x.Rank() - 1}, from(1, x.Rank()-1)))
}

func channelsLast(x graph.Node) graph.Node {
	return x.Permute(slices.Concat([]int{0}, from(2, x.Rank()), []int{1}))
}

func nhwcMaxPool(c *call) []value {
	x := channelsFirst(c.x(0))
	o := c.windows(x, nil)
	if c.err != nil {
		return nil
	}
	return one(channelsLast(x.MaxPool(o)))
}

func qlinearAveragePool(c *call) []value {
	x := c.real(0, 1, 2)
	if !c.good(x) {
		return nil
	}
	last := c.flag("channels_last")
	if last {
		x = channelsFirst(x)
	}
	o := c.windows(x, nil)
	if c.err != nil {
		return nil
	}
	if x = x.AvgPool(o); last {
		x = channelsLast(x)
	}
	return c.quantized(x, 3, 4)
}

// qlinearConcat takes the scale and the zero point of the result first.
func qlinearConcat(c *call) []value {
	if len(c.in)%3 != 2 {
		return c.fail("%d inputs: two for the result and three for each operand", len(c.in))
	}
	var parts []graph.Node
	for i := 2; i < len(c.in); i += 3 {
		parts = append(parts, c.real(i, i+1, i+2))
	}
	return c.quantized(graph.Concat(c.int("axis"), parts...), 0, 1)
}

// qlinearConv is QLinearConv, perhaps of images with the channels as last axis. Kernels have the axes of ONNX.
func qlinearConv(c *call) []value {
	if !c.flag("channels_last") {
		return quantizedConv(c)
	}
	c.in = slices.Clone(c.in)
	c.in[0] = compute(channelsFirst(c.x(0)))
	out := quantizedConv(c)
	if c.err != nil {
		return nil
	}
	return one(channelsLast(out[0].node))
}
