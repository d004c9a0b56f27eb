package onnx

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

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
	b, at := c.walk(t, classes)
	if c.err != nil {
		return nil
	}
	y := b.combine(at, classes, bySum)
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
		return c.twoClasses(b, at, y, labels, base, transform)
	}
	best := y
	switch len(base) {
	case 0:
		if voted := t.voted(classes); slices.Contains(voted, sometimes) { // a class without votes for a row is not its label
			best = graph.Where(b.voted(at, classes), y, math.Inf(-1))
		} else if slices.Contains(voted, never) {
			best = graph.Where(graph.Const(graph.Of(mapped(voted, func(v voting) bool { return v == always }))), y, math.Inf(-1))
		}
	case classes:
		y = y.Add(graph.Of(base))
		best = y
	default:
		return c.fail("%d base values of %d classes", len(base), classes)
	}
	y = y.Cast(graph.Float32)
	return []value{labels.at(best.Cast(graph.Float32).ArgMax(1)), compute(c.afterTransform(y, transform))}
}

// twoClasses returns the labels and scores of two classes from their votes y. The rules depend on the classes that have votes for the row:
// what each case yields is computed for all rows, and each row takes its own. Only few models have more cases than one.
func (c *call) twoClasses(b *treeTable, at, y graph.Node, labels labels, base []float64, transform string) []value {
	if len(base) > 2 {
		return c.fail("%d base values of 2 classes", len(base))
	}
	voted := b.trees.voted(2)
	threshold := 0.
	if b.trees.positive() && (voted[0] == never) != (voted[1] == never) {
		threshold = 0.5
	}
	var cases [][2]bool
	for _, v := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
		if voted[0].may(v[0]) && voted[1].may(v[1]) {
			cases = append(cases, v)
		}
	}
	second, scores := c.ofVoted(y, cases[0], base, threshold, transform)
	if len(cases) > 1 {
		has := b.voted(at, 2)
		for _, v := range cases[1:] {
			is, s := c.ofVoted(y, v, base, threshold, transform)
			here := has.Slice(":, 0:1").Eq(v[0]).And(has.Slice(":, 1:2").Eq(v[1]))
			second, scores = graph.Where(here, is, second), graph.Where(here, s, scores)
		}
	}
	return []value{labels.at(second.Squeeze(1).Cast(graph.Int64)), compute(scores)}
}

// ofVoted returns whether the label of each row is the second of two classes, and their scores, where the given classes have votes.
func (c *call) ofVoted(y graph.Node, voted [2]bool, base []float64, threshold float64, transform string) (second, scores graph.Node) {
	s := [2]graph.Node{y.Slice(":, 0:1"), y.Slice(":, 1:2")}
	switch {
	case len(base) == 2 && voted[1]:
		if s[1] = s[0].Add(base[1]); voted[0] {
			s[0] = s[1].Neg()
		}
	case len(base) > 0 && voted[0]:
		s[0] = s[0].Add(base[0])
	}
	s[0], s[1] = s[0].Cast(graph.Float32), s[1].Cast(graph.Float32)
	score := s[0]
	if voted[1] {
		score = s[1]
	}
	second = score.Gt(threshold)
	switch {
	case voted[1] || len(base) == 2:
		return second, c.afterTransform(graph.Concat(1, s[0], s[1]), transform)
	case transform == "LOGISTIC":
		return second, graph.Concat(1, score.Neg().Sigmoid(), score.Sigmoid())
	case threshold > 0:
		return second, graph.Concat(1, score.Neg().Add(1), score)
	}
	return second, graph.Concat(1, score.Neg(), score)
}

// voting tells for how many rows a class has votes: the leaves that the row reaches may have votes for other classes alone.
type voting uint8

const (
	never     voting = iota // no leaf votes for the class
	sometimes               // for the rows of some leaves
	always                  // all leaves of some tree vote for it
)

// may reports whether there can be a row that has votes, or has none.
func (v voting) may(has bool) bool { return v == sometimes || has == (v == always) }

// voted returns it for each class.
func (t *trees) voted(classes int) []voting {
	of := make([]voting, classes)
	seen := make([]int, len(t.nodes)) // the last tree, from 1, in which a node was seen
	votes := make([]int, classes)     // how many leaves of the tree vote for the class
	for tree, root := range t.roots {
		leaves := 0
		clear(votes)
		for next := []int{root}; len(next) > 0; {
			n := next[len(next)-1]
			next = next[:len(next)-1]
			if seen[n] == tree+1 {
				continue
			}
			seen[n] = tree + 1
			if node := &t.nodes[n]; node.mode != leafMode {
				next = append(next, node.yes, node.no)
				continue
			}
			leaves++
			for k, has := range t.votesOf(n, classes) {
				if has {
					votes[k]++
				}
			}
		}
		for k, n := range votes {
			switch {
			case n == leaves:
				of[k] = always
			case n > 0:
				of[k] = max(of[k], sometimes)
			}
		}
	}
	return of
}

// votesOf reports for which classes a leaf votes.
func (t *trees) votesOf(leaf, classes int) []bool {
	has := make([]bool, classes)
	for _, v := range t.nodes[leaf].votes {
		has[v.target] = true
	}
	return has
}

// positive reports whether no vote is negative.
func (t *trees) positive() bool {
	return !slices.ContainsFunc(t.nodes, func(n treeNode) bool {
		return slices.ContainsFunc(n.votes, func(v vote) bool { return v.weight < 0 })
	})
}

// voted returns whether the leaves at [n, trees] entries have votes for each class: [n, classes].
func (b *treeTable) voted(at graph.Node, classes int) graph.Node {
	has := make([]bool, 0, len(b.node)*classes)
	for _, node := range b.node {
		if node < 0 {
			has = append(has, make([]bool, classes)...)
			continue
		}
		has = append(has, b.trees.votesOf(node, classes)...)
	}
	return graph.Const(graph.Of(has, len(b.node), classes)).Take(0, at).Any(1)
}
