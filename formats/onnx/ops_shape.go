package onnx

import (
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Operators on shapes: those that return or change a shape without moving elements, and constants.

// inputAxes are the attributes of an operator whose axes changed from an attribute to an input.
var inputAxes = attrs{"axes": unset{[]int{}}}

var shapes = []operator{
	{"Constant", 1, latest, 0, 0, 0, attrs{
		"value": unset{(*graph.Tensor)(nil)}, "value_float": unset{0.}, "value_floats": unset{[]float64{}},
		"value_int": unset{0}, "value_ints": unset{[]int{}}, "value_string": unset{""}, "value_strings": unset{[]string{}},
	}, constants},
	{"ConstantOfShape", 9, latest, 1, 1, ir.Ints, attrs{"value": unset{(*graph.Tensor)(nil)}}, constantOfShape},
	{"Dropout", 1, 6, 1, 1, ir.Floats, attrs{"is_test": 0, "ratio": 0.5}, dropout},
	{"Dropout", 7, 9, 1, 1, ir.Floats, attrs{"ratio": 0.5}, dropout},
	{"Dropout", 10, 11, 1, 1, ir.Floats, attrs{"ratio": 0.5}, dropout},
	{"Dropout", 12, latest, 1, 3, ir.Floats, attrs{"seed": unset{0}}, dropout},
	{"Expand", 8, latest, 2, 2, ir.AllTypes, nil, expand},
	{"Flatten", 1, latest, 1, 1, ir.AllTypes, attrs{"axis": 1}, flatten},
	{"Identity", 1, latest, 1, 1, anything, nil, func(c *call) []value { return []value{c.in[0]} }},
	{"Reshape", 1, 4, 1, 1, ir.AllTypes, attrs{"shape": unset{[]int{}}}, reshape},
	{"Reshape", 5, 13, 2, 2, ir.AllTypes, nil, reshape},
	{"Reshape", 14, latest, 2, 2, ir.AllTypes, attrs{"allowzero": 0}, reshape},
	{"Shape", 1, 14, 1, 1, ir.AllTypes, nil, shapeOf},
	{"Shape", 15, latest, 1, 1, ir.AllTypes, attrs{"start": 0, "end": unset{0}}, shapeOf},
	{"Size", 1, latest, 1, 1, ir.AllTypes, nil, func(c *call) []value {
		return []value{sizesOf([]graph.Extent{product(c.in[0].shape())}, true)}
	}},
	{"Squeeze", 1, 12, 1, 1, ir.AllTypes, inputAxes, squeeze},
	{"Squeeze", 13, latest, 1, 2, ir.AllTypes, nil, squeeze},
	{"Unsqueeze", 1, 12, 1, 1, ir.AllTypes, inputAxes, unsqueeze},
	{"Unsqueeze", 13, latest, 2, 2, ir.AllTypes, nil, unsqueeze},
}

func constants(c *call) []value {
	for _, v := range c.node.attrs {
		if len(c.node.attrs) > 1 {
			break
		}
		switch v := v.(type) {
		case *graph.Tensor:
			return []value{c.model.constant(v)}
		case float64:
			return []value{constantOf(graph.ScalarOf(float32(v)))}
		case int:
			return []value{constantOf(graph.ScalarOf(int64(v)))}
		case []float64:
			return []value{constantOf(graph.Of(converted[float32](v)))}
		case []int:
			return []value{constantOf(graph.Of(converted[int64](v)))}
		case string:
			return []value{{kind: constant, tensor: graph.ScalarOf(c.model.words.of(v)), text: true}}
		case []string:
			return []value{{kind: constant, tensor: graph.Of(mapped(v, c.model.words.of)), text: true}}
		}
	}
	return c.fail("%d values: there must be one, a tensor, numbers or strings", len(c.node.attrs))
}

func converted[To float32 | int64, From float64 | int](in []From) []To {
	out := make([]To, len(in))
	for i, v := range in {
		out[i] = To(v)
	}
	return out
}

func constantOfShape(c *call) []value {
	sizes := c.sizes(0)
	t, ok := attr[*graph.Tensor](c, "value")
	if !ok {
		t = graph.Of([]float32{0})
	}
	if t.Size() != 1 {
		return c.fail("the value has %d elements: it must have one", t.Size())
	}
	return one(constantNode(t).Reshape().BroadcastTo(graph.Shape(sizes)))
}

// dropout drops nothing, as in inference, or in training with ratio 0. The second output is the mask; in the first
// versions ones of the operand's type.
func dropout(c *call) []value {
	if c.has(2) {
		if on := c.truth(c.in[2], "training_mode"); on && (!c.has(1) || !slices.Equal(c.floats(1), []float64{0})) {
			return c.fail("training_mode is on: what is dropped would be random")
		}
	}
	kept := graph.Fill(graph.Bool, true, c.in[0].shape())
	if c.op.until < 10 {
		kept = kept.Cast(c.in[0].dtype())
	}
	return []value{c.in[0], compute(kept)}
}

// expand broadcasts both ways: an extent of 1 in the shape keeps that of the operand.
func expand(c *call) []value {
	x, to := c.x(0), slices.Clone(graph.Shape(c.sizes(1)))
	have := x.Shape()
	for len(to) < len(have) {
		to = append(graph.Shape{ir.Fixed(1)}, to...)
	}
	for k, d := range have {
		if at := len(to) - len(have) + k; to[at].Is(1) {
			to[at] = d
		}
	}
	return one(x.BroadcastTo(to))
}

func flatten(c *call) []value {
	x := c.x(0)
	shape := x.Shape()
	axis := c.int("axis")
	if axis < 0 {
		axis += len(shape)
	}
	if axis < 0 || axis > len(shape) {
		return c.fail("axis %d of %d axes", c.int("axis"), len(shape))
	}
	return one(x.Reshape(product(shape[:axis]), product(shape[axis:])))
}

// reshape keeps the operand's extent where the shape has 0.
func reshape(c *call) []value {
	var to graph.Shape
	copies := true
	switch {
	case c.op.most == 1:
		to = ir.ShapeOf(need[[]int](c, "shape")...)
	case c.op.since >= 14:
		copies = !c.flag("allowzero")
		fallthrough
	default:
		to = append(to, c.sizes(1)...)
	}
	x := c.x(0)
	have := x.Shape()
	for k, d := range to {
		if d.Is(0) && copies {
			if k >= len(have) {
				return c.fail("extent %d is to be copied from an operand of %d axes", k, len(have))
			}
			to[k] = have[k]
		}
	}
	return one(x.Reshape(to))
}

func shapeOf(c *call) []value {
	shape := c.in[0].shape()
	start, end := 0, len(shape)
	if c.op.since >= 15 {
		start = clipIndex(c.int("start"), len(shape))
		if e, ok := attr[int](c, "end"); ok {
			end = clipIndex(e, len(shape))
		}
	}
	return []value{sizesOfShape(shape[min(start, end):end])}
}

// clipIndex converts a negative index to one from the front, and clips it to [0, n].
func clipIndex(i, n int) int {
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n)
}

// axes returns the axes of input 1 or of the attribute. ok is false if neither is given.
func (c *call) axes() (axes []int, ok bool) {
	if _, old := c.op.attrs["axes"]; old {
		return attr[[]int](c, "axes")
	}
	if !c.has(1) {
		return nil, false
	}
	return c.ints(1), true
}

func squeeze(c *call) []value {
	axes, ok := c.axes()
	if !ok {
		for axis, d := range c.x(0).Shape() {
			if _, fixed := d.Int(); !fixed {
				return c.fail("axes are missing, and axis %d goes if its extent %s is 1: give that with WithSize", axis, d)
			}
		}
		return one(c.x(0).Squeeze())
	}
	if len(axes) == 0 {
		return []value{c.in[0]}
	}
	return one(c.x(0).Squeeze(axes))
}

func unsqueeze(c *call) []value {
	axes, ok := c.axes()
	if !ok {
		return c.fail("axes are missing")
	}
	return one(c.x(0).Unsqueeze(axes))
}
