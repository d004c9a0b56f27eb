package onnx

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Quantization: an integer q represents the float (q - zero point) * scale.

// bytes are the types of quantized products.
var bytes = ir.SetOf(graph.Int8, graph.Uint8)

var quantization = []operator{
	{"ConvInteger", 10, latest, 2, 4, bytes, windowAttrs(attrs{"dilations": []int{}, "group": 1}), convInteger},
	{"DequantizeLinear", 10, 12, 2, 3, ir.Ints, nil, dequantize},
	{"DequantizeLinear", 13, 20, 2, 3, ir.Ints | ir.Stored, attrs{"axis": 1}, dequantize},
	{"DequantizeLinear", 21, latest, 2, 3, ir.Ints | ir.Stored, attrs{"axis": 1, "block_size": 0, "output_dtype": 0}, dequantize},
	{"DynamicQuantizeLinear", 11, latest, 1, 1, ir.SetOf(graph.Float32), nil, dynamicQuantize},
	{"QLinearConv", 10, latest, 8, 9, bytes, windowAttrs(attrs{"dilations": []int{}, "group": 1}), quantizedConv},
	{"QLinearMatMul", 10, latest, 8, 8, bytes, nil, quantizedMatMul},
	{"QuantizeLinear", 10, 12, 2, 3, ir.Numeric, nil, quantize},
	{"QuantizeLinear", 13, 18, 2, 3, ir.Numeric, attrs{"axis": 1}, quantize},
	{"QuantizeLinear", 19, 20, 2, 3, ir.Numeric, attrs{"axis": 1, "saturate": 1}, quantize},
	{"QuantizeLinear", 21, latest, 2, 3, ir.Numeric, attrs{"axis": 1, "saturate": 1, "block_size": 0, "output_dtype": 0, "precision": 0}, quantize},
}

func quantize(c *call) []value {
	x, scale := c.x(0), c.x(1)
	dt := graph.Uint8
	if c.has(2) {
		dt = c.in[2].dtype()
	} else if c.op.since >= 21 && c.int("output_dtype") != 0 {
		dt = c.typeNamed("output_dtype")
	}
	precision := scale.DType()
	switch {
	case c.op.since >= 21 && c.int("precision") != 0:
		precision = c.typeNamed("precision")
	case ir.Stored.Has(precision):
		precision = graph.Float32
	}
	scale = c.spread(scale, x).Cast(precision)
	if !ir.Minifloats.Has(dt) {
		return one(x.Quantize(graph.Quantization{DType: dt, Scale: scale, Zero: c.zero(x, dt)}))
	}
	y := x.Cast(precision).Div(scale)
	if c.has(2) {
		y = asFloat32(y).Add(asFloat32(c.spread(c.x(2), x)))
	}
	if last := saturating[dt]; last != 0 && (c.op.since < 19 || c.flag("saturate")) {
		y = within(y, last)
	}
	return one(y.Cast(dt))
}

func dequantize(c *call) []value {
	x, scale := c.x(0), c.x(1)
	dt := scale.DType()
	switch {
	case c.op.since >= 21 && c.int("output_dtype") != 0:
		dt = c.typeNamed("output_dtype")
	case ir.Stored.Has(dt):
		dt = graph.Float32
	}
	scale = asFloat32(c.spread(scale, x))
	if ir.Minifloats.Has(x.DType()) { // these types have the zero point 0
		return one(asFloat32(x).Mul(scale).Cast(dt))
	}
	return one(x.Dequantize(graph.Quantization{DType: x.DType(), Scale: scale, Zero: c.zero(x, x.DType())}).Cast(dt))
}

// zero returns the zero point, input 2, for a quantized type, as a view that broadcasts with x.
func (c *call) zero(x graph.Node, dt graph.DType) graph.Node {
	if !c.has(2) {
		return graph.Scalar(dt, 0)
	}
	return c.spread(c.x(2), x)
}

