package onnx

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Sampling at positions given as data: GridSample, and the grids of affine maps. ops_spots.go finds the elements around
// a position.

var samplings = []operator{
	{"AffineGrid", 20, latest, 2, 2, ir.Floats, attrs{"align_corners": 0}, affineGrid},
	{"DeformConv", 19, latest, 3, 5, ir.Floats, attrs{
		"dilations": []int{}, "group": 1, "kernel_shape": []int{}, "offset_group": 1, "pads": []int{}, "strides": []int{},
	}, deformConv},
	{"GridSample", 16, 19, 2, 2, ir.AllTypes, attrs{"align_corners": 0, "mode": "bilinear", "padding_mode": "zeros"}, gridSample},
	{"GridSample", 20, latest, 2, 2, ir.AllTypes, attrs{"align_corners": 0, "mode": "linear", "padding_mode": "zeros"}, gridSample},
}

// gridSample samples x [n, c, spatial axes] at positions [n, spatial axes of the result, axes], which go from -1 to 1
// along each axis, the last axis first.
func gridSample(c *call) []value {
	x, grid := c.x(0), c.x(1)
	rank := x.Rank() - 2
	if !grid.Shape()[rank+1].Is(rank) {
		return c.fail("an operand of shape %s and a grid of shape %s: it must have places of as many numbers as there are spatial axes", x.Shape(), grid.Shape())
	}
	reach, places := c.reach(), widened(grid)
	var spots [][]spot
	c.spend(int(min(math.Pow(float64(max(1, 2*reach)), float64(rank)), mostNodes)))
	for k := range rank {
		b := c.border(x.Shape()[2+k])
		if c.err != nil {
			return nil
		}
		at := places.Index(-1, rank-1-k).Reshape(grid.Shape()[0], 1, -1)
		at = at.Add(1).Mul((b.top - b.low) / 2).Add(b.low)
		if reach == 0 {
			spots = append(spots, []spot{b.spot(b.reflected(at.Round()))})
		} else {
			spots = append(spots, b.around(b.reflected(at), reach))
		}
	}
	y := x
	if reach > 0 {
		y = widened(x)
	}
	y = sampledAt(y, spots).Cast(x.DType())
	return one(y.Reshape(x.Shape()[:2], grid.Shape()[1:rank+1]))
}

// reach returns how far from a position elements count, by the attribute mode: 0 for only the nearest.
func (c *call) reach() int {
	n, ok := map[string]int{"nearest": 0, "linear": 1, "bilinear": 1, "cubic": 2, "bicubic": 2}[c.text("mode")]
	switch {
	case !ok:
		c.fail("mode %q: it must be nearest, linear or cubic", c.text("mode"))
	case n > 0 && !ir.Floats.Has(c.x(0).DType()):
		c.fail("elements of %s are sampled by mode nearest alone", c.x(0).DType())
	}
	return n
}

// border reads the attributes align_corners and padding_mode for an axis.
func (c *call) border(d graph.Extent) border {
	n, fixed := d.Int()
	b := border{extent: n, low: -0.5, top: float64(n) - 0.5, padding: c.text("padding_mode")}
	if !fixed || n < 1 {
		c.fail("a spatial axis of extent %s: it must be known at load and not 0", d)
	}
	if !slices.Contains([]string{"zeros", "border", "reflection"}, b.padding) {
		c.fail("padding_mode %q: it must be zeros, border or reflection", b.padding)
	}
	if c.flag("align_corners") {
		b.low, b.top = 0, float64(n-1)
	}
	return b
}

