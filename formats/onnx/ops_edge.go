package onnx

import (
	"context"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Operators whose results have a size that depends on the data. They are computed from tensors, between the programs of
// two stages.

var edges = []operator{
	{"Compress", 9, latest, 2, 2, ir.AllTypes, attrs{"axis": unset{0}}, compress},
	{"NonMaxSuppression", 10, latest, 2, 5, ir.SetOf(ir.Float32), attrs{"center_point_box": 0}, nonMaxSuppression},
	{"NonZero", 9, latest, 1, 1, ir.Computed, nil, nonZero},
	{"Unique", 11, latest, 1, 1, ir.Computed, attrs{"axis": unset{0}, "sorted": 1}, unique},
}

// result is the type of an edge's result.
type result struct {
	dtype graph.DType
	shape graph.Shape
}

// edge adds an operator after the stage that computes its inputs. Its results are inputs of the next stage, or
// constants if all inputs are.
func (c *call) edge(eval evaluation, results ...result) []value {
	if c.err != nil {
		return nil
	}
	if !slices.ContainsFunc(c.in, func(v value) bool { return v.kind != constant }) {
		outs, err := eval(context.Background(), mapped(c.in, func(v value) *graph.Tensor { return v.tensor }))
		if err != nil {
			return c.fail("%w", err)
		}
		return mapped(outs, constantOf)
	}
	if c.stage == 0 && c.isSized() {
		c.needShapes()
		return nil
	}
	return c.edgeOn(c.all(), eval, results...)
}

// edgeOn adds an operator on Nodes of the stage.
func (c *call) edgeOn(operands []graph.Node, eval evaluation, results ...result) []value {
	e := edge{where: c.node.where(), eval: eval}
	for _, x := range operands {
		if err := x.Err(); err != nil {
			return c.fail("%w", err)
		}
		e.operands = append(e.operands, c.stages.number(x, c.stage))
	}
	var outs []value
	for _, r := range results {
		x := c.stages.input(c.node.op, r.dtype, c.stage+1, r.shape)
		outs = append(outs, value{kind: computed, node: x, stage: c.stage + 1})
		e.results = append(e.results, c.stages.numbers[x])
	}
	c.after = c.stage + 1
	at := c.stages.at(c.stage)
	at.edges = append(at.edges, e)
	return outs
}

// found returns a new symbolic size: the number of elements or slices in the result.
func (c *call) found() graph.Extent { return graph.Dim(c.stages.sizes.of("found")) }

func nonZero(c *call) []value {
	x := c.x(0)
	eval := func(ctx context.Context, in []*graph.Tensor) ([]*graph.Tensor, error) {
		at, err := graph.NonZero(ctx, in[0])
		return []*graph.Tensor{at}, err
	}
	return c.edge(eval, result{graph.Int64, graph.Shape{ir.Fixed(x.Rank()), c.found()}})
}

// alongAxis returns the axis of the attribute; without the attribute the input is flattened and the axis is 0.
func (c *call) alongAxis(x graph.Node) (axis int, flat bool) {
	axis, ok := attr[int](c, "axis")
	if !ok {
		return 0, true
	}
	return c.wrapAxis(axis, x.Rank()), false
}

func compress(c *call) []value {
	x := c.x(0)
	axis, flat := c.alongAxis(x)
	if flat {
		x = x.Flatten()
	}
	if c.err != nil {
		return nil
	}
	shape := slices.Clone(x.Shape())
	shape[axis] = c.found()
	eval := func(ctx context.Context, in []*graph.Tensor) ([]*graph.Tensor, error) {
		t := in[0]
		if flat {
			t = t.Reshape(t.Size())
		}
		kept, err := graph.Compress(ctx, t, in[1], axis)
		return []*graph.Tensor{kept}, err
	}
	return c.edge(eval, result{x.DType(), shape})
}

// unique returns the distinct elements or slices, the index of the first of each, for each element or slice its
// distinct one, and the counts.
func unique(c *call) []value {
	x := c.x(0)
	axis, flat := c.alongAxis(x)
	if flat {
		x = x.Flatten()
	}
	if c.err != nil {
		return nil
	}
	n, k := x.Shape()[axis], c.found()
	shape := slices.Clone(x.Shape())
	shape[axis] = k
	sorted := c.flag("sorted")
	eval := func(ctx context.Context, in []*graph.Tensor) ([]*graph.Tensor, error) {
		t := in[0]
		if flat {
			t = t.Reshape(t.Size())
		}
		return uniqueSlices(ctx, t, axis, sorted)
	}
	list := func(d graph.Extent) result { return result{graph.Int64, graph.Shape{d}} }
	return c.edge(eval, result{x.DType(), shape}, list(k), list(n), list(k))
}

// uniqueSlices finds the distinct slices of t along an axis, sorted by their elements or in order of first occurrence.
func uniqueSlices(ctx context.Context, t *graph.Tensor, axis int, sorted bool) ([]*graph.Tensor, error) {
	d, err := graph.Unique(ctx, t) // places are ordered as the elements are
	if err != nil {
		return nil, err
	}
	axes := append([]int{axis}, slices.Delete(from(0, t.Rank()), axis, axis+1)...)
	ranks, err := graph.Data[int64](d.Places.Permute(axes...).Contiguous())
	if err != nil {
		return nil, err
	}
	n := t.Shape()[axis]
	length := len(ranks) / max(n, 1)
	slice := func(i int) []int64 { return ranks[i*length : (i+1)*length] }
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return slices.Compare(slice(i), slice(j)) })
	var groups [][]int // groups of equal slices, each in order
	for at, i := range order {
		if at == 0 || !slices.Equal(slice(order[at-1]), slice(i)) {
			groups = append(groups, nil)
		}
		last := &groups[len(groups)-1]
		*last = append(*last, i)
	}
	if !sorted {
		slices.SortFunc(groups, func(a, b []int) int { return a[0] - b[0] })
	}
	first, inverse, counts := make([]int64, len(groups)), make([]int64, n), make([]int64, len(groups))
	for k, group := range groups {
		first[k], counts[k] = int64(group[0]), int64(len(group))
		for _, i := range group {
			inverse[i] = int64(k)
		}
	}
	p, err := graph.Compile(graph.Const(t).Take(axis, graph.Of(first)))
	if err != nil {
		return nil, err
	}
	values, err := p.Run(ctx)
	return []*graph.Tensor{values, graph.Of(first), graph.Of(inverse), graph.Of(counts)}, err
}
