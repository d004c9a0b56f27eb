package onnx

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// RoiAlign: regions of images, pooled to one size.

var regions = []operator{
	{"RoiAlign", 10, 15, 3, 3, ir.Floats, roiAttrs, roiAlign},
	{"RoiAlign", 16, latest, 3, 3, ir.Floats, with(roiAttrs, attrs{"coordinate_transformation_mode": "half_pixel"}), roiAlign},
}

var roiAttrs = attrs{"mode": "avg", "output_height": 1, "output_width": 1, "sampling_ratio": 0, "spatial_scale": 1.}

// roiAlign pools x [n, c, h, w] in regions [count, 4], each of the image with a batch index. In each bin,
// sampling_ratio positions along both axes are interpolated.
func roiAlign(c *call) []value {
	x, rois, image := widened(c.x(0)), widened(c.x(1)), c.x(2)
	points := c.int("sampling_ratio")
	sizes := [2]int{c.int("output_height"), c.int("output_width")}
	if x.Rank() != 4 || rois.Rank() != 2 || image.Rank() != 1 || min(sizes[0], sizes[1]) < 1 || max(sizes[0], sizes[1], points) > mostExtent {
		return c.fail("operands of shape %s, %s and %s for bins %v: they must be [n, c, h, w], [regions, 4] and [regions]", x.Shape(), rois.Shape(), image.Shape(), sizes)
	}
	if points < 1 {
		return c.fail("sampling_ratio %d: how many places a bin has would depend on the data; give a number", points)
	}
	half := false
	if c.op.since >= 16 {
		place := c.text("coordinate_transformation_mode")
		if half = place == "half_pixel"; !half && place != "output_half_pixel" {
			return c.fail("coordinate_transformation_mode %q: it must be half_pixel or output_half_pixel", place)
		}
	}
	shape, count := x.Shape(), rois.Shape()[0]
	var near [2][2]spot // along both axes, the elements below and above each position: [regions, positions]
	for k := range 2 {
		n, fixed := shape[2+k].Int()
		if !fixed || n < 1 {
			return c.fail("a spatial axis of extent %s: it must be known at load and not 0", shape[2+k])
		}
		near[k] = neighbors(c.binPlaces(rois, k, sizes[k], points, half), n)
	}
	// A row of channels for each position: [regions, bins*points, bins*points, c].
	rows := x.Permute(0, 2, 3, 1).Reshape(product(graph.Shape{shape[0], shape[2], shape[3]}), shape[1])
	first := image.Cast(graph.Int64).Mul(shape[2]).Unsqueeze(-1)
	var terms []graph.Node
	for _, y := range near[0] {
		for _, z := range near[1] {
			at := first.Add(y.index).Mul(shape[3]).Unsqueeze(-1).Add(z.index.Unsqueeze(1))
			weight := y.weight.Unsqueeze(-1).Mul(z.weight.Unsqueeze(1))
			terms = append(terms, rows.Take(0, at).Mul(weight.Cast(x.DType()).Unsqueeze(-1)))
		}
	}
	bins := func(v graph.Node) graph.Node {
		return v.Reshape(count, sizes[0], points, sizes[1], points, shape[1])
	}
	var pooled graph.Node
	switch mode := c.text("mode"); mode {
	case "avg":
		pooled = bins(terms[0].Add(terms[1]).Add(terms[2]).Add(terms[3])).Mean(2, 4)
	case "max": // of the weighted terms
		pooled = bins(terms[0].Maximum(terms[1], terms[2], terms[3])).Max(2, 4)
	default:
		return c.fail("mode %q: it must be avg or max", mode)
	}
	return one(pooled.Permute(0, 3, 1, 2).Cast(c.x(0).DType()))
}

// binPlaces returns the positions along an axis of the image: [regions, bins*points].
func (c *call) binPlaces(rois graph.Node, axis, bins, points int, half bool) graph.Node {
	edge := func(k int) graph.Node {
		at := rois.SliceAxis(1, k, k+1, 1).Mul(c.float("spatial_scale"))
		if half {
			return at.Sub(0.5)
		}
		return at
	}
	begin := edge(1 - axis) // boxes have x before y
	extent := edge(3 - axis).Sub(begin)
	if !half {
		extent = extent.Maximum(1)
	}
	place := graph.Iota(rois.DType(), bins*points).Add(0.5).Div(float64(bins * points))
	return begin.Add(extent.Mul(place))
}

// neighbors returns the elements below and above positions on an axis of n elements. Positions farther than 1 outside
// have weight 0.
func neighbors(at graph.Node, n int) [2]spot {
	last := float64(n - 1)
	in := at.Ge(-1).And(at.Le(float64(n)))
	at = at.Clip(0, last)
	low := at.Floor()
	above := graph.Where(in, at.Sub(low), 0)
	below := graph.Where(in, low.Add(1).Sub(at), 0)
	return [2]spot{
		{index: low.Cast(graph.Int64), weight: &below},
		{index: low.Add(1).Minimum(last).Cast(graph.Int64), weight: &above},
	}
}
