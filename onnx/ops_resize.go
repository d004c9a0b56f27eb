package onnx

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Resizing: each axis is sampled at other places, one axis after the other.

var resizing = []operator{
	{"Resize", 11, 12, 3, 4, ir.Numeric, resizeAttrs, resize},
	{"Resize", 13, 17, 1, 4, ir.Numeric, resizeAttrs, resize},
	{"Resize", 18, latest, 1, 4, ir.Numeric, attrs{
		"coordinate_transformation_mode": "half_pixel", "cubic_coeff_a": -0.75, "exclude_outside": 0, "extrapolation_value": 0.,
		"mode": "nearest", "nearest_mode": "round_prefer_floor", "antialias": 0, "axes": []int{}, "keep_aspect_ratio_policy": "stretch",
	}, resize},
	{"Upsample", 9, 9, 2, 2, ir.Numeric, attrs{"mode": "nearest"}, upsample},
}

var resizeAttrs = attrs{
	"coordinate_transformation_mode": "half_pixel", "cubic_coeff_a": -0.75, "exclude_outside": 0, "extrapolation_value": 0.,
	"mode": "nearest", "nearest_mode": "round_prefer_floor",
}

// places are the functions from an index of the result to the place in the operand.
var places = map[string]func(i, scale, from, to float64) float64{
	"half_pixel": func(i, scale, _, _ float64) float64 { return (i+0.5)/scale - 0.5 },
	"asymmetric": func(i, scale, _, _ float64) float64 { return i / scale },
	"align_corners": func(i, _, from, to float64) float64 {
		if to == 1 {
			return 0
		}
		return i * (from - 1) / (to - 1)
	},
	"pytorch_half_pixel": func(i, scale, _, to float64) float64 {
		if to == 1 {
			return 0
		}
		return (i+0.5)/scale - 0.5
	},
	"half_pixel_symmetric": func(i, scale, from, to float64) float64 {
		return from/2*(1-to/(scale*from)) + (i+0.5)/scale - 0.5
	},
}

// rounds are the functions from a place to an index.
var rounds = map[string]func(float64) float64{
	"round_prefer_floor": func(x float64) float64 { return math.Ceil(x - 0.5) },
	"round_prefer_ceil":  func(x float64) float64 { return math.Floor(x + 0.5) },
	"floor":              math.Floor,
	"ceil":               math.Ceil,
}

// sampling says how an axis is sampled.
type sampling struct {
	place  func(i, scale, from, to float64) float64
	round  func(float64) float64
	linear bool
}

func upsample(c *call) []value {
	s := sampling{places["asymmetric"], rounds["floor"], c.text("mode") == "linear"}
	return c.sampled(s, from(0, c.x(0).Rank()), c.floats(1), nil)
}

func resize(c *call) []value {
	s := sampling{place: places[c.text("coordinate_transformation_mode")], round: rounds[c.text("nearest_mode")], linear: c.text("mode") == "linear"}
	switch {
	case s.place == nil || s.round == nil:
		return c.fail("coordinate_transformation_mode %q with nearest_mode %q is not supported", c.text("coordinate_transformation_mode"), c.text("nearest_mode"))
	case !s.linear && c.text("mode") != "nearest":
		return c.fail("mode %q is not supported: nearest and linear are", c.text("mode"))
	case c.op.since >= 18 && (c.flag("antialias") || c.text("keep_aspect_ratio_policy") != "stretch"):
		return c.fail("antialias and keep_aspect_ratio_policy are not supported")
	}
	axes := optional[[]int](c, "axes")
	if len(axes) == 0 {
		axes = from(0, c.x(0).Rank())
	}
	if c.has(3) {
		return c.sampled(s, axes, nil, c.ints(3))
	}
	return c.sampled(s, axes, c.floats(2), nil)
}

// floats returns the elements of input i, which must be known at load.
func (c *call) floats(i int) []float64 {
	if !c.has(i) || c.in[i].kind != constant || c.in[i].tensor.Size() > mostSizes {
		c.fail("input %d must be a list of numbers that is known at load", i)
		return nil
	}
	v := []value{compute(c.in[i].asNode().Cast(graph.Float64))}
	if err := fold(v); err != nil {
		c.fail("%w", err)
		return nil
	}
	list, err := graph.Data[float64](v[0].tensor)
	if err != nil {
		c.fail("%w", err)
	}
	return list
}

// sampled samples axes, by scales or to sizes.
func (c *call) sampled(s sampling, axes []int, scales []float64, sizes []int) []value {
	x := c.x(0)
	if c.err != nil || len(scales)+len(sizes) != len(axes) {
		return c.fail("%d scales and %d sizes for %d axes", len(scales), len(sizes), len(axes))
	}
	for i, axis := range axes {
		if axis = c.wrapAxis(axis, x.Rank()); c.err != nil {
			return nil
		}
		if scales != nil && scales[i] == 1 {
			continue
		}
		extent, fixed := x.Shape()[axis].Int()
		if !fixed || extent < 1 {
			return c.fail("axis %d has the extent %s: it must be known at load and not 0", axis, x.Shape()[axis])
		}
		var to int
		var scale float64
		if scales != nil {
			scale = scales[i]
			to = int(float64(extent) * scale)
		} else {
			to = sizes[i]
			scale = float64(to) / float64(extent)
		}
		if !(scale > 0) || to < 1 || to > math.MaxInt32 {
			return c.fail("axis %d of extent %d is resized to %d", axis, extent, to)
		}
		x = s.axis(x, axis, extent, to, scale)
	}
	return one(x)
}

// axis samples one axis.
func (s sampling) axis(x graph.Node, axis, extent, to int, scale float64) graph.Node {
	clamp := func(at float64) int64 { return int64(min(max(at, 0), float64(extent-1))) }
	first, second, weight := make([]int64, to), make([]int64, to), make([]float32, to)
	repeats := to%extent == 0
	for i := range first {
		at := s.place(float64(i), scale, float64(extent), float64(to))
		if s.linear {
			at = min(max(at, 0), float64(extent-1))
			first[i], second[i], weight[i] = clamp(math.Floor(at)), clamp(math.Floor(at)+1), float32(at-math.Floor(at))
			continue
		}
		first[i] = clamp(s.round(at))
		repeats = repeats && first[i] == int64(i/(to/extent))
	}
	switch {
	case s.linear:
		w := alignAt(graph.Const(graph.Of(weight)).Cast(x.DType()), axis, x.Rank())
		a, b := x.Take(axis, graph.Of(first)), x.Take(axis, graph.Of(second))
		return a.Mul(w.Scalar(1).Sub(w)).Add(b.Mul(w))
	case repeats: // without an index for each element
		return x.Repeat(axis, to/extent)
	}
	return x.Take(axis, graph.Of(first))
}
