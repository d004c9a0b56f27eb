package onnx

import (
	"math"
	"slices"
)

// Decision trees as files have them: lists with an element for each node or each vote of a leaf.

// nodeID names a node in the attributes of the operators with tree numbers.
type nodeID struct{ tree, node int }

// listed reads the trees of the operators with tree numbers. Leaves have votes of the attributes that begin with a prefix.
func (c *call) listed(prefix string, targets int) *trees {
	t := &trees{}
	ids, treeIDs, names := list[int](c, "nodes_nodeids"), list[int](c, "nodes_treeids"), list[string](c, "nodes_modes")
	yes, no, features := list[int](c, "nodes_truenodeids"), list[int](c, "nodes_falsenodeids"), list[int](c, "nodes_featureids")
	splits := c.numbers("nodes_values", "nodes_values_as_tensor")
	missing := list[int](c, "nodes_missing_value_tracks_true")
	c.sameLength("nodes", len(ids), len(treeIDs), len(names), len(yes), len(no), len(features), len(splits))
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
	c.votes(t, prefix, targets, find)
	return t
}

// sameLength fails if the attributes of nodes or votes have other lengths than the first one.
func (c *call) sameLength(what string, first int, others ...int) {
	for _, n := range others {
		if n != first {
			c.fail("attributes of %d %s and of %d: they must have one length", first, what, n)
		}
	}
}

// votes reads the votes of leaves, which find finds, from the attributes that begin with a prefix.
func (c *call) votes(t *trees, prefix string, targets int, find func(tree, node int) int) {
	ids, nodes, treeIDs := list[int](c, prefix+"_ids"), list[int](c, prefix+"_nodeids"), list[int](c, prefix+"_treeids")
	weights := c.numbers(prefix+"_weights", prefix+"_weights_as_tensor")
	if c.sameLength("votes", len(ids), len(nodes), len(treeIDs), len(weights)); c.err != nil {
		return
	}
	for k, target := range ids {
		if i := find(treeIDs[k], nodes[k]); c.err == nil {
			if target < 0 || target >= targets {
				c.fail("a vote for %d of %d", target, targets)
			}
			t.nodes[i].votes = append(t.nodes[i].votes, vote{target, weights[k]})
		}
	}
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
	c.sameLength("nodes", len(features), len(codes), len(splits), len(yes), len(no), len(yesLeaf), len(noLeaf))
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
			tests := memberTests(n, set, len(features)+len(voteIDs)+len(chain))
			n, chain = tests[0], append(chain, tests[1:]...)
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

// memberTests returns the chain of tests for equality that a test for membership in a set becomes. The first one takes its place; the
// others have numbers from next on.
func memberTests(n treeNode, set []float64, next int) []treeNode {
	n.mode, n.split = equal, math.NaN()
	tests := []treeNode{n}
	for k, x := range set {
		if k > 0 {
			tests = append(tests, n)
			tests[k].missing = false
			tests[k-1].no = next + k - 1
		}
		tests[k].split = x
	}
	return tests
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
