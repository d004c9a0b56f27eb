package onnx

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Operators about indices.

var indexing = []operator{
	{"EyeLike", 9, latest, 1, 1, ir.AllTypes, attrs{"dtype": unset{0}, "k": 0}, eyeLike},
	{"Gather", 1, latest, 2, 2, ir.AllTypes, attrs{"axis": 0}, gather},
	{"GatherElements", 11, latest, 2, 2, ir.AllTypes, attrs{"axis": 0}, gatherElements},
	{"GatherND", 11, 11, 2, 2, ir.AllTypes, nil, gatherND},
	{"GatherND", 12, latest, 2, 2, ir.AllTypes, attrs{"batch_dims": 0}, gatherND},
	{"OneHot", 9, latest, 3, 3, ir.Numeric, attrs{"axis": -1}, oneHot},
	{"Range", 11, 26, 3, 3, ir.Numeric, nil, ranged},
	{"Range", 27, latest, 3, 3, ir.Numeric, attrs{"stash_type": 1}, ranged},
	{"ReverseSequence", 10, latest, 2, 2, ir.AllTypes, attrs{"batch_axis": 1, "time_axis": 0}, reverseSequence},
	{"Scatter", 9, latest, 3, 3, ir.AllTypes, attrs{"axis": 0}, scatterElements},
	{"ScatterElements", 11, 15, 3, 3, ir.AllTypes, attrs{"axis": 0}, scatterElements},
	{"ScatterElements", 16, latest, 3, 3, ir.AllTypes, attrs{"axis": 0, "reduction": "none"}, scatterElements},
	{"ScatterND", 11, 15, 3, 3, ir.AllTypes, nil, scatterND},
	{"ScatterND", 16, latest, 3, 3, ir.AllTypes, attrs{"reduction": "none"}, scatterND},
	{"TensorScatter", 24, latest, 2, 3, ir.AllTypes, attrs{"axis": -2, "mode": "linear"}, tensorScatter},
	{"TopK", 1, 9, 1, 1, ir.Numeric, attrs{"axis": -1, "k": unset{0}}, topK},
	{"TopK", 10, 10, 2, 2, ir.Numeric, attrs{"axis": -1}, topK},
	{"TopK", 11, latest, 2, 2, ir.Numeric, attrs{"axis": -1, "largest": 1, "sorted": 1}, topK},
}

// gather takes slices of an axis. A single index that is known at load becomes a view.
func gather(c *call) []value {
	x := c.x(0)
	axis := c.axis(x.Rank())
	if c.err != nil {
		return nil
	}
	if sizes, scalar, ok := c.in[1].asSizes(); ok && scalar {
		if i, fixed := sizes[0].Int(); fixed {
			return one(x.Index(axis, i))
		}
	}
	return one(x.Take(axis, c.x(1).FromEnd(x.Shape()[axis])))
}

// gatherElements takes an element for each index. The other axes of the indices may be shorter.
func gatherElements(c *call) []value {
	x, at := c.x(0), c.x(1)
	axis := c.axis(x.Rank())
	if c.err != nil || at.Rank() != x.Rank() {
		return c.fail("indices of %d axes for an operand of %d", at.Rank(), x.Rank())
	}
	extent := x.Shape()[axis]
	for _, k := range c.shorter(x, at, axis) {
		x = x.SliceAxis(k, 0, bound(at.Shape()[k]), 1)
	}
	return one(x.TakeAlong(axis, at.FromEnd(extent)))
}

// shorter returns the axes, except one, along which y is shorter than x.
func (c *call) shorter(x, y graph.Node, but int) (axes []int) {
	for k, d := range x.Shape() {
		if k != but && d != y.Shape()[k] {
			axes = append(axes, k)
		}
	}
	return axes
}

func gatherND(c *call) []value {
	batch := optional[int](c, "batch_dims")
	return one(c.x(0).GatherND(c.tuples(batch), batch))
}

