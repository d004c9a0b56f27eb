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
