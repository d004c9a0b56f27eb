package onnx

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Resizing resamples one axis after the other. This file reads the attributes and finds the extents; ops_resample.go
// resamples an axis.

var resizing = []operator{
	{"Resize", 10, 10, 2, 2, ir.AllTypes, attrs{"mode": "nearest"}, upsample},
	{"Resize", 11, 12, 3, 4, ir.AllTypes, resizeAttrs, resize},
	{"Resize", 13, 17, 1, 4, ir.AllTypes, resizeAttrs, resize},
	{"Resize", 18, latest, 1, 4, ir.AllTypes, attrs{
		"coordinate_transformation_mode": "half_pixel", "cubic_coeff_a": -0.75, "exclude_outside": 0, "extrapolation_value": 0.,
		"mode": "nearest", "nearest_mode": "round_prefer_floor", "antialias": 0, "axes": []int{}, "keep_aspect_ratio_policy": "stretch",
	}, resize},
	{"Upsample", 1, 6, 1, 1, ir.AllTypes, attrs{"mode": "nearest", "height_scale": unset{0.}, "width_scale": unset{0.}}, upsample},
	{"Upsample", 7, 8, 1, 1, ir.AllTypes, attrs{"mode": "nearest", "scales": unset{[]float64{}}}, upsample},
	{"Upsample", 9, 9, 2, 2, ir.AllTypes, attrs{"mode": "nearest"}, upsample},
}

var resizeAttrs = attrs{
	"coordinate_transformation_mode": "half_pixel", "cubic_coeff_a": -0.75, "exclude_outside": 0, "extrapolation_value": 0.,
	"mode": "nearest", "nearest_mode": "round_prefer_floor",
}

// upsample is Upsample and the first Resize, which have no attributes for positions and rounding: positions start at
// the first element and are rounded so that no element is skipped.
func upsample(c *call) []value {
	s := sampling{place: places["asymmetric"], round: rounds["floor"]}
	switch c.text("mode") {
	case "nearest":
	case "linear", "bilinear":
		s.weight, s.reach = triangle, 1
	default:
		return c.fail("mode %q: it must be nearest or linear", c.text("mode"))
	}
	var scales []float64
	switch {
	case c.op.most == 2:
		scales = c.floats(1)
	case c.op.since == 7:
		scales = need[[]float64](c, "scales")
	default:
		scales = []float64{1, 1, c.float("height_scale"), c.float("width_scale")}
	}
	s.shrink = rounds["ceil"]
	return c.resampled(s, from(0, c.x(0).Rank()), scales, nil)
}

func resize(c *call) []value {
	place, round := c.text("coordinate_transformation_mode"), c.text("nearest_mode")
	s := sampling{
		place: places[place], round: rounds[round], crop: place == "tf_crop_and_resize",
		irregular: !regular[place] || c.flag("exclude_outside"),
		inside:    c.flag("exclude_outside"), outside: c.float("extrapolation_value"),
	}
	if s.place == nil || s.round == nil {
		return c.fail("coordinate_transformation_mode %q with nearest_mode %q is not supported", place, round)
	}
	switch c.text("mode") {
	case "nearest":
	case "linear":
		s.weight, s.reach = triangle, 1
	case "cubic":
		s.weight, s.reach = cubic(c.float("cubic_coeff_a")), 2
	default:
		return c.fail("mode %q: it must be nearest, linear or cubic", c.text("mode"))
	}
	axes, policy := optional[[]int](c, "axes"), "stretch"
	if c.op.since >= 18 {
		s.stretch, policy = c.flag("antialias") && s.weight != nil, c.text("keep_aspect_ratio_policy")
	}
	if len(axes) == 0 {
		axes = from(0, c.x(0).Rank())
	}
	if s.crop {
		if s.roi = c.floats(1); len(s.roi) != 2*len(axes) {
			return c.fail("roi has %d numbers: it must have two for each of %d axes", len(s.roi), len(axes))
		}
	}
	if !c.has(3) {
		return c.resampled(s, axes, c.floats(2), nil)
	}
	sizes := c.sizes(3)
	if policy != "stretch" {
		sizes = c.aspect(policy, axes, sizes)
	}
	return c.resampled(s, axes, nil, sizes)
}

// aspect returns extents in the proportions of the operand: the largest that don't exceed the given ones, or the
// smallest that are not below them.
func (c *call) aspect(policy string, axes []int, sizes []graph.Extent) []graph.Extent {
	pick := map[string]func([]float64) float64{"not_larger": slices.Min[[]float64], "not_smaller": slices.Max[[]float64]}[policy]
	if pick == nil || len(axes) != len(sizes) || len(axes) == 0 {
		c.fail("keep_aspect_ratio_policy %q with %d sizes for %d axes", policy, len(sizes), len(axes))
		return nil
	}
	scales := make([]float64, len(axes))
	for i, axis := range axes {
		scales[i] = float64(c.sizeNumber(sizes[i])) / float64(c.extent(axis))
	}
	out := make([]graph.Extent, len(sizes))
	for i, axis := range axes {
		out[i] = ir.Fixed(int(math.Floor(float64(pick(scales)*float64(c.extent(axis))) + 0.5)))
	}
	return out
}

