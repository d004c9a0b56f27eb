package onnx

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// GroupQueryAttention: fewer heads of keys and values than of queries, with a cache of keys and values. Each sample of the
// batch has its own length: its new keys follow those that it has in the cache.

// groupQueryAttention returns the results, and the caches with the new keys and values.
func groupQueryAttention(c *call) []value {
	heads, shared := c.int("num_heads"), c.int("kv_num_heads")
	for _, i := range []int{12, 13, 16} {
		if c.has(i) {
			return c.fail("input %d is not supported", i)
		}
	}
	if !c.has(5) || !c.has(6) {
		return c.fail("inputs 5 and 6 are needed: the lengths of the samples and the total length")
	}
	if c.flag("sliding_window_cache") || c.flag("qk_output") || c.text("k_quant_type") != "NONE" || c.text("v_quant_type") != "NONE" {
		return c.fail("a cache of windows, a quantized cache and qk_output are not supported")
	}
	q, k, v := c.groups(heads, shared)
	if c.err != nil {
		return nil
	}
	length := q.Shape()[2]
	total := c.x(5).Cast(graph.Int64).Add(1)                          // keys of each sample, with the new ones
	first := total.Sub(length).Maximum(0)                             // keys that it has in the cache
	rows := alignAt(first, 0, 2).Add(graph.Iota(graph.Int64, length)) // positions of the queries: [batch, length]
	if c.flag("do_rotary") {
		at := rows
		if c.has(9) {
			at = c.x(9).Cast(graph.Int64)
		}
		n := 2 * c.lastExtent(7)
		if size, fixed := q.Shape()[3].Int(); c.err != nil || !c.has(8) || !fixed || n > size || n < 2 {
			return c.fail("do_rotary with caches for %d elements of heads of size %s", n, q.Shape()[3])
		}
		cos, sin := c.x(7).Take(0, at).Unsqueeze(1), c.x(8).Take(0, at).Unsqueeze(1)
		q, k = rotated(q, cos, sin, n, c.flag("rotary_interleaved")), rotated(k, cos, sin, n, c.flag("rotary_interleaved"))
	}
	if !c.good(q, k, v, rows) {
		return nil
	}
	end := c.cacheLength(length)
	if c.err != nil {
		return nil
	}
	k, v = c.cached(3, k, first, end), c.cached(4, v, first, end)
	if !c.good(k, v) {
		return nil
	}
	a := attended{q: q, scale: c.scaleOf(q), softcap: c.float("softcap")}
	a.k, a.v = c.shared(k, q), c.shared(v, q)
	c.groupMasks(&a, rows, total, end)
	if c.err != nil {
		return nil
	}
	y, _ := c.result(a)
	return []value{compute(y), compute(k), compute(v)}
}

// groups returns queries, keys and values, [batch, heads, length, size], of the first three inputs, or of the first alone.
// Inputs 14 and 15 normalize the heads.
func (c *call) groups(heads, shared int) (q, k, v graph.Node) {
	x := c.x(0)
	if c.has(1) {
		q, k, v = c.split(x, heads), c.split(c.x(1), shared), c.split(c.x(2), shared)
	} else if size := c.lastExtent(0) / max(1, heads+2*shared); c.err == nil {
		parts := x.Split(-1, heads*size, shared*size, shared*size)
		q, k, v = c.split(parts[0], heads), c.split(parts[1], shared), c.split(parts[2], shared)
	}
	if c.err != nil || !c.has(14) {
		return q, k, v
	}
	norm := func(x graph.Node, weight int, name string) graph.Node {
		eps, ok := attr[float64](c, name)
		if !ok {
			eps = c.float("qk_norm_epsilon")
		}
		wide := widened(x)
		return wide.Div(wide.Square().Mean(-1, graph.KeepDims).Add(eps).Sqrt()).Cast(x.DType()).Mul(c.x(weight))
	}
	return norm(q, 14, "q_norm_epsilon"), norm(k, 15, "k_norm_epsilon"), v
}

// cacheLength returns the extent of the new caches: the total length, input 6, or the extent of the old caches if that is
// greater. If a run says both, the caches are taken to grow by the new keys.
func (c *call) cacheLength(length graph.Extent) graph.Extent {
	before := ir.Fixed(0)
	if c.has(3) {
		if c.x(3).Rank() != 4 {
			c.fail("past_key of shape %s: it must be [batch, heads, length, size]", c.x(3).Shape())
			return before
		}
		before = c.x(3).Shape()[2]
	}
	old, fixed := before.Int()
	if !fixed && c.in[6].kind == computed {
		return before.Add(length)
	}
	if fixed && c.in[6].kind == computed {
		c.in[6] = c.known(6)
	}
	total, _, ok := c.in[6].asSizes()
	if c.err != nil || !ok || len(total) != 1 {
		c.fail("total_sequence_length must be one integer")
		return before
	}
	if n, known := total[0].Int(); known && fixed {
		return ir.Fixed(max(n, old))
	}
	if !c.assume(total[0].Sub(before)) {
		return before.Add(length)
	}
	return total[0]
}

// cached returns a new cache of an extent: for each sample the first keys of the old cache, input i, then the new ones,
// then zeros.
func (c *call) cached(i int, x, first graph.Node, end graph.Extent) graph.Node {
	before, all := ir.Fixed(0), x
	if c.has(i) {
		before, all = c.x(i).Shape()[2], graph.Concat(2, c.x(i), x)
	}
	if !c.good(all) {
		return all
	}
	column, kept := graph.Iota(graph.Int64, end), alignAt(first, 0, 2)
	at := graph.Where(column.Lt(kept), column, column.Sub(kept).Add(before)) // [batch, end]
	last := all.Shape()[2].Sub(ir.Fixed(1))
	in := at.Le(last)
	shape := all.Shape()
	to := graph.Shape{shape[0], shape[1], end, shape[3]}
	place := func(v graph.Node) graph.Node { return v.Unsqueeze(1).Unsqueeze(-1) }
	return graph.Where(place(in), all.TakeAlong(2, place(at.Minimum(graph.Scalar(graph.Int64, 0).Add(last))).BroadcastTo(to)), 0)
}

// groupMasks hides later keys, those before the window, and those that the sample does not have. It adds the bias and the
// sink of each head.
func (c *call) groupMasks(a *attended, rows, total graph.Node, end graph.Extent) {
	column, row := graph.Iota(graph.Int64, end), rows.Unsqueeze(1).Unsqueeze(-1) // [batch, 1, length, 1]
	seen := column.Lt(alignAt(total, 0, 4))
	if c.flag("causal") {
		seen = seen.And(column.Le(row))
	}
	if n := c.int("local_window_size"); n >= 0 {
		seen = seen.And(row.Sub(column).Lt(n))
	}
	if c.has(10) {
		a.bias = append(a.bias, c.x(10).SliceAxis(-1, 0, bound(end), 1))
	}
	a.masks = append(a.masks, mask{seen: seen, instead: c.lowest(a.q)})
	if c.int("smooth_softmax") == 1 || c.has(11) {
		sink := graph.Scalar(graph.Float32, 0)
		if c.has(11) {
			sink = alignAt(c.x(11), 0, 3)
		}
		a.sink = &sink
	}
}