// tuples returns input 1, whose last axis has indices into the axes of input 0 after the batch axes. Negative indices
// count from the end.
func (c *call) tuples(batch int) graph.Node {
	x, at := c.x(0), c.x(1)
	if at.Rank() == 0 {
		c.fail("the indices have no axis")
		return at
	}
	n, fixed := at.Shape()[at.Rank()-1].Int()
	if !fixed || batch < 0 || n+batch > x.Rank() {
		c.fail("tuples of %s indices, behind %d axes, of %d", at.Shape()[at.Rank()-1], batch, x.Rank())
		return at
	}
	extents := sizesOf(x.Shape()[batch:batch+n], false).asNode()
	at = at.Cast(graph.Int64)
	return graph.Where(at.Lt(0), at.Add(extents), at)
}

// scatters maps names to how an update is combined with the element.
var scatters = map[string]graph.ScatterOp{
	"none": graph.ScatterSet, "add": graph.ScatterAdd, "mul": graph.ScatterMul, "max": graph.ScatterMax, "min": graph.ScatterMin,
}

func (c *call) scatterOp() graph.ScatterOp {
	if _, ok := c.op.attrs["reduction"]; !ok {
		return graph.ScatterSet
	}
	by, ok := scatters[c.text("reduction")]
	if !ok {
		c.fail("reduction %q: it must be none, add, mul, max or min", c.text("reduction"))
	}
	return by
}

// scatterElements stores an update at each index. If the indices are shorter along other axes, the rest of the operand
// is appended unchanged.
func scatterElements(c *call) []value {
	x, at, updates := c.x(0), c.x(1), c.x(2)
	axis, by := c.axis(x.Rank()), c.scatterOp()
	if c.err != nil || at.Rank() != x.Rank() {
		return c.fail("indices of %d axes for an operand of %d", at.Rank(), x.Rank())
	}
	axes := c.shorter(x, at, axis)
	part, rests := x, make([]graph.Node, len(axes))
	for i, k := range axes {
		end := bound(at.Shape()[k])
		part, rests[i] = part.SliceAxis(k, 0, end, 1), part.SliceAxis(k, end, math.MaxInt, 1)
	}
	y := part.Scatter(axis, at.FromEnd(x.Shape()[axis]), updates, by)
	for i, k := range slices.Backward(axes) {
		y = graph.Concat(k, y, rests[i])
	}
	return one(y)
}

func scatterND(c *call) []value {
	return one(c.x(0).ScatterND(c.tuples(0), c.x(2), c.scatterOp()))
}

// tensorScatter writes slices into a cache, for each sample of the batch from its own index on.
func tensorScatter(c *call) []value {
	cache, update := c.x(0), c.x(1)
	axis := c.axis(cache.Rank())
	if c.err != nil || update.Rank() != cache.Rank() {
		return c.fail("an update of %d axes for a cache of %d", update.Rank(), cache.Rank())
	}
	at := alignAt(graph.Iota(graph.Int64, update.Shape()[axis]), axis, cache.Rank())
	if c.has(2) {
		at = at.Add(alignAt(c.x(2).Cast(graph.Int64), 0, cache.Rank()))
	}
	if mode := c.text("mode"); mode == "circular" {
		at = at.WrapIndex(cache.Shape()[axis])
	} else if mode != "linear" {
		return c.fail("mode %q: it must be linear or circular", mode)
	}
	return one(cache.Scatter(axis, at.BroadcastTo(update.Shape()), update, graph.ScatterSet))
}

// reverseSequence reverses the first elements of each sample of the batch, as many as its sequence has.
func reverseSequence(c *call) []value {
	x, lengths := c.x(0), c.x(1).Cast(graph.Int64)
	time, batch := c.wrapAxis(c.int("time_axis"), x.Rank()), c.wrapAxis(c.int("batch_axis"), x.Rank())
	if c.err != nil {
		return nil
	}
	t := alignAt(graph.Iota(graph.Int64, x.Shape()[time]), time, x.Rank())
	n := alignAt(lengths, batch, x.Rank())
	return one(x.TakeAlong(time, graph.Where(t.Lt(n), n.Sub(1).Sub(t), t)))
}

