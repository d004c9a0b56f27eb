package onnx

import (
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Convolutions and pools: sliding windows over the spatial axes, which follow the batch and the channels.

var windowed = []operator{
	{"AveragePool", 1, 6, 1, 1, ir.Floats, windowAttrs(nil), averagePool},
	{"AveragePool", 7, 9, 1, 1, ir.Floats, windowAttrs(attrs{"count_include_pad": 0}), averagePool},
	{"AveragePool", 10, 18, 1, 1, ir.Floats, windowAttrs(attrs{"count_include_pad": 0, "ceil_mode": 0}), averagePool},
	{"AveragePool", 19, latest, 1, 1, ir.Floats, windowAttrs(attrs{"count_include_pad": 0, "ceil_mode": 0, "dilations": []int{}}), averagePool},
	{"Conv", 1, latest, 2, 3, ir.Floats, windowAttrs(attrs{"dilations": []int{}, "group": 1}), conv},
	{"ConvTranspose", 1, latest, 2, 3, ir.Floats, windowAttrs(attrs{
		"dilations": []int{}, "group": 1, "output_padding": []int{}, "output_shape": []int{},
	}), convTranspose},
	{"GlobalAveragePool", 1, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.GlobalAvgPool)},
	{"GlobalLpPool", 1, 1, 1, 1, ir.Floats, attrs{"p": 2.}, globalLpPool[float64]},
	{"GlobalLpPool", 2, latest, 1, 1, ir.Floats, attrs{"p": 2}, globalLpPool[int]},
	{"GlobalMaxPool", 1, latest, 1, 1, ir.Floats, nil, unaryOp(graph.Node.GlobalMaxPool)},
	{"LpPool", 1, 1, 1, 1, ir.Floats, windowAttrs(attrs{"p": 2.}), lpPool[float64]},
	{"LpPool", 2, 17, 1, 1, ir.Floats, windowAttrs(attrs{"p": 2}), lpPool[int]},
	{"LpPool", 18, latest, 1, 1, ir.Floats, windowAttrs(attrs{"p": 2, "ceil_mode": 0, "dilations": []int{}}), lpPool[int]},
	{"MaxPool", 1, 7, 1, 1, ir.Numeric, windowAttrs(nil), maxPool},
	{"MaxPool", 8, 9, 1, 1, ir.Numeric, windowAttrs(attrs{"storage_order": 0}), maxPool},
	{"MaxPool", 10, latest, 1, 1, ir.Numeric, windowAttrs(attrs{"storage_order": 0, "ceil_mode": 0, "dilations": []int{}}), maxPool},
}

// windowAttrs are the attributes of operators with windows, and more. An empty list means the default number for each
// spatial axis.
func windowAttrs(more attrs) attrs {
	return with(attrs{"auto_pad": "NOTSET", "kernel_shape": []int{}, "pads": []int{}, "strides": []int{}}, more)
}

// optional returns an attribute that a row may lack.
func optional[T any](c *call, name string) (v T) {
	if _, ok := c.op.attrs[name]; ok {
		v = need[T](c, name)
	}
	return v
}

// each returns an attribute with a number for each of n axes; an empty attribute has the default for all.
func (c *call) each(name string, n, usual int) []int {
	list := optional[[]int](c, name)
	switch {
	case len(list) == 0:
		return slices.Repeat([]int{usual}, n)
	case len(list) != n:
		c.fail("attribute %q has %d numbers: it must have %d", name, len(list), n)
	}
	return list
}

// windows reads the attributes of a pool. Window sizes come from the attribute, or from a kernel.
func (c *call) windows(x graph.Node, kernel []int) (o graph.PoolOptions) {
	n := x.Rank() - 2
	if o.Size = need[[]int](c, "kernel_shape"); len(o.Size) == 0 {
		o.Size = kernel
	}
	o.Strides, o.Dilations = c.each("strides", n, 1), c.each("dilations", n, 1)
	pads := c.each("pads", 2*n, 0)
	o.Ceil, o.CountPadding = optional[int](c, "ceil_mode") != 0, optional[int](c, "count_include_pad") != 0
	if len(o.Size) != n {
		c.fail("windows of size %v over %d spatial axes", o.Size, n)
	}
	if c.err != nil {
		return o
	}
	o.Before, o.After = slices.Clone(pads[:n]), slices.Clone(pads[n:])
	for k := range n {
		if auto := c.text("auto_pad"); auto != "NOTSET" && o.Strides[k] > 0 {
			o.Before[k], o.After[k] = c.same(auto, x.Shape()[2+k], (o.Size[k]-1)*o.Dilations[k]+1, o.Strides[k])
		}
	}
	return o
}

// same returns the padding with which an axis has extent/stride windows, rounded up. An odd element goes after the
// axis, or with SAME_LOWER before it.
func (c *call) same(auto string, d graph.Extent, reach, step int) (before, after int) {
	extent, fixed := d.Int()
	switch {
	case auto == "VALID":
		return 0, 0
	case step == 1:
		return c.halves(auto, reach-1)
	case !fixed:
		c.needShapes()
		return 0, 0
	}
	return c.halves(auto, max(0, (extent+step-1)/step*step-step+reach-extent))
}

