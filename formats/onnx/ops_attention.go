package onnx

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Attention: softmax(Q·Kᵀ)·V for several heads, with masks and a cache of keys and values.

var attentions = []operator{
	{"Attention", 23, 23, 3, 6, ir.Floats, attentionAttrs, attention},
	{"Attention", 24, 24, 3, 7, ir.Floats, attentionAttrs, attention},
	{"Attention", 25, latest, 3, 7, ir.Floats, with(attentionAttrs, attrs{"left_window_size": -1, "right_window_size": -1}), attention},
	{"RotaryEmbedding", 23, latest, 3, 4, ir.Floats, attrs{"interleaved": 0, "num_heads": unset{0}, "rotary_embedding_dim": 0}, rotaryEmbedding},
}

var attentionAttrs = attrs{
	"is_causal": 0, "kv_num_heads": unset{0}, "q_num_heads": unset{0}, "qk_matmul_output_mode": 0,
	"scale": unset{0.}, "softcap": 0., "softmax_precision": unset{0},
}

// heads returns x as [batch, heads, length, size]; x may also be [batch, length, heads*size].
func (c *call) heads(x graph.Node, attribute string) graph.Node {
	switch s := x.Shape(); len(s) {
	case 4:
		return x
	case 3:
		n := c.int(attribute)
		if d, fixed := s[2].Int(); n < 1 || !fixed || d%n != 0 {
			c.fail("an operand %s of %d heads: the last axis must be a multiple of them", s, n)
			return x
		}
		return x.Reshape(s[0], s[1], n, s[2].Div(n)).Permute(0, 2, 1, 3)
	}
	c.fail("an operand of shape %s: it must be [batch, heads, length, size] or [batch, length, heads*size]", x.Shape())
	return x
}

// attention returns the result, the keys and values including those from the cache, and the scores at the requested
// stage.
func attention(c *call) []value {
	given := c.x(0)
	q, k, v := c.heads(given, "q_num_heads"), c.heads(c.x(1), "kv_num_heads"), c.heads(c.x(2), "kv_num_heads")
	if c.err != nil {
		return nil
	}
	if c.has(4) != c.has(5) {
		return c.fail("past_key and past_value: there must be both or none")
	}
	before := ir.Fixed(0)
	if c.has(4) {
		before = c.x(4).Shape()[2]
		k, v = graph.Concat(2, c.x(4), k), graph.Concat(2, c.x(5), v)
	}
	keys, values := c.shared(k, q), c.shared(v, q)
	if c.err != nil {
		return nil
	}
	scale := c.scale(q)
	scores := q.Mul(scale).MatMul(keys.Mul(scale).SwapAxes(-1, -2))
	if !c.good(scores) {
		return nil
	}
	stages := [4]graph.Node{scores}
	if top := c.float("softcap"); top != 0 {
		scores = scores.Div(top).Tanh().Mul(top)
	}
	stages[1] = scores
	bias, hidden := c.attentionBias(scores, before)
	if bias != nil {
		shape := scores.Shape()
		if scores = scores.Add(*bias); !c.good(scores) || !slices.EqualFunc(scores.Shape(), shape, graph.Extent.MayEqual) {
			return c.fail("a mask %s for scores %s: it must broadcast to them", bias.Shape(), shape)
		}
	}
	stages[2] = scores
	if _, ok := attr[int](c, "softmax_precision"); ok {
		scores = scores.Cast(c.typeNamed("softmax_precision"))
	}
	weights := scores.Softmax(-1).Cast(given.DType())
	if hidden { // a row with no visible key has the result 0
		weights = graph.Where(bias.Max(-1, graph.KeepDims).Eq(math.Inf(-1)), 0, weights)
	}
	stages[3] = weights
	mode := c.int("qk_matmul_output_mode")
	if mode < 0 || mode >= len(stages) {
		return c.fail("qk_matmul_output_mode %d: it must be 0 to %d", mode, len(stages)-1)
	}
	y := weights.MatMul(values.Cast(given.DType()))
	if c.good(y) && given.Rank() == 3 {
		y = y.Permute(0, 2, 1, 3)
		y = y.Reshape(given.Shape()[0], given.Shape()[1], product(y.Shape()[2:]))
	}
	return []value{compute(y), compute(k), compute(v), compute(stages[mode])}
}

// scale returns the factor for queries and for keys: the square root of the scale of their products.
func (c *call) scale(q graph.Node) graph.Node {
	scale, ok := attr[float64](c, "scale")
	if size, fixed := q.Shape()[3].Int(); !ok && fixed {
		scale = 1 / math.Sqrt(float64(size))
	} else if !ok {
		c.fail("heads of size %s: give that with WithSize", q.Shape()[3])
	}
	return q.Scalar(math.Sqrt(scale))
}