// sizeNumber returns the number of a new extent.
func (c *call) sizeNumber(d graph.Extent) int {
	n, fixed := d.Int()
	if !fixed {
		c.fail("the new extent %s must be known at load: WithSize gives a size a number", d)
	}
	return n
}

// extent returns the extent of an axis of input 0, which must be known at load and not 0.
func (c *call) extent(axis int) int {
	shape := c.x(0).Shape()
	if axis = c.wrapAxis(axis, len(shape)); c.err != nil {
		return 1
	}
	n, fixed := shape[axis].Int()
	if !fixed || n < 1 {
		c.fail("axis %d has the extent %s: it must be known at load and not 0: WithSize gives a size a number", axis, shape[axis])
		return 1
	}
	return n
}

// resampled samples axes, by scales or to sizes.
func (c *call) resampled(s sampling, axes []int, scales []float64, sizes []graph.Extent) []value {
	x := c.x(0)
	if c.err != nil || len(scales)+len(sizes) != len(axes) {
		return c.fail("%d scales and %d sizes for %d axes", len(scales), len(sizes), len(axes))
	}
	if s.weight != nil && !ir.Numeric.Has(x.DType()) {
		return c.fail("elements of %s are resized by mode nearest alone", x.DType())
	}
	y := s.wide(x)
	for i, axis := range axes {
		if !c.good(y) {
			return nil
		}
		if axis = c.wrapAxis(axis, x.Rank()); c.err != nil {
			return nil
		}
		from := x.Shape()[axis]
		a := resampling{end: 1}
		if s.crop {
			a.begin, a.end = s.roi[i], s.roi[len(axes)+i]
		}
		whole := a.begin == 0 && a.end == 1
		if whole && (scales != nil && scales[i] == 1 || sizes != nil && sizes[i] == from) {
			continue
		}
		times := 0
		switch {
		case s.irregular || s.crop:
		case scales != nil:
			times = wholeNumber(scales[i])
		default:
			times = multiple(from, sizes[i])
		}
		_, fixed := from.Int()
		if times > 0 && (!fixed || s.weight == nil || times <= fewTimes) {
			if c.spend(times * s.taps(resampling{scale: float64(times)})); c.err != nil {
				return nil
			}
			if y = s.multiplied(y, axis, times); sizes != nil {
				y = reextended(y, axis, sizes[i])
			}
			continue
		}
		a.from = c.extent(axis)
		if scales != nil {
			a.scale = scales[i]
			a.to = int(float32(a.scale) * float32(a.from) * float32(a.end-a.begin)) // in float32, as onnxruntime computes it
		} else {
			a.to = c.sizeNumber(sizes[i])
			a.scale = float64(float32(a.to) / float32(a.from))
		}
		if c.err != nil || !(a.scale > 0) || a.to < 1 || a.to > mostWeights || a.width() > math.MaxInt32 {
			return c.fail("axis %d of extent %d is resized to %d", axis, a.from, a.to)
		}
		if whole && a.to == a.from && a.scale == 1 {
			continue
		}
		if n := s.taps(a); n > mostTaps || n*a.to > mostWeights {
			return c.fail("axis %d of extent %d is resized to %d: each element is of %d, which are up to %d, and %d together", axis, a.from, a.to, n, mostTaps, mostWeights)
		}
		if c.spend(s.taps(a)); c.err != nil {
			return nil
		}
		y = s.axis(y, axis, a)
	}
	return one(narrowed(y, x.DType()))
}

// mostTimes is the largest factor for a symbolic extent. Up to fewTimes this is faster than to gather weighted
// elements.
const (
	mostTimes = 64
	fewTimes  = 8
)

// wholeNumber returns a scale if it is an integer, otherwise 0.
func wholeNumber(scale float64) int {
	if n := int(scale); n >= 1 && n <= mostTimes && float64(n) == scale {
		return n
	}
	return 0
}

// multiple returns the factor from an extent to a new one, if it is an integer or may be once sizes are bound;
// otherwise 0.
func multiple(from, to graph.Extent) int {
	for n := 1; n <= mostTimes; n++ {
		if to.MayEqual(from.Mul(ir.Fixed(n))) {
			return n
		}
	}
	return 0
}

// reextended returns x with an axis that has this extent; a run in which it has another fails.
func reextended(x graph.Node, axis int, d graph.Extent) graph.Node {
	shape := slices.Clone(x.Shape())
	shape[axis] = d
	return x.Reshape(shape)
}

// floats returns the elements of input i as numbers.
func (c *call) floats(i int) []float64 {
	if !c.has(i) {
		c.fail("input %d is missing", i)
		return nil
	}
	of := c.known(i)
	if c.err != nil || of.kind != constant || of.tensor.Size() > mostElems {
		c.fail("input %d must be a list of up to %d numbers", i, mostElems)
		return nil
	}
	v := []value{compute(of.asNode().Cast(graph.Float64))}
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
