package onnx

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Layers that carry a state along a sequence: linear attention, and causal convolutions.

var linearAttentions = []operator{
	{"CausalConvWithState", 27, latest, 2, 4, ir.Floats, attrs{"activation": "none"}, causalConv},
	{"LinearAttention", 27, latest, 3, 6, ir.Floats, attrs{
		"chunk_size": 64, "kv_num_heads": unset{0}, "q_num_heads": unset{0}, "scale": 0., "update_rule": "gated_delta",
	}, linearAttention},
}

// causalConv convolves each channel of x [batch, channels, length] with earlier elements. The state has the elements
// before the first one.
func causalConv(c *call) []value {
	x, w := c.x(0), c.x(1)
	channels, known := x.Shape()[1].Int()
	size, fixed := w.Shape()[2].Int()
	if !known || !fixed || size < 1 || channels < 1 {
		return c.fail("%s channels and windows of size %s: they must be known at load and not 0", x.Shape()[1], w.Shape()[2])
	}
	padded := x.Pad([]int{0, 0, size - 1}, []int{0, 0, 0}, graph.PadConstant)
	if c.has(3) {
		if past := c.x(3).Shape(); !past[2].Is(size - 1) {
			return c.fail("a state of shape %s for windows of %d elements: it has one element less", past, size)
		}
		padded = graph.Concat(2, c.x(3), x)
	}
	y := padded.Conv(w, graph.ConvOptions{Groups: channels})
	if c.has(2) {
		y = y.Add(alignAt(c.x(2), 1, 3))
	}
	if !c.good(y) {
		return nil
	}
	switch name := c.text("activation"); name {
	case "none":
	case "silu", "swish":
		y = widened(y).SiLU().Cast(x.DType())
	default:
		return c.fail("activation %q: it must be none, silu or swish", name)
	}
	return []value{compute(y), compute(padded.SliceAxis(2, x.Shape()[2], padded.Shape()[2], 1))}
}

// updateRules says which rules have the inputs decay and beta.
var updateRules = map[string][2]bool{"linear": {false, false}, "gated": {true, false}, "delta": {false, true}, "gated_delta": {true, true}}

// linearAttention keeps a matrix [batch, heads, key size, value size]. Each step adds the outer product of its key and
// value, and queries read the matrix. With decay the matrix is first multiplied by exp(decay). With beta the value read
// by the key is subtracted first, times beta. Steps become parts of the graph.
func linearAttention(c *call) []value {
	rule, ok := updateRules[c.text("update_rule")]
	if !ok || rule[0] != c.has(4) || rule[1] != c.has(5) {
		return c.fail("update_rule %q with inputs decay: %t, beta: %t", c.text("update_rule"), c.has(4), c.has(5))
	}
	var in [3]graph.Node
	for i, heads := range []string{"q_num_heads", "kv_num_heads", "kv_num_heads"} {
		in[i] = asFloat32(c.heads(c.x(i), heads))
	}
	q, k, v := in[0], in[1], in[2]
	heads := k.Shape()[1]
	if c.err != nil {
		return nil
	}
	scale := c.float("scale")
	size, fixed := k.Shape()[3].Int()
	steps, known := k.Shape()[2].Int()
	if !fixed || !known || size < 1 || steps < 1 || steps > mostTrips {
		return c.fail("keys of size %s in %s steps: both must be known at load, with 1 to %d steps", k.Shape()[3], k.Shape()[2], mostTrips)
	}
	c.spend(steps * stepNodes)
	if scale == 0 {
		scale = 1 / math.Sqrt(float64(size))
	}
	state := graph.Fill(graph.Float32, 0, k.Shape()[0], heads, size, v.Shape()[3])
	kept := c.x(0).DType()
	if c.has(3) {
		state, kept = asFloat32(c.x(3)), c.x(3).DType()
	}
	gate := func(i int) graph.Node { // [batch, heads, length, size or 1]
		x := asFloat32(c.x(i))
		n, _ := c.gateHeads(x, heads).Int()
		d, known := x.Shape()[2].Int()
		if !known || n < 1 || d%n != 0 {
			c.fail("an input of shape %s for %s heads: its last axis must be known at load, and a multiple of them", x.Shape(), heads)
			return x
		}
		return x.Reshape(x.Shape()[:2], n, d/n).Permute(0, 2, 1, 3)
	}
	var decay, beta graph.Node
	if rule[0] {
		decay = gate(4).Exp()
	}
	if rule[1] {
		beta = gate(5)
	}
	outs := make([]graph.Node, steps)
	for t := range outs {
		key, val := k.Index(2, t), v.Index(2, t).Unsqueeze(-2)
		if rule[0] {
			state = state.Mul(decay.Index(2, t).Unsqueeze(-1))
		}
		if rule[1] {
			read := state.Mul(key.Unsqueeze(-1)).Sum(-2, graph.KeepDims)
			val = beta.Index(2, t).Unsqueeze(-2).Mul(val.Sub(read))
		}
		state = state.Add(key.Unsqueeze(-1).Mul(val))
		outs[t] = c.shared(state, q).Mul(q.Index(2, t).Unsqueeze(-1)).Sum(-2).Mul(scale)
	}
	y := graph.Stack(1, outs...) // [batch, length, heads, size]
	if !c.good(y) {
		return nil
	}
	y = y.Reshape(slices.Clone(y.Shape()[:2]), -1)
	return []value{compute(y.Cast(c.x(0).DType())), compute(state.Cast(kept))}
}

// gateHeads returns the number of heads of decay or beta: one for all, or as many as the keys have.
func (c *call) gateHeads(x graph.Node, heads graph.Extent) graph.Extent {
	if x.Rank() != 3 {
		c.fail("an operand of shape %s: it must be [batch, length, heads] or [batch, length, heads*size]", x.Shape())
		return heads
	}
	if x.Shape()[2].Is(1) {
		return ir.Fixed(1)
	}
	return heads
}
