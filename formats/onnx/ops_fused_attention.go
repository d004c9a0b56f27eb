package onnx

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Attention operators of the domain com.microsoft. ops_grouped_attention.go has GroupQueryAttention.

var fusedAttentions = []operator{
	{"com.microsoft.Attention", 1, latest, 2, 7, ir.Floats, with(fusedAttentionAttrs, attrs{"qkv_hidden_sizes": []int{}, "rotary_embedding_dim": 0}), func(c *call) []value {
		return c.selfAttention(c.plus(c.x(0).MatMul(c.x(1)), 2), 3, 4, 5)
	}},
	{"com.microsoft.GroupQueryAttention", 1, latest, 1, 17, ir.Floats, attrs{
		"causal": 1, "do_rotary": 0, "k_norm_epsilon": unset{0.}, "k_quant_type": "NONE", "kv_cache_bit_width": 0, "kv_num_heads": unset{0}, "local_window_size": -1,
		"num_heads": unset{0}, "q_norm_epsilon": unset{0.}, "qk_norm_epsilon": exactly(1e-6), "qk_output": 0, "rotary_interleaved": 0, "scale": unset{0.},
		"sliding_window_cache": 0, "smooth_softmax": -1, "softcap": 0., "v_quant_type": "NONE",
	}, groupQueryAttention},
	{"com.microsoft.MultiHeadAttention", 1, latest, 1, 10, ir.Floats, attrs{"mask_filter_value": -10000., "num_heads": unset{0}, "scale": unset{0.}, "unidirectional": 0}, multiHeadAttention},
	{"com.microsoft.QAttention", 1, latest, 5, 9, bytes, fusedAttentionAttrs, func(c *call) []value {
		y := asFloat32(c.x(0).MatMulInteger(c.x(1), c.optionalNode(6), c.optionalNode(7)))
		return c.selfAttention(y.Mul(c.x(3).Mul(c.x(4))).Add(c.x(2)), 5, 8, -1)
	}},
	{"com.microsoft.RotaryEmbedding", 1, latest, 4, 4, ir.Floats, attrs{"interleaved": 0, "is_packed_batching": 0, "num_heads": 0, "rotary_embedding_dim": 0, "scale": 1.}, cachedRotary},
}

var fusedAttentionAttrs = attrs{"do_rotary": 0, "mask_filter_value": -10000., "num_heads": unset{0}, "past_present_share_buffer": 0, "scale": unset{0.}, "unidirectional": 0}

// attended is an attention of several heads: queries, keys and values are [batch, heads, length, size].
type attended struct {
	q, k, v graph.Node
	scale   float64
	bias    []graph.Node // added to the scores
	masks   []mask
	sink    *graph.Node // another score of each row, which weighs no value: it broadcasts with [batch, heads, queries, 1]
	softcap float64
}

// mask replaces the scores of keys that are not seen.
type mask struct {
	seen    graph.Node
	instead float64
	added   bool // the number is added to the score
}

// result returns the results, [batch, queries, heads*size], and the scores before the softmax.
func (c *call) result(a attended) (y, scores graph.Node) {
	scores = a.q.MatMul(a.k.SwapAxes(-1, -2)).Mul(a.scale)
	if a.softcap != 0 {
		scores = scores.Div(a.softcap).Tanh().Mul(a.softcap)
	}
	for _, m := range a.masks {
		if m.added {
			scores = scores.Add(graph.Where(m.seen, 0, graph.Fill(scores.DType(), m.instead)))
		} else {
			scores = graph.Where(m.seen, scores, m.instead)
		}
	}
	for _, b := range a.bias {
		scores = scores.Add(b.Cast(scores.DType()))
	}
	if !c.good(scores) {
		return scores, scores
	}
	weights := scores
	if a.sink != nil {
		shape := scores.Shape()
		column := a.sink.Cast(scores.DType()).BroadcastTo(graph.Shape{shape[0], shape[1], shape[2], ir.Fixed(1)})
		weights = graph.Concat(-1, scores, column).Softmax(-1).SliceAxis(-1, 0, bound(shape[3]), 1)
	} else {
		weights = scores.Softmax(-1)
	}
	y = weights.MatMul(a.v)
	if !c.good(y) {
		return y, scores
	}
	s := y.Shape()
	return y.Permute(0, 2, 1, 3).Reshape(s[0], s[2], s[1].Mul(s[3])), scores
}

// split returns x, [batch, length, heads*size], as [batch, heads, length, size].
func (c *call) split(x graph.Node, heads int) graph.Node {
	if !c.good(x) {
		return x
	}
	s := x.Shape()
	if len(s) != 3 || heads < 1 {
		c.fail("an operand of shape %s for %d heads: it must be [batch, length, heads*size]", s, heads)
		return x
	}
	if n, fixed := s[2].Int(); fixed && n%heads != 0 {
		c.fail("an operand of shape %s for %d heads: the last axis must be a multiple of them", s, heads)
		return x
	}
	return x.Reshape(s[0], s[1], heads, s[2].Div(heads)).Permute(0, 2, 1, 3)
}

