package onnx

import (
	"context"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Forests of decision trees: the operators of ai.onnx.ml, whose attributes are lists with an element for each node or each vote of a
// leaf.

var (
	intList, floatList, tensorAttr = unset{[]int(nil)}, unset{[]float64(nil)}, unset{(*graph.Tensor)(nil)}

	nodeAttrs = attrs{
		"nodes_falsenodeids": intList, "nodes_featureids": intList, "nodes_hitrates": floatList, "nodes_hitrates_as_tensor": tensorAttr,
		"nodes_missing_value_tracks_true": intList, "nodes_modes": unset{[]string(nil)}, "nodes_nodeids": intList, "nodes_treeids": intList,
		"nodes_truenodeids": intList, "nodes_values": floatList, "nodes_values_as_tensor": tensorAttr,
		"base_values": floatList, "base_values_as_tensor": tensorAttr, "post_transform": "NONE",
	}
	classifierAttrs = with(nodeAttrs, with(labelAttrs("classlabels_int64s"), attrs{
		"class_ids": intList, "class_nodeids": intList, "class_treeids": intList, "class_weights": floatList, "class_weights_as_tensor": tensorAttr,
	}))
	regressorAttrs = with(nodeAttrs, attrs{
		"aggregate_function": "SUM", "n_targets": unset{0},
		"target_ids": intList, "target_nodeids": intList, "target_treeids": intList, "target_weights": floatList, "target_weights_as_tensor": tensorAttr,
	})
	ensembleAttrs = attrs{
		"aggregate_function": 1, "post_transform": 0, "n_targets": unset{0}, "tree_roots": intList, "nodes_hitrates": tensorAttr,
		"nodes_missing_value_tracks_true": intList, "nodes_modes": tensorAttr, "nodes_splits": tensorAttr, "nodes_featureids": intList,
		"nodes_truenodeids": intList, "nodes_falsenodeids": intList, "nodes_trueleafs": intList, "nodes_falseleafs": intList,
		"leaf_targetids": intList, "leaf_weights": tensorAttr, "membership_values": tensorAttr,
	}
)

// list returns a list attribute, nil if it is not given.
func list[T any](c *call, name string) []T {
	v, _ := attr[[]T](c, name)
	return v
}

// numbers returns the numbers of an attribute, which is a list or a tensor.
func (c *call) numbers(name, asTensor string) []float64 {
	if name != "" {
		if v := list[float64](c, name); len(v) > 0 {
			return v
		}
	}
	t, ok := attr[*graph.Tensor](c, asTensor)
	if !ok {
		return nil
	}
	x, err := toFloat64(t)
	if err != nil {
		c.fail("attribute %q: %w", asTensor, err)
	}
	return x
}

// rows returns input 0 as rows of features of a type; a vector is one row.
func (c *call) rows(dt graph.DType) graph.Node {
	x := c.x(0)
	if x.Rank() == 1 {
		x = x.Unsqueeze(0)
	}
	if c.good(x) && x.Rank() != 2 {
		c.fail("input 0 has the shape %s: it must be rows of features", x.Shape())
	}
	return x.Cast(dt)
}

// toFloat64 returns the elements of a tensor.
func toFloat64(t *graph.Tensor) ([]float64, error) {
	p, err := graph.Compile(graph.Const(t).Cast(graph.Float64))
	if err != nil {
		return nil, err
	}
	if t, err = p.Run(context.Background()); err != nil {
		return nil, err
	}
	return graph.Data[float64](t)
}

// scores returns the votes of the trees for the rows of input 0, combined for each target: [n, targets] of float64.
func (c *call) scores(t *trees, targets int, by aggregate) graph.Node {
	b, at := c.walk(t, targets)
	if c.err != nil {
		return at
	}
	return b.combine(at, targets, by)
}

// walk returns the table of the trees, and the entries of the leaves that the rows of input 0 reach: [n, trees]. It fails if a table with an
// element for each entry and target is too large.
func (c *call) walk(t *trees, targets int) (*treeTable, graph.Node) {
	x := c.x(0)
	dt := graph.Float32
	if t.wide() || x.DType() == graph.Float64 {
		dt = graph.Float64
	}
	x = c.rows(dt)
	if c.err != nil {
		return nil, x
	}
	if err := t.check(x.Shape()[1]); err != nil {
		c.fail("%w", err)
		return nil, x
	}
	b := t.table(dt == graph.Float64)
	elems, fits := layout.MulInt(len(b.node), targets)
	if len(b.node) > math.MaxInt32/ir.NodeWords || !fits || elems > mostVotes {
		c.fail("%d nodes with %d targets", len(b.node), targets)
		return nil, x
	}
	if c.spendElements(elems); c.err != nil {
		return nil, x
	}
	return b, b.leaves(x)
}

// combine returns the votes of the leaves at [n, trees] entries of the table, combined for each target: [n, targets] of float64.
func (b *treeTable) combine(at graph.Node, targets int, by aggregate) graph.Node {
	empty := 0. // of a tree that does not vote for a target
	switch by {
	case byMin:
		empty = math.Inf(1)
	case byMax:
		empty = math.Inf(-1)
	}
	votes := slices.Repeat([]float64{empty}, len(b.node)*targets)
	for at, node := range b.node {
		if node < 0 {
			continue
		}
		for _, v := range b.trees.nodes[node].votes {
			w := &votes[at*targets+v.target]
			switch by {
			case byMin:
				*w = min(*w, v.weight)
			case byMax:
				*w = max(*w, v.weight)
			default:
				*w += v.weight
			}
		}
	}
	of := graph.Const(graph.Of(votes, len(b.node), targets)).Take(0, at)
	var y graph.Node
	switch by {
	case byMin:
		y = of.Min(1)
	case byMax:
		y = of.Max(1)
	default:
		y = of.Sum(1)
	}
	switch by {
	case byAverage:
		y = y.Div(len(b.trees.roots))
	case byMin, byMax:
		y = graph.Where(y.Eq(empty), 0, y)
	}
	return y
}

// mostVotes limits the elements of the table of votes.
const mostVotes = 1 << 27

// aggregate is how the votes of the trees are combined.
type aggregate int

// The numbers are those of TreeEnsemble.
const (
	byAverage aggregate = iota
	bySum
	byMin
	byMax
)

// aggregates has the names of the aggregates, in their order.
var aggregates = []string{"AVERAGE", "SUM", "MIN", "MAX"}

// treeRegressor is TreeEnsembleRegressor.
func treeRegressor(c *call) []value {
	targets := c.targets()
	by := slices.Index(aggregates, c.text("aggregate_function"))
	if by < 0 {
		c.fail("aggregate_function %q", c.text("aggregate_function"))
	}
	t := c.listed("target", targets)
	base := c.numbers("base_values", "base_values_as_tensor")
	if len(base) > 0 && len(base) != targets {
		c.fail("%d base values of %d targets", len(base), targets)
	}
	if c.err != nil {
		return nil
	}
	y := c.scores(t, targets, aggregate(by))
	if len(base) > 0 {
		y = y.Add(graph.Of(base))
	}
	if c.err != nil {
		return nil
	}
	return one(c.afterTransform(y.Cast(graph.Float32), c.text("post_transform")))
}

// targets returns the attribute n_targets.
func (c *call) targets() int {
	n, ok := attr[int](c, "n_targets")
	if !ok || n < 1 || n > math.MaxInt16 {
		c.fail("n_targets is %d: it must be from 1 to %d", n, math.MaxInt16)
		return 1
	}
	return n
}

// treeEnsemble is TreeEnsemble.
func treeEnsemble(c *call) []value {
	targets, by, transform := c.targets(), c.int("aggregate_function"), c.int("post_transform")
	if by < 0 || by >= len(aggregates) || transform < 0 || transform >= len(transforms) {
		c.fail("aggregate_function %d, post_transform %d", by, transform)
	}
	t := c.direct(targets)
	if c.err != nil {
		return nil
	}
	y := c.scores(t, targets, aggregate(by))
	if c.err != nil {
		return nil
	}
	dt := c.in[0].dtype()
	if dt != graph.Float64 {
		y = y.Cast(graph.Float32)
	}
	return one(c.afterTransform(y, transforms[transform]).Cast(dt))
}
