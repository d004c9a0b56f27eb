package onnx

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Normalizations.

// small is the default of epsilon.
var small = exactly(1e-5)

var normalizations = []operator{
	{"BatchNormalization", 1, 8, 5, 5, ir.Floats, attrs{"epsilon": small, "momentum": exactly(0.9), "spatial": 1, "is_test": 0}, batchNorm},
	{"BatchNormalization", 9, 13, 5, 5, ir.Floats, attrs{"epsilon": small, "momentum": exactly(0.9)}, batchNorm},
	{"BatchNormalization", 14, latest, 5, 5, ir.Floats, attrs{"epsilon": small, "momentum": exactly(0.9), "training_mode": 0}, batchNorm},
	{"GroupNormalization", 18, 20, 3, 3, ir.Floats, attrs{"epsilon": small, "num_groups": unset{0}}, groupNorm},
	{"GroupNormalization", 21, latest, 3, 3, ir.Floats, attrs{"epsilon": small, "num_groups": unset{0}, "stash_type": 1}, groupNorm},
	{"InstanceNormalization", 1, latest, 3, 3, ir.Floats, attrs{"epsilon": small}, func(c *call) []value {
		return one(c.x(0).InstanceNorm(c.x(1), c.x(2), c.float("epsilon")))
	}},
	{"LayerNormalization", 17, latest, 2, 3, ir.Floats, attrs{"axis": -1, "epsilon": small, "stash_type": 1}, layerNorm},
	{"LpNormalization", 1, latest, 1, 1, ir.Floats, attrs{"axis": -1, "p": 2}, lpNorm},
	{"LRN", 1, latest, 1, 1, ir.Floats, attrs{"alpha": exactly(1e-4), "beta": 0.75, "bias": 1., "size": unset{0}}, localResponse},
	{"MeanVarianceNormalization", 9, latest, 1, 1, ir.Floats, attrs{"axes": []int{0, 2, 3}}, func(c *call) []value {
		axes := need[[]int](c, "axes")
		d := c.x(0).Sub(c.x(0).Mean(axes, graph.KeepDims))
		return one(d.Div(d.Square().Mean(axes, graph.KeepDims).Sqrt().Add(1e-9)))
	}},
	{"RMSNormalization", 23, latest, 2, 2, ir.Floats, attrs{"axis": -1, "epsilon": small, "stash_type": 1}, rmsNorm},
}

// batchNorm normalizes each channel, the second axis. In training mode it uses the statistics of the batch, and the
// other outputs are the updated running statistics.
func batchNorm(c *call) []value {
	x, eps := c.x(0), c.float("epsilon")
	switch {
	case c.op.since == 1 && !c.flag("spatial"): // one statistic for each element of a sample
		y := x.Sub(c.x(3)).Div(c.x(4).Add(eps).Sqrt())
		return one(y.Mul(c.x(1)).Add(c.x(2)))
	case c.op.since < 14 || !c.flag("training_mode"):
		if y, ok := c.normalized(eps); ok {
			return one(y)
		}
		return one(x.BatchNorm(1, c.x(3), c.x(4), c.x(1), c.x(2), eps))
	}
	axes := append([]int{0}, from(2, x.Rank())...)
	mean, variance := x.Mean(axes), x.Var(axes)
	momentum := c.float("momentum")
	running := func(old, new graph.Node) value { return compute(old.Mul(momentum).Add(new.Mul(1 - momentum))) }
	y := x.BatchNorm(1, mean, variance, c.x(1), c.x(2), eps)
	return []value{compute(y), running(c.x(3), mean), running(c.x(4), variance)}
}

// groupNorm has a scale and an offset per group up to version 20, later per channel.
func groupNorm(c *call) []value {
	x, scale, bias, groups := c.x(0), c.x(1), c.x(2), c.int("num_groups")
	if c.op.since < 21 && x.Rank() > 1 && groups > 0 {
		channels, fixed := x.Shape()[1].Int()
		if !fixed {
			return c.fail("the number of channels is symbolic")
		}
		scale, bias = scale.Repeat(0, channels/groups), bias.Repeat(0, channels/groups)
	}
	return one(x.GroupNorm(groups, scale, bias, c.float("epsilon")))
}

// wide returns x in the type of the statistics.
func (c *call) wide(x graph.Node) graph.Node {
	if c.int("stash_type") == 1 && x.DType() != graph.Float64 {
		return x.Cast(graph.Float32)
	}
	return x
}

func layerNorm(c *call) []value {
	x := c.wide(c.x(0))
	axes := from(c.axis(x.Rank()), x.Rank())
	mean := x.Mean(axes, graph.KeepDims)
	d := x.Sub(mean)
	inverse := d.Square().Mean(axes, graph.KeepDims).Add(c.float("epsilon")).Sqrt().Reciprocal()
	y := d.Mul(inverse).Cast(c.x(0).DType()).Mul(c.x(1))
	if c.has(2) {
		y = y.Add(c.x(2))
	}
	return []value{compute(y), compute(mean), compute(inverse)}
}

func rmsNorm(c *call) []value {
	x := c.wide(c.x(0))
	axes := from(c.axis(x.Rank()), x.Rank())
	root := x.Square().Mean(axes, graph.KeepDims).Add(c.float("epsilon")).Sqrt()
	return one(x.Div(root).Cast(c.x(0).DType()).Mul(c.x(1)))
}

// lpNorm divides by the norm along an axis; where the norm is 0 the result is 0.
func lpNorm(c *call) []value {
	x, axis := c.x(0), c.int("axis")
	var norm graph.Node
	switch p := c.int("p"); p {
	case 1:
		norm = x.Norm1(axis, graph.KeepDims)
	case 2:
		norm = x.Norm2(axis, graph.KeepDims)
	default:
		return c.fail("p is %d: it must be 1 or 2", p)
	}
	return one(graph.Where(norm.Eq(0), 0, x.Div(norm)))
}

// localResponse divides by a power of the mean square of neighbouring channels.
func localResponse(c *call) []value {
	x, size := c.x(0), c.int("size")
	if size < 1 || x.Rank() < 2 {
		return c.fail("size %d for an operand of %d axes", size, x.Rank())
	}
	before, after := make([]int, x.Rank()), make([]int, x.Rank())
	before[1], after[1] = (size-1)/2, size-1-(size-1)/2
	sum := x.Square().Pad(before, after, graph.PadConstant).Window(1, size, 1, 1).Sum(-1)
	scale := sum.Mul(c.float("alpha") / float64(size)).Add(c.float("bias"))
	return one(x.Div(scale.Pow(c.float("beta"))))
}