// shared repeats keys or values so that each head of the queries has its own.
func (c *call) shared(x, q graph.Node) graph.Node {
	if !c.good(x, q) || x.Shape()[1] == q.Shape()[1] {
		return x
	}
	have, known := x.Shape()[1].Int()
	want, fixed := q.Shape()[1].Int()
	if !known || !fixed || have < 1 || want%have != 0 {
		c.fail("%s heads of queries for %s of keys and values: they must be a multiple", q.Shape()[1], x.Shape()[1])
		return x
	}
	return x.Repeat(1, want/have)
}

// attentionBias returns the bias of the scores, [batch, heads, queries, keys], or nil. hidden reports that a query may
// have no visible key.
func (c *call) attentionBias(scores graph.Node, before graph.Extent) (bias *graph.Node, hidden bool) {
	dt, queries, keys := scores.DType(), scores.Shape()[2], scores.Shape()[3]
	var seen []graph.Node // conditions under which a key is visible
	row, column := graph.Iota(graph.Int64, queries).Unsqueeze(-1).Add(before), graph.Iota(graph.Int64, keys)
	if c.has(6) {
		lengths := alignAt(c.x(6).Cast(graph.Int64), 0, 4)
		seen = append(seen, column.Lt(lengths))
		if !c.has(4) {
			row = row.Add(lengths.Sub(queries))
		}
	}
	if c.flag("is_causal") {
		seen = append(seen, column.Le(row))
	}
	if n := optional[int](c, "left_window_size"); c.op.since >= 25 && n >= 0 {
		seen = append(seen, row.Sub(column).Le(n))
	}
	if n := optional[int](c, "right_window_size"); c.op.since >= 25 && n >= 0 {
		seen = append(seen, column.Sub(row).Le(n))
	}
	hidden = len(seen) > 1 || len(seen) == 1 && !c.flag("is_causal")
	sum := graph.Fill(dt, 0)
	if c.has(3) {
		mask := c.padMask(c.x(3), keys)
		if hidden = true; mask.DType() == graph.Bool {
			seen = append(seen, mask)
		} else {
			sum = mask.Cast(dt)
		}
	} else if len(seen) == 0 {
		return nil, false
	}
	for _, on := range seen {
		sum = graph.Where(on, sum, math.Inf(-1))
	}
	return &sum, hidden
}

// padMask extends a mask so that it hides keys beyond its end.
func (c *call) padMask(mask graph.Node, keys graph.Extent) graph.Node {
	rank := mask.Rank()
	if rank == 0 || mask.Shape()[rank-1] == keys {
		return mask
	}
	have, known := mask.Shape()[rank-1].Int()
	want, fixed := keys.Int()
	if !known || !fixed || want < have {
		c.fail("a mask of shape %s for %s keys", mask.Shape(), keys)
		return mask
	}
	after := make([]int, rank)
	after[rank-1] = want - have
	if mask.DType() == graph.Bool {
		return mask.PadWith(make([]int, rank), after, false)
	}
	return mask.PadWith(make([]int, rank), after, math.Inf(-1))
}

// rotaryEmbedding rotates pairs of elements by the angles of their positions. The elements of a pair are neighbours, or
// half the elements apart. Only the first elements are rotated.
func rotaryEmbedding(c *call) []value {
	given := c.x(0)
	x, cos, sin := c.heads(given, "num_heads"), c.x(1), c.x(2)
	if c.err != nil {
		return nil
	}
	size, fixed := x.Shape()[3].Int()
	n := c.int("rotary_embedding_dim")
	if n == 0 {
		n = size
	}
	if !fixed || n < 2 || n > size || n%2 != 0 {
		return c.fail("%d of %s elements of a head are turned: it must be an even number of them", n, x.Shape()[3])
	}
	if c.has(3) {
		cos, sin = cos.Take(0, c.x(3)), sin.Take(0, c.x(3))
	}
	cos, sin = cos.Unsqueeze(1), sin.Unsqueeze(1) // [batch, 1, length, n/2]
	y := rotated(x, cos, sin, n, c.flag("interleaved"))
	if given.Rank() == 3 {
		y = y.Permute(0, 2, 1, 3).Reshape(given.Shape())
	}
	return one(y)
}

// rotated rotates the pairs of the first n elements of each head.
func rotated(x, cos, sin graph.Node, n int, interleaved bool) graph.Node {
	first, second := x.SliceAxis(-1, 0, n/2, 1), x.SliceAxis(-1, n/2, n, 1)
	if interleaved {
		first, second = x.SliceAxis(-1, 0, n, 2), x.SliceAxis(-1, 1, n, 2)
	}
	re, im := cos.Mul(first).Sub(sin.Mul(second)), sin.Mul(first).Add(cos.Mul(second))
	y := graph.Concat(-1, re, im)
	if interleaved && y.Err() == nil {
		y = graph.Stack(-1, re, im).Reshape(x.Shape()[:3], n)
	}
	if d := x.Shape()[3]; !d.Is(n) {
		y = graph.Concat(-1, y, x.SliceAxis(-1, n, bound(d), 1))
	}
	return y
}
