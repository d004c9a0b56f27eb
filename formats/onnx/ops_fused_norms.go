package onnx

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Operators of the domain com.microsoft: normalizations with sums and lookups before them.

// tiny is the usual epsilon of these operators.
var tiny = exactly(1e-12)

var fusedNorms = []operator{
	{"com.microsoft.EmbedLayerNormalization", 1, latest, 1, 9, ir.SetOf(graph.Int32), attrs{"epsilon": tiny, "mask_index_type": 0}, embedLayerNorm},
	{"com.microsoft.GroupNorm", 1, latest, 3, 3, ir.Floats, groupNormAttrs, func(c *call) []value { return one(c.imageGroupNorm(c.x(0))) }},
	{"com.microsoft.SkipGroupNorm", 1, latest, 4, 5, ir.Floats, groupNormAttrs, skipGroupNorm},
	{"com.microsoft.SkipLayerNormalization", 1, latest, 3, 5, ir.Floats, attrs{"epsilon": tiny}, func(c *call) []value {
		sum := c.plus(c.x(0).Add(c.x(1)), 4)
		y, mean, inverse := c.lastAxisNorm(sum, c.x(2), true)
		return []value{compute(c.plus(y, 3)), compute(mean), compute(inverse), compute(sum)}
	}},
	{"com.microsoft.SkipSimplifiedLayerNormalization", 1, latest, 3, 4, ir.Floats, attrs{"epsilon": tiny}, func(c *call) []value {
		sum := c.plus(c.x(0).Add(c.x(1)), 3)
		y, mean, inverse := c.lastAxisNorm(sum, c.x(2), false)
		return []value{compute(y), compute(mean), compute(inverse), compute(sum)}
	}},
	{"SimplifiedLayerNormalization", 1, latest, 2, 2, ir.Floats, attrs{"axis": -1, "epsilon": small, "stash_type": 1}, rmsNorm}, // onnxruntime's name of RMSNormalization
}

var groupNormAttrs = attrs{"activation": 0, "channels_last": 1, "epsilon": exactly(1e-5), "groups": unset{0}}

// lastAxisNorm divides x by its root mean square along the last axis, after its mean is subtracted if it is centered, and
// scales it. The statistics are of float32 at least.
func (c *call) lastAxisNorm(x, scale graph.Node, centered bool) (y, mean, inverse graph.Node) {
	wide := widened(x)
	mean = wide.Mean(-1, graph.KeepDims)
	d := wide
	if centered {
		d = wide.Sub(mean)
	}
	inverse = d.Square().Mean(-1, graph.KeepDims).Add(c.float("epsilon")).Sqrt().Reciprocal()
	return d.Mul(inverse).Cast(x.DType()).Mul(scale), mean, inverse
}

// embedLayerNorm sums the embeddings of words, positions and segments, and normalizes the sums. The second output is the
// number of words of each sentence that the mask keeps.
func embedLayerNorm(c *call) []value {
	ids, positions := c.x(0), c.x(3)
	if !c.good(ids, positions) {
		return nil
	}
	sum := c.x(2).Take(0, ids)
	if c.has(8) {
		sum = sum.Add(positions.Take(0, c.x(8)))
	} else {
		sum = sum.Add(positions.SliceAxis(0, 0, bound(ids.Shape()[1]), 1))
	}
	if c.has(1) != c.has(4) {
		return c.fail("segment_ids and segment_embedding: there must be both or none")
	}
	if c.has(4) {
		sum = sum.Add(c.x(4).Take(0, c.x(1)))
	}
	y, _, _ := c.lastAxisNorm(sum, c.x(5), true)
	lengths := graph.Fill(graph.Int32, 0, ids.Shape()[0])
	if c.has(7) {
		lengths = c.x(7).Eq(1).Cast(graph.Int32).Sum(1).Cast(graph.Int32)
	}
	return []value{compute(y.Add(c.x(6))), compute(lengths), compute(sum)}
}

// imageGroupNorm normalizes groups of channels, the last or the second axis.
func (c *call) imageGroupNorm(x graph.Node) graph.Node {
	last := c.flag("channels_last")
	y := widened(x)
	if last {
		y = y.Permute(0, 3, 1, 2)
	}
	y = y.GroupNorm(c.int("groups"), c.x(1).Cast(y.DType()), c.x(2).Cast(y.DType()), c.float("epsilon"))
	if last {
		y = y.Permute(0, 2, 3, 1)
	}
	if c.int("activation") == 1 {
		y = y.SiLU()
	}
	return y.Cast(x.DType())
}

// skipGroupNorm adds a skip connection, which may lack the spatial axes, and a bias before the normalization.
func skipGroupNorm(c *call) []value {
	x, skip := c.x(0), c.x(3)
	axis := 1 // of channels
	if c.flag("channels_last") {
		axis = 3
	}
	if skip.Rank() == 2 {
		for k := 1; k < 4; k++ {
			if k != axis {
				skip = skip.Unsqueeze(k)
			}
		}
	}
	sum := x.Add(skip)
	if c.has(4) {
		sum = sum.Add(alignAt(c.x(4), axis, 4))
	}
	if !c.good(sum) {
		return nil
	}
	return []value{compute(c.imageGroupNorm(sum)), compute(sum)}
}