// topK returns the greatest or least elements along an axis, and their indices. NaN is greater than all numbers, as in
// PyTorch.
func topK(c *call) []value {
	var k int
	if c.op.most == 1 {
		k = c.int("k")
	} else {
		k = c.int1(1)
	}
	x := c.x(0)
	axis := c.axis(x.Rank())
	if c.err != nil {
		return nil
	}
	pick := graph.Node.TopK
	if c.op.since >= 11 && !c.flag("largest") {
		pick = graph.Node.BottomK
	}
	if !ir.Floats.Has(x.DType()) {
		values, places := pick(x, axis, k)
		return []value{compute(values), compute(places)}
	}
	_, places := pick(orderedBits(x), axis, k)
	return []value{compute(x.TakeAlong(axis, places)), compute(places)}
}

// orderedBits returns integers in the order of floats: both zeros are equal, and NaN is the greatest.
func orderedBits(x graph.Node) graph.Node {
	dt, last := graph.Int32, int64(math.MaxInt32)
	if x.DType() == graph.Float64 {
		dt, last = graph.Int64, math.MaxInt64
	} else {
		x = x.Cast(graph.Float32)
	}
	bits := x.Add(0).Bitcast(dt)
	return graph.Where(x.IsNaN(), last, graph.Where(bits.Lt(0), bits.Xor(last), bits))
}

func eyeLike(c *call) []value {
	dt := c.in[0].dtype()
	if _, ok := attr[int](c, "dtype"); ok {
		dt = c.typeNamed("dtype")
	}
	return one(c.x(0).EyeLike(dt, c.int("k")))
}

// oneHot returns the second of two values at the indices, the first elsewhere.
func oneHot(c *call) []value {
	if c.in[1] = c.known(1); c.in[1].kind == constant {
		c.in[1] = rounded(c.in[1])
	}
	x, depth, values := c.x(0), c.int1(1), c.x(2)
	at := x.Cast(graph.Int64).OneHot(graph.Bool, depth, c.int("axis"))
	return one(graph.Where(at, values.Index(0, 1), values.Index(0, 0)))
}

// rounded returns a constant as int64.
func rounded(v value) value {
	out := []value{compute(v.asNode().Cast(graph.Int64))}
	if v.tensor.Size() > mostElems || fold(out) != nil {
		return v
	}
	return out[0]
}

// ranged returns the numbers from a start to a limit. A start and a limit may depend on sizes.
func ranged(c *call) []value {
	var q [3]quantity
	for i := range q {
		a, ok := c.in[i].asArray()
		if !ok {
			return c.rangedNumbers()
		}
		if len(a.elems) != 1 {
			return c.fail("input %d has %d elements: it must have one", i, len(a.elems))
		}
		q[i] = a.elems[0]
	}
	dt := c.in[0].dtype()
	if known := !slices.ContainsFunc(c.in, func(v value) bool { return v.kind != constant }); known {
		return c.rangedNumbers()
	}
	span, ok := sub(q[1], q[0])
	if ok {
		span, ok = over(span, q[2])
	}
	if !ok {
		c.needShapes()
		return nil
	}
	count, _ := ceil(span)
	step, _ := q[2].fixed()
	y := graph.Iota(dt, count.num)
	if step != 1 {
		y = y.Mul(y.Scalar(step))
	}
	if q[0] != integer(0) {
		y = y.Add(c.x(0).Reshape())
	}
	return one(y)
}

// rangedNumbers is ranged for numbers.
func (c *call) rangedNumbers() []value {
	var v [3]float64
	for i := range v {
		list := c.floats(i)
		if c.err == nil && len(list) != 1 {
			c.fail("input %d has %d elements: it must have one", i, len(list))
		}
		if c.err != nil {
			return nil
		}
		v[i] = list[0]
	}
	return one(graph.Range(c.in[0].dtype(), v[0], v[1], v[2]))
}
