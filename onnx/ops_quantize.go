package onnx

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Quantization: an integer q stands for the float (q - zero point) * scale.

var quantization = []operator{
	{"ConvInteger", 10, latest, 2, 4, ir.Ints, windowAttrs(attrs{"dilations": []int{}, "group": 1}), convInteger},
	{"DequantizeLinear", 10, 12, 2, 3, ir.Ints, nil, dequantize},
	{"DequantizeLinear", 13, 20, 2, 3, ir.Ints | ir.Stored, attrs{"axis": 1}, dequantize},
	{"DequantizeLinear", 21, latest, 2, 3, ir.Ints | ir.Stored, attrs{"axis": 1, "block_size": 0, "output_dtype": 0}, dequantize},
	{"DynamicQuantizeLinear", 11, latest, 1, 1, ir.SetOf(graph.Float32), nil, dynamicQuantize},
	{"QLinearConv", 10, latest, 8, 9, ir.Ints, windowAttrs(attrs{"dilations": []int{}, "group": 1}), quantizedConv},
	{"QLinearMatMul", 10, latest, 8, 8, ir.SetOf(graph.Int8, graph.Uint8), nil, quantizedMatMul},
	{"QuantizeLinear", 10, 12, 2, 3, ir.Numeric, nil, quantize},
	{"QuantizeLinear", 13, 18, 2, 3, ir.Numeric, attrs{"axis": 1}, quantize},
	{"QuantizeLinear", 19, 20, 2, 3, ir.Numeric, attrs{"axis": 1, "saturate": 1}, quantize},
	{"QuantizeLinear", 21, latest, 2, 3, ir.Numeric, attrs{"axis": 1, "saturate": 1, "block_size": 0, "output_dtype": 0, "precision": 0}, quantize},
}

// quantizedBounds are the least and greatest numbers of the integers that floats are quantized to.
var quantizedBounds = map[graph.DType][2]float64{
	graph.Int8: {math.MinInt8, math.MaxInt8}, graph.Uint8: {0, math.MaxUint8},
	graph.Int16: {math.MinInt16, math.MaxInt16}, graph.Uint16: {0, math.MaxUint16},
	graph.Int4: {-8, 7}, graph.Uint4: {0, 15}, graph.Int2: {-2, 1}, graph.Uint2: {0, 3},
}

// saturated returns rounded floats as integers of a type.
func (c *call) saturated(x graph.Node, dt graph.DType) graph.Node {
	bounds, ok := quantizedBounds[dt]
	if !ok {
		c.fail("elements of %s are not supported as quantized ones", dt)
	}
	return x.Clip(bounds[0], bounds[1]).Cast(dt)
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
	y := x.Cast(precision).Div(c.spread(scale, x).Cast(precision))
	if !ir.Minifloats.Has(dt) {
		y = y.Round()
	}
	if c.has(2) {
		y = asFloat32(y).Add(asFloat32(c.spread(c.x(2), x)))
	}
	if last := saturating[dt]; last != 0 && (c.op.since < 19 || c.flag("saturate")) {
		return one(within(y, last).Cast(dt))
	}
	if ir.Minifloats.Has(dt) {
		return one(y.Cast(dt))
	}
	return one(c.saturated(y, dt))
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
	if ir.Minifloats.Has(x.DType()) { // whose zero point is 0
		return one(asFloat32(x).Mul(asFloat32(c.spread(scale, x))).Cast(dt))
	}
	y := asInt32(x)
	if c.has(2) {
		y = y.Sub(asInt32(c.spread(c.x(2), x)))
	}
	return one(asFloat32(y).Mul(asFloat32(c.spread(scale, x))).Cast(dt))
}

// spread returns a scale or a zero point so that it broadcasts with x: one for all, one for
// each index of an axis, or one for each block along it.
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
	if s.Rank() == 1 && x.Rank() > 1 {
		return alignAt(s, axis, x.Rank())
	}
	if _, ok := c.op.attrs["block_size"]; !ok || c.int("block_size") < 1 || s.Rank() != x.Rank() {
		c.fail("a scale or zero point %s for an operand %s", s.Shape(), x.Shape())
		return s
	}
	return s.Repeat(axis, c.int("block_size")).SliceAxis(axis, 0, bound(x.Shape()[axis]), 1)
}

// dynamicQuantize finds the scale and the zero point for uint8 from the elements.
func dynamicQuantize(c *call) []value {
	y, q := c.x(0).QuantizeDynamic(graph.Uint8)
	return []value{compute(y), compute(q.Scale), compute(q.Zero)}
}

func asInt32(x graph.Node) graph.Node { return x.Cast(graph.Int32) }

func asFloat32(x graph.Node) graph.Node { return x.Cast(graph.Float32) }

// perChannel returns input i, one for all or one for each channel of a kernel, so that it
// broadcasts with the kernel, or with a result if the channels are the second axis.
func (c *call) perChannel(i, axis, rank int) graph.Node {
	if c.x(i).Rank() == 1 && !c.x(i).Shape()[0].Is(1) {
		return alignAt(c.x(i), axis, rank)
	}
	return c.x(i).Reshape()
}

// convInteger convolves bytes in int32, each less its zero point.
func convInteger(c *call) []value {
	x, kernel := asInt32(c.x(0)), asInt32(c.x(1))
	if c.has(2) {
		x = x.Sub(asInt32(c.perChannel(2, 0, 0)))
	}
	if c.has(3) {
		kernel = kernel.Sub(asInt32(c.perChannel(3, 0, kernel.Rank())))
	}
	return one(c.convolved(x, kernel))
}

// quantizedConv convolves integers, and quantizes the results. The kernel's scale and zero
// point may be one for each channel.
func quantizedConv(c *call) []value {
	x, kernel := asInt32(c.x(0)), asInt32(c.x(3))
	rank := x.Rank()
	y := c.convolved(x.Sub(asInt32(c.x(2))), kernel.Sub(asInt32(c.perChannel(5, 0, rank))))
	if c.has(8) {
		y = y.Add(alignAt(c.x(8), 1, rank))
	}
	scale := asFloat32(c.x(1)).Mul(asFloat32(c.perChannel(4, 1, rank))).Div(asFloat32(c.x(6)))
	return one(c.saturated(asFloat32(y).Mul(scale).Round().Add(asFloat32(c.x(7))), c.in[7].dtype()))
}

// quantizedMatMul multiplies integers, and quantizes the products. Scales and zero points
// of the left operand may be one for each row, of the right one for each column.
func quantizedMatMul(c *call) []value {
	scale := asFloat32(c.perRow(1)).Mul(asFloat32(c.x(4))).Div(asFloat32(c.x(6)))
	y := asFloat32(c.integerProduct(0, 3, 2, 5)).Mul(scale).Round().Add(asFloat32(c.x(7)))
	return one(c.saturated(y, c.in[7].dtype()))
}
