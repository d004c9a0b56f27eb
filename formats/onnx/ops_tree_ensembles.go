package onnx

import (
	"context"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
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

// nodeID names a node in the attributes of the operators with tree numbers.
type nodeID struct{ tree, node int }

// listed reads the trees of the operators with tree numbers. Leaves have votes of the attributes that begin with a prefix.
func (c *call) listed(prefix string, targets int) *trees {
	t := &trees{}
	ids, treeIDs, names := list[int](c, "nodes_nodeids"), list[int](c, "nodes_treeids"), list[string](c, "nodes_modes")
	yes, no, features := list[int](c, "nodes_truenodeids"), list[int](c, "nodes_falsenodeids"), list[int](c, "nodes_featureids")
	splits := c.numbers("nodes_values", "nodes_values_as_tensor")
	missing := list[int](c, "nodes_missing_value_tracks_true")
	for _, n := range []int{len(treeIDs), len(names), len(yes), len(no), len(features), len(splits)} {
		if n != len(ids) {
			c.fail("attributes of %d nodes and of %d: they must have one length", len(ids), n)
		}
	}
	voteIDs, voteNodes, voteTrees := list[int](c, prefix+"_ids"), list[int](c, prefix+"_nodeids"), list[int](c, prefix+"_treeids")
	weights := c.numbers(prefix+"_weights", prefix+"_weights_as_tensor")
	for _, n := range []int{len(voteNodes), len(voteTrees), len(weights)} {
		if n != len(voteIDs) {
			c.fail("attributes of %d votes and of %d: they must have one length", len(voteIDs), n)
		}
	}
	if len(ids) == 0 {
		c.fail("there are no nodes")
	}
	if c.err != nil {
		return t
	}
	at := make(map[nodeID]int, len(ids))
	for i, id := range ids {
		key := nodeID{treeIDs[i], id}
		if _, twice := at[key]; twice {
			c.fail("node %d of tree %d is there twice", id, treeIDs[i])
		}
		at[key] = i
		m := slices.Index(modes, names[i])
		if m < 0 || mode(m) == member {
			c.fail("node %d of tree %d: mode %q", id, treeIDs[i], names[i])
		}
		n := treeNode{mode: mode(max(m, 0)), feature: features[i], split: splits[i], missing: i < len(missing) && missing[i] != 0}
		t.nodes = append(t.nodes, n)
		if i == 0 || treeIDs[i] != treeIDs[i-1] {
			t.roots = append(t.roots, i)
		}
	}
	find := func(tree, node int) int {
		i, ok := at[nodeID{tree, node}]
		if !ok {
			c.fail("tree %d has no node %d", tree, node)
		}
		return i
	}
	for i := range t.nodes {
		if n := &t.nodes[i]; n.mode != leafMode && c.err == nil {
			n.yes, n.no = find(treeIDs[i], yes[i]), find(treeIDs[i], no[i])
		}
	}
	for k, target := range voteIDs {
		if i := find(voteTrees[k], voteNodes[k]); c.err == nil {
			if target < 0 || target >= targets {
				c.fail("a vote for %d of %d", target, targets)
			}
			t.nodes[i].votes = append(t.nodes[i].votes, vote{target, weights[k]})
		}
	}
	return t
}

// direct reads the trees of TreeEnsemble, whose leaves have a list of their own. A test for membership becomes a chain of tests for
// equality.
func (c *call) direct(targets int) *trees {
	t := &trees{}
	codes := c.numbers("", "nodes_modes")
	splits := c.numbers("", "nodes_splits")
	weights := c.numbers("", "leaf_weights")
	members := c.numbers("", "membership_values")
	features, missing := list[int](c, "nodes_featureids"), list[int](c, "nodes_missing_value_tracks_true")
	yes, no := list[int](c, "nodes_truenodeids"), list[int](c, "nodes_falsenodeids")
	yesLeaf, noLeaf, voteIDs := list[int](c, "nodes_trueleafs"), list[int](c, "nodes_falseleafs"), list[int](c, "leaf_targetids")
	t.roots = slices.Clone(list[int](c, "tree_roots"))
	for _, n := range []int{len(codes), len(splits), len(yes), len(no), len(yesLeaf), len(noLeaf)} {
		if n != len(features) {
			c.fail("attributes of %d nodes and of %d: they must have one length", len(features), n)
		}
	}
	if len(voteIDs) != len(weights) || len(weights) == 0 || len(t.roots) == 0 {
		c.fail("%d leaves with %d weights, %d roots: there must be as many weights, and a root", len(voteIDs), len(weights), len(t.roots))
	}
	if c.err != nil {
		return t
	}
	child := func(i, leaf int) int { // leaves are behind the nodes
		switch {
		case leaf == 0 && i >= 0 && i < len(features):
			return i
		case leaf != 0 && i >= 0 && i < len(voteIDs):
			return i + len(features)
		}
		c.fail("child %d does not exist", i)
		return 0
	}
	t.nodes = make([]treeNode, len(features), len(features)+len(voteIDs))
	var chain []treeNode // of tests for membership, behind the leaves
	for i := range features {
		m := lessEqual
		if x := codes[i]; x >= 0 && x < float64(leafMode) && x == math.Trunc(x) {
			m = mode(x)
		} else {
			c.fail("node %d has the mode %v: it must be a whole number from 0 to %d", i, x, leafMode-1)
		}
		n := treeNode{mode: m, feature: features[i], split: splits[i], missing: i < len(missing) && missing[i] != 0, yes: child(yes[i], yesLeaf[i]), no: child(no[i], noLeaf[i])}
		if m == member {
			var set []float64
			set, members = cutAtNaN(members)
			n.mode = equal
			tests := []treeNode{n}
			for k, x := range set {
				if k > 0 {
					tests = append(tests, n)
					tests[k].missing = false
					tests[k-1].no = len(features) + len(voteIDs) + len(chain) + k - 1
				}
				tests[k].split = x
			}
			if len(set) == 0 {
				tests[0].split = math.NaN()
			}
			n = tests[0]
			chain = append(chain, tests[1:]...)
		}
		t.nodes[i] = n
	}
	for k, target := range voteIDs {
		if target < 0 || target >= targets {
			c.fail("a vote for %d of %d", target, targets)
		}
		t.nodes = append(t.nodes, treeNode{mode: leafMode, votes: []vote{{target, weights[k]}}})
	}
	t.nodes = append(t.nodes, chain...)
	return t
}

// cutAtNaN returns the elements before the first NaN, and those behind it.
func cutAtNaN(x []float64) (head, tail []float64) {
	for i := range x {
		if x[i] != x[i] {
			return x[:i], x[i+1:]
		}
	}
	return x, nil
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
	x := c.x(0)
	dt := graph.Float32
	if t.wide() || x.DType() == graph.Float64 {
		dt = graph.Float64
	}
	x = c.rows(dt)
	if c.err != nil {
		return x
	}
	if err := t.check(x.Shape()[1]); err != nil {
		c.fail("%w", err)
		return x
	}
	b := t.table(dt == graph.Float64)
	if len(b.node) > math.MaxInt32/ir.NodeWords || len(b.node)*targets > mostVotes {
		c.fail("%d nodes with %d targets", len(b.node), targets)
		return x
	}
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
		for _, v := range t.nodes[node].votes {
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
	of := graph.Const(graph.Of(votes, len(b.node), targets)).Take(0, b.leaves(x))
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
		y = y.Div(len(t.roots))
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

// treeClassifier is TreeEnsembleClassifier. One class and two have rules of their own, which are onnxruntime's: if all votes are for the
// first of two classes, their sum is the score of the second one.
func treeClassifier(c *call) []value {
	labels, classes := c.labels("classlabels_int64s")
	if c.err != nil {
		return nil
	}
	t := c.listed("class", classes)
	base := c.numbers("base_values", "base_values_as_tensor")
	if c.err != nil {
		return nil
	}
	voted, positive := make([]bool, classes), true // classes with votes; whether no vote is negative
	for _, n := range t.nodes {
		for _, v := range n.votes {
			voted[v.target] = true
			positive = positive && v.weight >= 0
		}
	}
	y := c.scores(t, classes, bySum)
	if c.err != nil {
		return nil
	}
	transform := c.text("post_transform")
	switch classes {
	case 1: // the scores have no transform, and the labels are 0 and 1
		switch len(base) {
		case 0:
		case 1:
			y = y.Add(base[0])
		default:
			return c.fail("%d base values of 1 class", len(base))
		}
		y = y.Cast(graph.Float32)
		return []value{c.zeroOrOne(labels).at(y.Gt(0).Squeeze(1).Cast(graph.Int64)), compute(y)}
	case 2:
		return c.twoClasses(y, labels, voted, positive, base, transform)
	}
	switch len(base) {
	case 0:
	case classes:
		y = y.Add(graph.Of(base))
		clear(voted)
	default:
		return c.fail("%d base values of %d classes", len(base), classes)
	}
	best := y
	if slices.Contains(voted, true) { // a class without votes is never the best
		best = graph.Where(graph.Const(graph.Of(voted)), y, math.Inf(-1))
	}
	y = y.Cast(graph.Float32)
	return []value{labels.at(best.Cast(graph.Float32).ArgMax(1)), compute(c.afterTransform(y, transform))}
}

// twoClasses returns the labels and scores of two classes from their votes.
func (c *call) twoClasses(y graph.Node, labels labels, voted []bool, positive bool, base []float64, transform string) []value {
	s := [2]graph.Node{y.Slice(":, 0:1"), y.Slice(":, 1:2")}
	switch {
	case len(base) > 2:
		return c.fail("%d base values of 2 classes", len(base))
	case len(base) == 2 && voted[1]:
		if s[1] = s[0].Add(base[1]); voted[0] {
			s[0] = s[1].Neg()
		}
	case len(base) > 0 && voted[0]:
		s[0] = s[0].Add(base[0])
	}
	alone := !voted[1] && len(base) < 2
	s[0], s[1] = s[0].Cast(graph.Float32), s[1].Cast(graph.Float32)
	score, threshold := s[0], 0.
	if voted[1] {
		score = s[1]
	}
	if positive && voted[0] != voted[1] {
		threshold = 0.5
	}
	second := score.Gt(threshold)
	scores := graph.Concat(1, s[0], s[1])
	switch {
	case !alone:
		scores = c.afterTransform(scores, transform)
	case transform == "LOGISTIC":
		scores = graph.Concat(1, score.Neg().Sigmoid(), score.Sigmoid())
	case threshold > 0:
		scores = graph.Concat(1, score.Neg().Add(1), score)
	default:
		scores = graph.Concat(1, score.Neg(), score)
	}
	return []value{labels.at(second.Squeeze(1).Cast(graph.Int64)), compute(scores)}
}