// spread returns a scale or a zero point as a view that broadcasts with x. It is a scalar, or has one element for each
// index of an axis or for each block along it.
func (c *call) spread(s, x graph.Node) graph.Node {
	if s.Rank() == 0 || s.Rank() == 1 && s.Shape()[0].Is(1) {
		return s.Reshape()
	}
	axis := 1
	if _, ok := c.op.attrs["axis"]; ok {
		axis = c.int("axis")
	}
	if axis = c.wrapAxis(axis, x.Rank()); c.err != nil {
		return s
	}
	if _, ok := c.op.attrs["block_size"]; ok && c.int("block_size") > 0 && s.Rank() == x.Rank() {
		return s.Repeat(axis, c.int("block_size")).SliceAxis(axis, 0, bound(x.Shape()[axis]), 1)
	}
	if s.Rank() != 1 {
		c.fail("a scale or zero point %s for an operand %s", s.Shape(), x.Shape())
		return s
	}
	s = alignAt(s, axis, x.Rank())
	for range x.Rank() - s.Rank() { // a vector belongs to the first axis
		s = s.Unsqueeze(0)
	}
	return s
}

// dynamicQuantize computes scale and zero point for uint8 from the elements.
func dynamicQuantize(c *call) []value {
	y, q := c.x(0).QuantizeDynamic(graph.Uint8)
	return []value{compute(y), compute(q.Scale), compute(q.Zero)}
}

func asFloat32(x graph.Node) graph.Node { return x.Cast(graph.Float32) }

// perChannel returns input i, a scalar or one element per channel, as a view that broadcasts with a kernel, or with a
// result whose second axis is the channels.
func (c *call) perChannel(i, axis, rank int) graph.Node {
	if c.x(i).Rank() == 1 && !c.x(i).Shape()[0].Is(1) {
		return alignAt(c.x(i), axis, rank)
	}
	return c.x(i).Reshape()
}

// convInteger convolves bytes minus their zero points, in int32.
func convInteger(c *call) []value { return one(c.integerConv(0, 1, 2, 3)) }

// integerConv returns the convolution of two inputs minus their zero points, which are optional inputs: scalars, or for
// the kernel one element per channel.
func (c *call) integerConv(x, kernel, xZero, kernelZero int) graph.Node {
	w := c.x(kernel)
	var zx, zw any
	if c.has(xZero) {
		zx = c.perChannel(xZero, 0, 0)
	}
	if c.has(kernelZero) {
		zw = c.perChannel(kernelZero, 0, w.Rank())
	}
	o := c.windows(c.x(x), c.kernel(w))
	if c.err != nil {
		return w
	}
	return c.x(x).ConvInteger(w, zx, zw, c.convOptions(o))
}

// quantizedConv convolves integers and quantizes the results. The kernel's scale and zero point may have one element
// per channel.
func quantizedConv(c *call) []value {
	y, rank := c.integerConv(0, 3, 2, 5), c.x(0).Rank()
	if c.has(8) {
		y = y.Add(alignAt(c.x(8), 1, rank))
	}
	return c.requantized(y, asFloat32(c.x(1)).Mul(asFloat32(c.perChannel(4, 1, rank))))
}

// quantizedMatMul multiplies integers and quantizes the products. Scales and zero points may have one element per row
// of the left operand and per column of the right operand.
func quantizedMatMul(c *call) []value {
	return c.requantized(c.integerProduct(0, 3, 2, 5), asFloat32(c.perRow(1)).Mul(asFloat32(c.x(4))))
}

// requantized quantizes y * scale to the scale and zero point of inputs 6 and 7.
func (c *call) requantized(y, scale graph.Node) []value {
	scale = scale.Div(asFloat32(c.x(6)))
	return one(asFloat32(y).Mul(scale).Quantize(graph.Quantization{DType: c.in[7].dtype(), Scale: graph.Scalar(graph.Float32, 1), Zero: c.x(7).Reshape()}))
}