// scaleOf returns the attribute scale, or the usual one for heads of q.
func (c *call) scaleOf(q graph.Node) float64 {
	if scale, ok := attr[float64](c, "scale"); ok && scale != 0 {
		return scale
	}
	if q.Rank() != 4 {
		return 1
	}
	size, fixed := q.Shape()[3].Int()
	if !fixed {
		c.needShapes()
	}
	return 1 / math.Sqrt(float64(size))
}

// selfAttention attends to the queries, keys and values side by side in x, with a mask, a state of keys and values, and a
// bias of the scores as inputs, which may be left out.
func (c *call) selfAttention(x graph.Node, masks, past, bias int) []value {
	heads := c.int("num_heads")
	if c.flag("do_rotary") || c.flag("past_present_share_buffer") {
		return c.fail("do_rotary and past_present_share_buffer are not supported")
	}
	if !c.good(x) {
		return nil
	}
	all, fixed := x.Shape()[x.Rank()-1].Int()
	sizes := optional[[]int](c, "qkv_hidden_sizes")
	if len(sizes) == 0 {
		sizes = []int{all / 3, all / 3, all / 3}
	}
	if !fixed || x.Rank() != 3 || len(sizes) != 3 || min(sizes[0], sizes[1], sizes[2]) < 0 || sizes[0]+sizes[1]+sizes[2] != all {
		return c.fail("projections %s of sizes %v", x.Shape(), sizes)
	}
	parts := x.Split(2, sizes...)
	a := attended{q: c.split(parts[0], heads), k: c.split(parts[1], heads), v: c.split(parts[2], heads)}
	if c.err != nil {
		return nil
	}
	before := ir.Fixed(0)
	if c.has(past) {
		kept := c.x(past)
		if kept.Rank() != 5 {
			return c.fail("a state of shape %s: it must be [2, batch, heads, length, size]", kept.Shape())
		}
		before = kept.Shape()[3]
		a.k, a.v = graph.Concat(2, kept.Index(0, 0), a.k), graph.Concat(2, kept.Index(0, 1), a.v)
	}
	a.scale = c.scaleOf(a.q)
	if !c.good(a.k, a.v) {
		return nil
	}
	c.padding4(&a, masks)
	c.causal(&a, before)
	if bias >= 0 && c.has(bias) {
		a.bias = append(a.bias, c.x(bias))
	}
	if c.err != nil {
		return nil
	}
	y, _ := c.result(a)
	out := []value{compute(y)}
	if c.wants(1) {
		out = append(out, compute(graph.Stack(0, a.k, a.v)))
	}
	return out
}

// causal hides later keys from queries, if the attribute unidirectional says so. The first query comes after a number of
// keys.
func (c *call) causal(a *attended, before graph.Extent) {
	if !c.flag("unidirectional") {
		return
	}
	row := graph.Iota(graph.Int64, a.q.Shape()[2]).Unsqueeze(-1).Add(before)
	seen := graph.Iota(graph.Int64, a.k.Shape()[2]).Le(row)
	a.masks = append(a.masks, mask{seen: seen, instead: c.lowest(a.q)})
}

// lowest returns the least number of x's type.
func (c *call) lowest(x graph.Node) float64 {
	switch x.DType() {
	case graph.Float16:
		return -65504
	case graph.Float64:
		return -math.MaxFloat64
	case graph.BFloat16:
		return -0x1.fep127
	}
	return -math.MaxFloat32
}

// padding4 hides padding: input i has a number for each key that is 0 for padding, [batch, keys] or [batch, queries, keys],
// or the number of keys of each sample, [batch], or the ends of all samples and then their begins, [2*batch].
func (c *call) padding4(a *attended, i int) {
	if !c.has(i) {
		return
	}
	m, batch := c.x(i), a.q.Shape()[0]
	column := graph.Iota(graph.Int64, a.k.Shape()[2])
	number := func(v graph.Node) graph.Node { return alignAt(v.Cast(graph.Int64), 0, 4) }
	var seen graph.Node
	switch shape := m.Shape(); {
	case m.Rank() == 1 && shape[0] == batch:
		seen = column.Lt(number(m))
	case m.Rank() == 1 && shape[0] == batch.Mul(ir.Fixed(2)):
		seen = column.Lt(number(m.SliceAxis(0, 0, bound(batch), 1))).And(column.Ge(number(m.SliceAxis(0, bound(batch), math.MaxInt, 1))))
	case m.Rank() == 2:
		seen = m.Gt(0).Unsqueeze(1).Unsqueeze(1)
	case m.Rank() == 3:
		seen = m.Gt(0).Unsqueeze(1)
	default:
		c.fail("a mask of shape %s for a batch of %s", shape, batch)
		return
	}
	a.masks = append(a.masks, mask{seen: seen, instead: c.float("mask_filter_value"), added: true})
}