// affineGrid maps the positions of an image with given extents by matrices [n, axes, axes+1].
func affineGrid(c *call) []value {
	theta, size := c.x(0), c.ints(1)
	rank := len(size) - 2
	if c.err != nil || rank != 2 && rank != 3 || theta.Rank() != 3 || !theta.Shape()[1].Is(rank) || !theta.Shape()[2].Is(rank+1) {
		return c.fail("matrices of shape %s for an image of %v: they must be [n, 2, 3] for [n, c, h, w], [n, 3, 4] for [n, c, d, h, w]", theta.Shape(), size)
	}
	wide := theta.Cast(graph.Float64)
	column := func(k int) graph.Node { // [n, 1 for each axis of the image, axes]
		m := wide.Index(-1, k)
		for range rank {
			m = m.Unsqueeze(1)
		}
		return m
	}
	y := column(rank)
	for k, n := range size[2:] {
		if n < 1 || n > mostExtent {
			return c.fail("an image of %v: extents must be 1 to %d", size, mostExtent)
		}
		step := 2 / float64(n)
		first := float64(step/2) - 1
		if c.flag("align_corners") {
			step, first = 2/math.Max(1, float64(n-1)), -1
		}
		place := alignAt(graph.Iota(graph.Float64, n).Mul(step).Add(first), k, rank+1)
		y = y.Add(place.Mul(column(rank - 1 - k)))
	}
	return one(y.Cast(theta.DType()))
}

// deformConv convolves elements at positions moved by offsets, one for each element of a window in the order of the
// spatial axes, and multiplies them by a mask.
func deformConv(c *call) []value {
	x, w, offset := c.x(0), c.x(1), c.x(2)
	size := c.kernel(w)
	strides, dilations, pads := c.each("strides", 2, 1), c.each("dilations", 2, 1), c.each("pads", 4, 0)
	groups, parts := c.int("group"), c.int("offset_group")
	channels, known := x.Shape()[1].Int()
	filters, fixed := w.Shape()[0].Int()
	extents, found := x.Shape()[2:].Ints()
	out, sized := offset.Shape()[2:].Ints()
	if c.err != nil || !known || !fixed || !found || !sized || min(groups, parts) < 1 || channels%parts != 0 || filters%groups != 0 || channels%groups != 0 {
		return c.fail("operands of shape %s and %s for %d groups and %d groups of offsets: all but the batch must be known at load, and multiples of the groups", x.Shape(), w.Shape(), groups, parts)
	}
	elements, ok := product(w.Shape()[2:]).Int()
	if !ok || !offset.Shape()[1].Is(2*parts*elements) || c.has(4) && !c.x(4).Shape()[1:].Equal(ir.ShapeOf(parts*elements, out[0], out[1])) {
		return c.fail("offsets of shape %s for windows %v in %d groups: there are two for each element of a window, and one of a mask", offset.Shape(), size, parts)
	}
	batch := x.Shape()[0]
	offset = widened(offset).Reshape(batch, parts, elements, 2, out[0]*out[1])
	var spots [][]spot
	for k := range 2 {
		b := border{extent: extents[k], top: float64(extents[k] - 1), padding: "zeros"}
		window := graph.Iota(offset.DType(), size[k]).Mul(dilations[k]).Sub(pads[k])
		step := graph.Iota(offset.DType(), out[k]).Mul(strides[k])
		at := alignAt(window, k, 2).BroadcastTo(size).Reshape(elements, 1)
		at = at.Add(alignAt(step, k, 2).BroadcastTo(out).Reshape(1, out[0]*out[1]))
		at = at.Add(offset.Index(3, k)).Reshape(batch.Mul(ir.Fixed(parts)), 1, elements*out[0]*out[1])
		spots = append(spots, b.around(at, 1))
	}
	apart := widened(x).Reshape(batch.Mul(ir.Fixed(parts)), channels/parts, extents)
	if !c.good(apart) {
		return nil
	}
	y := sampledAt(apart, spots)
	y = y.Reshape(batch, channels, elements, out)
	if c.has(4) {
		mask := widened(c.x(4)).Reshape(batch, parts, 1, elements, out)
		y = y.Reshape(batch, parts, channels/parts, elements, out).Mul(mask)
	}
	y = y.Reshape(batch, groups, channels/groups*elements, out[0]*out[1])
	kernel := widened(w).Reshape(1, groups, filters/groups, channels/groups*elements)
	y = kernel.MatMul(y).Reshape(batch, filters, out)
	if c.has(3) {
		y = y.Add(alignAt(widened(c.x(3)), 1, 4))
	}
	return one(y.Cast(x.DType()))
}
