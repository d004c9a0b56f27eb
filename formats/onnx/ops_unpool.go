package onnx

import (
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Operators that reverse windows: the inverses of pools, and of matrices whose columns are the windows of an image.

var unpools = []operator{
	{"Col2Im", 18, latest, 3, 3, ir.Numeric, attrs{"dilations": []int{}, "pads": []int{}, "strides": []int{}}, columnsToImage},
	{"MaxUnpool", 9, latest, 2, 3, ir.Floats, attrs{"kernel_shape": unset{[]int{}}, "pads": []int{}, "strides": []int{}}, maxUnpool},
}

// imageAxis is an axis of an image with its windows.
type imageAxis struct {
	extent, size, stride, dilation, before, after int
}

// mostExtent limits the numbers of an axis and the reach of a window, so that their sums fit ints of 32 bits.
const mostExtent = 1 << 28

// check rejects numbers that no axis can have.
func (a imageAxis) check(c *call) {
	if min(a.extent, a.size, a.stride, a.dilation) < 1 || min(a.before, a.after) < 0 ||
		max(a.extent, a.size, a.stride, a.dilation, a.before, a.after) > mostExtent || int64(a.size)*int64(a.dilation) > mostExtent {
		c.fail("extent %d, window %d, stride %d, dilation %d, pads %d and %d of an axis: they must be 1 to %d, a window times its dilation too, pads 0 to %[7]d",
			a.extent, a.size, a.stride, a.dilation, a.before, a.after, mostExtent)
	}
}

// padded returns the extent with padding.
func (a imageAxis) padded() int { return a.before + a.extent + a.after }

// windows returns how many there are.
func (a imageAxis) windows() int {
	room := a.padded() - (a.size-1)*a.dilation - 1
	if room < 0 {
		return 0
	}
	return room/a.stride + 1
}

// maxUnpool stores each element at its index in an array of zeros. Indices are row-major among all elements of the
// result, as MaxPool returns them.
func maxUnpool(c *call) []value {
	x, at := c.x(0), c.x(1)
	if !at.Shape().Equal(x.Shape()) {
		return c.fail("indices of shape %s for an operand of shape %s: there must be one for each element", at.Shape(), x.Shape())
	}
	shape := c.unpooled(x)
	if c.err != nil {
		return nil
	}
	zeros := graph.Fill(x.DType(), 0, product(shape))
	return one(zeros.Scatter(0, at.Flatten(), x.Flatten(), graph.ScatterSet).Reshape(shape))
}

// unpooled returns the shape of the array that x was pooled from: the given one, or the smallest one with as many
// windows.
func (c *call) unpooled(x graph.Node) graph.Shape {
	n, size := x.Rank()-2, need[[]int](c, "kernel_shape")
	if n < 1 || len(size) != n {
		c.fail("windows of size %v for an operand of %d axes: there must be a batch, channels and an axis for each size", size, n+2)
		return nil
	}
	if c.has(2) {
		given := graph.Shape(c.sizes(2))
		if len(given) != n+2 {
			c.fail("output_shape has %d numbers: it must have %d", len(given), n+2)
		}
		return given
	}
	strides, pads := c.each("strides", n, 1), c.each("pads", 2*n, 0)
	if c.err != nil {
		return nil
	}
	shape := slices.Clone(x.Shape())
	for k := range n {
		a := imageAxis{1, size[k], strides[k], 1, pads[k], pads[n+k]}
		a.check(c)
		shape[2+k] = shape[2+k].Mul(ir.Fixed(a.stride)).Add(ir.Fixed(a.size - a.stride - a.before - a.after))
		if d, known := shape[2+k].Int(); known && d < 1 {
			c.fail("axis %d has the extent %s: it is unpooled to %s", 2+k, x.Shape()[2+k], shape[2+k])
		}
	}
	return shape
}

// columnsToImage adds overlapping windows, one axis after the other. The operand is [n, c*size of a window, windows],
// the result [n, c, image].
func columnsToImage(c *call) []value {
	x, axes := c.x(0), c.imageAxes()
	if c.err != nil {
		return nil
	}
	shape := x.Shape()
	channels, known := shape[1].Int()
	var sizes, counts graph.Shape
	for _, a := range axes {
		if !known || channels%a.size != 0 {
			return c.fail("axis 1 has the extent %s: it must be a multiple of the %v elements of a window", shape[1], c.ints(2))
		}
		channels /= a.size
		sizes, counts = append(sizes, ir.Fixed(a.size)), append(counts, ir.Fixed(a.windows()))
	}
	if product(counts) != shape[2] {
		return c.fail("axis 2 has the extent %s: an image of %v has %s windows", shape[2], c.ints(1), counts)
	}
	y := widened(x).Reshape(shape[0], channels, sizes, counts)
	for k, a := range axes {
		y = y.MoveAxis(2, -1).MoveAxis(1+len(axes)-k, -1)
		if !c.good(y) {
			return nil
		}
		y = overlapped(y, a)
	}
	return one(y.Cast(x.DType()))
}

// imageAxes reads the axes of an image and its windows.
func (c *call) imageAxes() []imageAxis {
	image, block := c.ints(1), c.ints(2)
	n := len(image)
	strides, dilations, pads := c.each("strides", n, 1), c.each("dilations", n, 1), c.each("pads", 2*n, 0)
	if len(block) != n || n < 1 {
		c.fail("windows of %v for an image of %v: there must be as many axes, and one at least", block, image)
	}
	if c.err != nil {
		return nil
	}
	axes := make([]imageAxis, n)
	for k := range axes {
		axes[k] = imageAxis{image[k], block[k], strides[k], dilations[k], pads[k], pads[n+k]}
		axes[k].check(c)
	}
	return axes
}

// overlapped returns the sums [..., extent] of x [..., elements of a window, windows]. Each element of a window becomes
// a line with zeros between the windows. The lines are dilation elements longer than the padded axis; cutting them to
// its length again shifts each line by dilation against the one before.
func overlapped(x graph.Node, a imageAxis) graph.Node {
	lead := x.Shape()[:x.Rank()-2]
	line := a.padded() + a.dilation
	x = padEnd(x.Unsqueeze(-1), a.stride-1).Reshape(lead, a.size, a.windows()*a.stride)
	x = padEnd(x, line-a.windows()*a.stride).Reshape(lead, a.size*line)
	x = x.SliceAxis(-1, 0, a.size*a.padded(), 1).Reshape(lead, a.size, a.padded())
	x = x.SliceAxis(-1, a.before, a.before+a.extent, 1)
	return x.Sum(-2, graph.InType(x.DType()))
}

// padEnd appends zeros to the last axis, or removes elements if n is negative.
func padEnd(x graph.Node, n int) graph.Node {
	before, after := make([]int, x.Rank()), make([]int, x.Rank())
	after[x.Rank()-1] = n
	return x.Pad(before, after, graph.PadConstant)
}
