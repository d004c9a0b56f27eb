package onnx

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

func sliceAttrs(c *call) []value {
	starts, ends := need[[]int](c, "starts"), need[[]int](c, "ends")
	axes, ok := attr[[]int](c, "axes")
	if !ok {
		axes = from(0, len(starts))
	}
	for i := range starts {
		starts[i] = clampInt(starts[i])
	}
	for i := range ends {
		ends[i] = clampInt(ends[i])
	}
	return c.slice(ir.ShapeOf(starts...), ir.ShapeOf(ends...), axes, nil)
}

func sliceInputs(c *call) []value {
	starts, ends := c.bounds(1), c.bounds(2)
	axes := from(0, len(starts))
	if c.has(3) {
		axes = c.ints(3)
	}
	var steps []int
	if c.has(4) {
		steps = c.ints(4)
	}
	return c.slice(starts, ends, axes, steps)
}

// bounds returns input i, with the ends of int32 replaced by those of int64.
func (c *call) bounds(i int) []graph.Extent {
	sizes := append([]graph.Extent(nil), c.sizes(i)...)
	for k, d := range sizes {
		if n, fixed := d.Int(); fixed {
			sizes[k] = ir.Fixed(clampInt(n))
		}
	}
	return sizes
}

func (c *call) slice(starts, ends []graph.Extent, axes, steps []int) []value {
	if len(starts) != len(axes) || len(ends) != len(axes) || steps != nil && len(steps) != len(axes) {
		return c.fail("%d starts, %d ends, %d axes and %d steps: there must be as many of each", len(starts), len(ends), len(axes), len(steps))
	}
	x := c.x(0)
	for i, axis := range axes {
		step := 1
		if steps != nil {
			step = steps[i]
		}
		end := ends[i]
		if step > 0 && end.Is(math.MinInt) {
			end = ir.Fixed(0)
		}
		x = x.SliceAxis(axis, first(x, axis, starts[i], step), bound(end), step)
	}
	return one(x)
}

// first returns the start of a slice. A backward slice that would start before the first element starts with it.
func first(x graph.Node, axis int, start graph.Extent, step int) any {
	if axis < 0 {
		axis += x.Rank()
	}
	if n, fixed := start.Int(); fixed && n < 0 && step < 0 && axis >= 0 && axis < x.Rank() {
		if d, fixed := x.Shape()[axis].Int(); n == math.MinInt || fixed && n < -d {
			return 0
		}
	}
	return bound(start)
}

// bound converts a bound to the form of SliceAxis.
func bound(d graph.Extent) any {
	if n, fixed := d.Int(); fixed {
		return n
	}
	return d
}

func split(c *call) []value {
	x := c.x(0)
	axis := c.axis(x.Rank())
	if c.err != nil {
		return nil
	}
	var sizes []int
	given := c.has(1)
	if given {
		sizes = c.ints(1)
	} else if c.op.since <= 2 {
		sizes, given = attr[[]int](c, "split")
	}
	if !given {
		parts := len(c.node.outputs)
		if c.op.since >= 18 {
			if n, ok := attr[int](c, "num_outputs"); ok && n != parts {
				return c.fail("num_outputs is %d: there are %d outputs", n, parts)
			}
		}
		extent, fixed := x.Shape()[axis].Int()
		if !fixed || parts < 1 {
			return c.fail("%d parts of an axis of extent %s: give their sizes", parts, x.Shape()[axis])
		}
		sizes = equalParts(extent, parts)
	}
	var out []value
	for _, part := range x.Split(axis, sizes...) {
		out = append(out, compute(part))
	}
	return out
}

// equalParts returns the sizes of n parts; the last may be smaller.
func equalParts(extent, n int) []int {
	sizes := make([]int, 0, n)
	size := (extent + n - 1) / n
	for range n {
		sizes = append(sizes, min(size, extent))
		extent -= sizes[len(sizes)-1]
	}
	return sizes
}
