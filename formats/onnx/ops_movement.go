package onnx

import (
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Operators that move elements.

var movements = []operator{
	{"CenterCropPad", 18, latest, 2, 2, ir.AllTypes, attrs{"axes": unset{[]int{}}}, centerCropPad},
	{"Concat", 1, 3, 1, many, ir.AllTypes, attrs{"axis": 1}, concat},
	{"Concat", 4, latest, 1, many, ir.AllTypes, attrs{"axis": unset{0}}, concat},
	{"DepthToSpace", 1, 10, 1, 1, ir.AllTypes, attrs{"blocksize": unset{0}}, depthToSpace},
	{"DepthToSpace", 11, latest, 1, 1, ir.AllTypes, attrs{"blocksize": unset{0}, "mode": "DCR"}, depthToSpace},
	{"Pad", 1, 1, 1, 1, ir.AllTypes, attrs{"paddings": unset{[]int{}}, "value": 0., "mode": "constant"}, pad},
	{"Pad", 2, 10, 1, 1, ir.AllTypes, attrs{"pads": unset{[]int{}}, "value": 0., "mode": "constant"}, pad},
	{"Pad", 11, latest, 2, 4, ir.AllTypes, attrs{"mode": "constant"}, pad},
	{"Slice", 1, 9, 1, 1, ir.AllTypes, attrs{"starts": unset{[]int{}}, "ends": unset{[]int{}}, "axes": unset{[]int{}}}, sliceAttrs},
	{"Slice", 10, latest, 3, 5, ir.AllTypes, nil, sliceInputs},
	{"SpaceToDepth", 1, 27, 1, 1, ir.AllTypes, attrs{"blocksize": unset{0}}, spaceToDepth},
	{"SpaceToDepth", 28, latest, 1, 1, ir.AllTypes, attrs{"blocksize": unset{0}, "mode": "DCR"}, spaceToDepth},
	{"Split", 1, 1, 1, 1, ir.AllTypes, attrs{"axis": 0, "split": unset{[]int{}}}, split},
	{"Split", 2, 12, 1, 1, ir.AllTypes, attrs{"axis": 0, "split": unset{[]int{}}}, split},
	{"Split", 13, 17, 1, 2, ir.AllTypes, attrs{"axis": 0}, split},
	{"Split", 18, latest, 1, 2, ir.AllTypes, attrs{"axis": 0, "num_outputs": unset{0}}, split},
	{"Tile", 1, 5, 3, 3, ir.AllTypes, nil, tileAxis},
	{"Tile", 6, latest, 2, 2, ir.AllTypes, nil, tile},
	{"Transpose", 1, latest, 1, 1, ir.AllTypes, attrs{"perm": unset{[]int{}}}, transpose},
	{"Trilu", 14, latest, 1, 2, ir.AllTypes, attrs{"upper": 1}, trilu},
}

func concat(c *call) []value { return one(graph.Concat(c.int("axis"), c.all()...)) }

// padModes has the modes other than constant.
var padModes = map[string]graph.PadMode{"reflect": graph.PadReflect, "edge": graph.PadEdge, "wrap": graph.PadWrap}

// pad takes the elements to add before each axis, then those after each axis. Negative numbers remove elements.
func pad(c *call) []value {
	x := c.x(0)
	axes := from(0, x.Rank())
	var pads []int
	element := zeroOf(x)
	switch c.op.since {
	case 1:
		pads, element = need[[]int](c, "paddings"), c.padding(x)
	case 2:
		pads, element = need[[]int](c, "pads"), c.padding(x)
	default:
		pads = c.ints(1)
		if c.has(2) {
			element = c.x(2).Reshape()
		}
		if c.has(3) {
			axes = c.ints(3)
		}
	}
	if len(pads) != 2*len(axes) {
		return c.fail("%d pads for %d axes: there must be two for each", len(pads), len(axes))
	}
	before, after := make([]int, x.Rank()), make([]int, x.Rank())
	for i, axis := range axes {
		if axis = c.wrapAxis(axis, x.Rank()); c.err != nil {
			return nil
		}
		before[axis], after[axis] = pads[i], pads[len(axes)+i]
	}
	name := c.text("mode")
	if mode, ok := padModes[name]; ok {
		return one(x.Pad(before, after, mode))
	}
	if name != "constant" {
		return c.fail("mode %q: it must be constant, reflect, edge or wrap", name)
	}
	return one(x.PadWith(before, after, element))
}

// padding returns the attribute value as an element of x's type.
func (c *call) padding(x graph.Node) graph.Node {
	return graph.Scalar(graph.Float64, c.float("value")).Cast(x.DType())
}

// centerCropPad crops or pads axes to given extents, equally at both ends; an odd element goes to the end.
func centerCropPad(c *call) []value {
	x, to := c.x(0), c.ints(1)
	axes, ok := attr[[]int](c, "axes")
	if !ok {
		axes = from(0, x.Rank())
	}
	if len(axes) != len(to) {
		return c.fail("%d extents for %d axes", len(to), len(axes))
	}
	before, after := make([]int, x.Rank()), make([]int, x.Rank())
	for i, axis := range axes {
		axis = c.wrapAxis(axis, x.Rank())
		if c.err != nil {
			return nil
		}
		extent, fixed := x.Shape()[axis].Int()
		if !fixed {
			return c.fail("axis %d has a symbolic extent", axis)
		}
		before[axis] = (to[i] - extent) / 2
		after[axis] = to[i] - extent - before[axis]
	}
	return one(x.Pad(before, after, graph.PadConstant))
}

func depthToSpace(c *call) []value {
	x, size := c.x(0), c.int("blocksize")
	if c.op.since < 11 || c.text("mode") == "DCR" {
		return one(x.DepthToSpace(size))
	}
	if c.text("mode") == "CRD" {
		return one(x.PixelShuffle(size))
	}
	return c.fail("mode %q: it must be DCR or CRD", c.text("mode"))
}

func spaceToDepth(c *call) []value {
	x, size := c.x(0), c.int("blocksize")
	y := x.SpaceToDepth(size)
	if c.op.since < 28 || c.text("mode") == "DCR" || y.Err() != nil {
		return one(y)
	}
	if c.text("mode") != "CRD" {
		return c.fail("mode %q: it must be DCR or CRD", c.text("mode"))
	}
	s := y.Shape() // the channels are [size, size, channels of x]; those of CRD begin with the channels of x
	return one(y.Reshape(s[0], size*size, x.Shape()[1], s[2:]).SwapAxes(1, 2).Reshape(s))
}

// tileAxis repeats x along the one axis that an input names.
func tileAxis(c *call) []value {
	times, axis := c.floats(1), c.floats(2)
	if c.err != nil || len(times) != 1 || len(axis) != 1 {
		return c.fail("%v repeats of axis %v: there must be one number of each", times, axis)
	}
	reps := slices.Repeat([]int{1}, c.x(0).Rank())
	k := c.wrapAxis(int(axis[0]), len(reps))
	if c.err != nil {
		return nil
	}
	reps[k] = int(times[0])
	return one(c.x(0).Tile(reps...))
}

func tile(c *call) []value {
	reps := c.ints(1)
	if len(reps) != c.x(0).Rank() {
		return c.fail("%d repeats of %d axes", len(reps), c.x(0).Rank())
	}
	return one(c.x(0).Tile(reps...))
}

func transpose(c *call) []value {
	if perm, ok := attr[[]int](c, "perm"); ok {
		return one(c.x(0).Permute(perm))
	}
	return one(c.x(0).Transpose())
}

func trilu(c *call) []value {
	k := 0
	if c.has(1) {
		k = c.int1(1)
	}
	if c.flag("upper") {
		return one(c.x(0).Triu(k))
	}
	return one(c.x(0).Tril(k))
}
