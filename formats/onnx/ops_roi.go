package onnx

import (
	"math"

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
// sampling_ratio positions along both axes are interpolated, or about one for each element.
func roiAlign(c *call) []value {
	x, rois, image := widened(c.x(0)), widened(c.x(1)), c.x(2)
	points := c.int("sampling_ratio")
	sizes := [2]int{c.int("output_height"), c.int("output_width")}
	if x.Rank() != 4 || rois.Rank() != 2 || image.Rank() != 1 || min(sizes[0], sizes[1]) < 1 || max(sizes[0], sizes[1], points) > mostExtent {
		return c.fail("operands of shape %s, %s and %s for bins %v: they must be [n, c, h, w], [regions, 4] and [regions]", x.Shape(), rois.Shape(), image.Shape(), sizes)
	}
	half := false
	if c.op.since >= 16 {
		place := c.text("coordinate_transformation_mode")
		if half = place == "half_pixel"; !half && place != "output_half_pixel" {
			return c.fail("coordinate_transformation_mode %q: it must be half_pixel or output_half_pixel", place)
		}
	}
	shape, count := x.Shape(), rois.Shape()[0]
	var grids [2]grid
	for k := range 2 {
		grids[k] = c.grid(rois, k, sizes[k], half)
	}
	c.points(&grids, points)
	if c.err != nil {
		return nil
	}
	var near [2][2]spot // along both axes, the elements below and above each position: [regions, positions]
	for k := range 2 {
		n, fixed := shape[2+k].Int()
		if !fixed || n < 1 {
			return c.fail("a spatial axis of extent %s: it must be known at load and not 0", shape[2+k])
		}
		near[k] = neighbors(grids[k].places(), n)
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
	py, px := grids[0].most, grids[1].most
	bins := func(v graph.Node) graph.Node {
		return v.Reshape(count, sizes[0], py, sizes[1], px, shape[1])
	}
	in := grids[0].in().Reshape(count, 1, py, 1, 1, 1).And(grids[1].in().Reshape(count, 1, 1, 1, px, 1))
	var pooled graph.Node
	switch mode := c.text("mode"); mode {
	case "avg":
		all := bins(terms[0].Add(terms[1]).Add(terms[2]).Add(terms[3]))
		number := alignAt(grids[0].count.Mul(grids[1].count).Maximum(1), 0, 4)
		pooled = graph.Where(in, all, 0).Sum(2, 4).Div(number.Cast(x.DType()))
	case "max": // of the weighted terms
		all := bins(terms[0].Maximum(terms[1], terms[2], terms[3]))
		pooled = graph.Where(in, all, math.Inf(-1)).Max(2, 4)
		pooled = graph.Where(pooled.Eq(math.Inf(-1)), 0, pooled)
	default:
		return c.fail("mode %q: it must be avg or max", mode)
	}
	return one(pooled.Permute(0, 3, 1, 2).Cast(c.x(0).DType()))
}

// grid has the positions along an axis of the image.
type grid struct {
	begin, extent graph.Node // of the regions, [regions, 1]
	bins          int
	count         graph.Node // number of positions in a bin of each region, [regions]
	most          int        // the greatest of these
}

// grid returns the regions along an axis of the image.
func (c *call) grid(rois graph.Node, axis, bins int, half bool) grid {
	edge := func(k int) graph.Node {
		at := rois.SliceAxis(1, k, k+1, 1).Mul(c.float("spatial_scale"))
		if half {
			return at.Sub(0.5)
		}
		return at
	}
	g := grid{begin: edge(1 - axis), bins: bins} // boxes have x before y
	if g.extent = edge(3 - axis).Sub(g.begin); !half {
		g.extent = g.extent.Maximum(1)
	}
	return g
}

// mostPoints limits the positions in a bin along an axis.
const mostPoints = 1 << 12

// points counts the positions in bins: the given number along each axis, or if it is 0 about one for each element of the
// image, which depends on the region. The graph is made for the greatest of these.
func (c *call) points(grids *[2]grid, number int) {
	if !c.good(grids[0].extent, grids[1].extent) {
		return
	}
	for k := range grids {
		g := &grids[k]
		if g.most, g.count = number, graph.Fill(graph.Int64, number, g.begin.Shape()[0]); number == 0 {
			g.count = g.extent.Div(float64(g.bins)).Ceil().Cast(graph.Int64).Maximum(0).Squeeze(1)
		}
	}
	if number > 0 {
		return
	}
	most := []value{compute(graph.Stack(0, grids[0].count.Sum(), grids[1].count.Sum()))}
	if n := grids[0].begin.Shape()[0]; !n.Is(0) {
		most[0] = compute(graph.Stack(0, grids[0].count.Max(), grids[1].count.Max()))
	}
	if c.in[1].kind == constant {
		if err := fold(most); err != nil {
			c.fail("%w", err)
		}
	}
	most[0].stage = c.stage
	v := c.know(most[0], "points of bins")
	if c.err != nil {
		return
	}
	counts, err := integers(v.tensor)
	if err != nil || max(counts[0], counts[1]) > mostPoints {
		c.fail("%v positions in a bin: there may be up to %d along an axis", counts, mostPoints)
		return
	}
	grids[0].most, grids[1].most = max(counts[0], 1), max(counts[1], 1)
}

// places returns the positions: [regions, bins*most].
func (g grid) places() graph.Node {
	dt := g.begin.DType()
	bin := graph.Iota(dt, g.bins).Unsqueeze(-1)                       // [bins, 1]
	part := graph.Iota(dt, g.most).Add(0.5)                           // [most]
	number := g.count.Maximum(1).Cast(dt).Unsqueeze(-1).Unsqueeze(-1) // [regions, 1, 1]
	place := bin.Add(part.Div(number)).Div(float64(g.bins))
	return g.begin.Add(g.extent.Mul(place.Reshape(g.begin.Shape()[0], g.bins*g.most)))
}

// in reports which positions the bins of a region have: [regions, most].
func (g grid) in() graph.Node {
	return graph.Iota(graph.Int64, g.most).Lt(g.count.Unsqueeze(-1))
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