// halves divides padding between the two ends of an axis.
func (c *call) halves(auto string, all int) (before, after int) {
	switch auto {
	case "SAME_UPPER":
		return all / 2, all - all/2
	case "SAME_LOWER":
		return all - all/2, all / 2
	}
	c.fail("auto_pad %q: it must be NOTSET, VALID, SAME_UPPER or SAME_LOWER", auto)
	return 0, 0
}

// kernel returns the extents of a kernel's spatial axes.
func (c *call) kernel(w graph.Node) []int {
	sizes, known := w.Shape()[2:].Ints()
	if !known {
		c.fail("the kernel has the shape %s: its spatial extents must be known at load", w.Shape())
	}
	return sizes
}

func conv(c *call) []value {
	w := c.windows(c.x(0), c.kernel(c.x(1)))
	if c.err != nil {
		return nil
	}
	o := c.convOptions(w)
	return c.biased(0, func(weights graph.Node) graph.Node { return c.x(0).Conv(weights, o) })
}

// convOptions returns the settings of a convolution with some windows.
func (c *call) convOptions(w graph.PoolOptions) graph.ConvOptions {
	return graph.ConvOptions{
		Strides: w.Strides, Dilations: w.Dilations, Before: w.Before, After: w.After, Groups: c.int("group"),
	}
}

// biased returns a function of the weights (input 1, with an axis of channels) that adds input 2, one element per
// channel, if it is given.
func (c *call) biased(axis int, of func(weights graph.Node) graph.Node) []value {
	y := of(c.x(1))
	if c.has(2) {
		y = y.Add(alignAt(c.x(2), 1, y.Rank()))
	}
	return c.scalable(y, axis, 1, of)
}

// convTranspose computes its padding from the extents of the result if these are given.
func convTranspose(c *call) []value {
	x, kernel := c.x(0), c.x(1)
	n := x.Rank() - 2
	auto := c.text("auto_pad")
	given := need[[]int](c, "output_shape")
	if len(given) != 0 && len(given) < n {
		return c.fail("an output_shape %v for %d spatial axes", given, n)
	}
	size := c.kernel(kernel)
	o := graph.ConvOptions{
		Strides: c.each("strides", n, 1), Dilations: c.each("dilations", n, 1), Extra: c.each("output_padding", n, 0), Groups: c.int("group"),
	}
	pads := c.each("pads", 2*n, 0)
	if c.err != nil {
		return nil
	}
	o.Before, o.After = slices.Clone(pads[:n]), slices.Clone(pads[n:])
	for k := range n {
		if len(given) == 0 && (auto == "NOTSET" || auto == "VALID") {
			continue
		}
		if auto == "VALID" {
			auto = "NOTSET"
		}
		all := o.Extra[k] + (size[k]-1)*o.Dilations[k] + 1 - o.Strides[k] // the result has extent*stride elements
		if len(given) > 0 {
			extent, fixed := x.Shape()[2+k].Int()
			if !fixed {
				c.needShapes()
				return nil
			}
			all += extent*o.Strides[k] - given[len(given)-n+k]
		}
		cut := max(all, 0)
		if o.Before[k], o.After[k] = cut-cut/2, cut/2; auto != "NOTSET" {
			o.Before[k], o.After[k] = c.halves(auto, cut)
		}
		o.After[k] += min(all, 0) // a larger result ends with zeros
	}
	axis := 1
	if o.Groups > 1 {
		axis = kernel.Rank() // no axis has all channels
	}
	return c.biased(axis, func(weights graph.Node) graph.Node { return x.ConvTranspose(weights, o) })
}

// maxPool may also return the index of each greatest element. With storage_order the first spatial axis varies fastest
// in these indices.
func maxPool(c *call) []value {
	x := c.x(0)
	o := c.windows(x, nil)
	if c.err != nil {
		return nil
	}
	y := compute(x.MaxPool(o))
	if !c.wants(1) {
		return []value{y}
	}
	if n, known := product(ir.ShapeOf(o.Size...)).Int(); known && y.node.Err() == nil { // each element of a window is compared
		if c.spend(n); c.err != nil {
			return nil
		}
	}
	if optional[int](c, "storage_order") == 0 {
		return []value{y, compute(x.MaxPoolIndices(o))}
	}
	order := from(0, x.Rank())
	slices.Reverse(order[2:])
	for _, list := range []*[]int{&o.Size, &o.Strides, &o.Dilations, &o.Before, &o.After} {
		*list = slices.Clone(*list)
		slices.Reverse(*list)
	}
	return []value{y, compute(x.Permute(order).MaxPoolIndices(o).Permute(order))}
}

func averagePool(c *call) []value {
	o := c.windows(c.x(0), nil)
	if c.err != nil {
		return nil
	}
	return one(c.x(0).AvgPool(o))
}

func lpPool[T int | float64](c *call) []value {
	o := c.windows(c.x(0), nil)
	if c.err != nil {
		return nil
	}
	return one(c.x(0).LpPool(float64(need[T](c, "p")), o))
}

// globalLpPool returns the p-norms along the spatial axes.
func globalLpPool[T int | float64](c *call) []value {
	x, p := c.x(0), float64(need[T](c, "p"))
	if !(p > 0) {
		return c.fail("p of %v: it must be positive", p)
	}
	powers := widened(x).Abs().Pow(p)
	return one(powers.Sum(from(2, x.Rank()), graph.KeepDims).Pow(1 / p).Cast(x.DType()))
}