// multiHeadAttention takes queries, keys and values, which may be packed together.
func multiHeadAttention(c *call) []value {
	heads, q := c.int("num_heads"), c.x(0)
	if c.has(8) || c.has(9) {
		return c.fail("past_sequence_length and cache_indirection are not supported")
	}
	if !c.good(q) {
		return nil
	}
	if c.has(6) != c.has(7) {
		return c.fail("past_key and past_value: there must be both or none")
	}
	packed := func(x graph.Node, k int) graph.Node { // [batch, length, heads, parts, size]
		return x.Index(3, k).Permute(0, 2, 1, 3)
	}
	var a attended
	switch {
	case q.Rank() == 5:
		a.q, a.k, a.v = packed(q, 0), packed(q, 1), packed(q, 2)
	case !c.has(1):
		return c.fail("input 1 is missing: the keys")
	case c.x(1).Rank() == 5:
		a.q, a.k, a.v = c.split(q, heads), packed(c.x(1), 0), packed(c.x(1), 1)
	default:
		a.q, a.k, a.v = c.split(q, heads), c.x(1), c.x(2)
		if a.k.Rank() == 3 {
			a.k = c.split(a.k, heads)
		}
		if a.v.Rank() == 3 {
			a.v = c.split(a.v, heads)
		}
	}
	if !c.good(a.q, a.k, a.v) {
		return nil
	}
	if a.q.Rank() != 4 || a.k.Rank() != 4 || a.v.Rank() != 4 {
		return c.fail("keys %s and values %s: they must be [batch, length, heads*size] or [batch, heads, length, size]", a.k.Shape(), a.v.Shape())
	}
	if c.has(3) {
		c.addBias(&a, heads)
	}
	before := ir.Fixed(0)
	if c.has(6) {
		if c.x(6).Rank() != 4 {
			return c.fail("past_key of shape %s: it must be [batch, heads, length, size]", c.x(6).Shape())
		}
		before = c.x(6).Shape()[2]
		a.k, a.v = graph.Concat(2, c.x(6), a.k), graph.Concat(2, c.x(7), a.v)
	}
	if !c.good(a.q, a.k, a.v) {
		return nil
	}
	a.scale = c.scaleOf(a.q)
	c.padding4(&a, 4)
	c.causal(&a, before)
	if c.has(5) {
		a.bias = append(a.bias, c.x(5))
	}
	if c.err != nil {
		return nil
	}
	y, scores := c.result(a)
	return []value{compute(y), compute(a.k), compute(a.v), compute(scores)}
}

// addBias adds input 3, which has an element for each element of all heads of the queries, then of keys and values.
func (c *call) addBias(a *attended, heads int) {
	at := 0
	for _, x := range []*graph.Node{&a.q, &a.k, &a.v} {
		size, fixed := x.Shape()[3].Int()
		if !fixed {
			c.needShapes()
			return
		}
		part := c.x(3).SliceAxis(0, at, at+heads*size, 1)
		*x = x.Add(part.Reshape(heads, 1, size))
		at += heads * size
	}
}

// cachedRotary is RotaryEmbedding with the cosines and sines of all positions, and the position of each token, or of the
// first one.
func cachedRotary(c *call) []value {
	given, ids, cos, sin := c.x(0), c.x(1), c.x(2), c.x(3)
	if c.flag("is_packed_batching") || c.float("scale") != 1 {
		return c.fail("is_packed_batching and scale are not supported")
	}
	if !c.good(given, ids, cos, sin) || cos.Rank() != 2 {
		return c.fail("a cache of shape %s", cos.Shape())
	}
	half := c.lastExtent(2)
	x, n, heads := given, c.int("rotary_embedding_dim"), c.int("num_heads")
	if n == 0 {
		n = 2 * half
	}
	if given.Rank() == 3 {
		if heads == 0 && n > 0 {
			heads = c.lastExtent(0) / n
		}
		x = c.split(given, heads)
	}
	if c.err != nil || x.Rank() != 4 || n < 2 || n%2 != 0 || n/2 != half {
		return c.fail("an operand of shape %s, of whose heads %d elements are turned, with a cache %s", given.Shape(), n, cos.Shape())
	}
	if size, fixed := x.Shape()[3].Int(); !fixed || n > size {
		return c.fail("heads of size %s, of which %d elements are turned", x.Shape()[3], n)
	}
	at := ids.Cast(graph.Int64)
	if ids.Rank() == 1 {
		at = at.Add(graph.Iota(graph.Int64, x.Shape()[2])).Unsqueeze(0)
	}
	turn := func(cache graph.Node) graph.Node { return cache.Take(0, at).Unsqueeze(1) }
	y := rotated(x, turn(cos), turn(sin), n, c.flag("interleaved"))
	if given.Rank() == 3 {
		y = y.Permute(0, 2, 1, 3).Reshape(given.Shape())
	}
	return one(y)
}
