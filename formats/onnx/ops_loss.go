package onnx

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Losses of classification. The second axis of the scores counts classes; the target has a class number instead of that
// axis.

var lossAttrs = attrs{"ignore_index": unset{0}, "reduction": "mean"}

var losses = []operator{
	{"NegativeLogLikelihoodLoss", 12, latest, 2, 3, ir.Floats, lossAttrs, func(c *call) []value {
		return one(c.likelihoodLoss(c.x(0)))
	}},
	{"SoftmaxCrossEntropyLoss", 12, latest, 2, 3, ir.Floats, lossAttrs, func(c *call) []value {
		scores := c.x(0).LogSoftmax(1)
		return []value{compute(c.likelihoodLoss(scores)), compute(scores)}
	}},
}

// likelihoodLoss returns the negative scores of the target classes times their weights: elementwise, summed, or as a
// weighted mean. The loss of an ignored target is 0 whatever the scores are.
func (c *call) likelihoodLoss(scores graph.Node) graph.Node {
	target := c.x(1).Cast(graph.Int64)
	if scores.Rank() < 2 {
		c.fail("scores of %d axes: the second has the classes", scores.Rank())
		return scores
	}
	classes, fixed := scores.Shape()[1].Int()
	if !fixed {
		c.fail("the number of classes is symbolic")
		return scores
	}
	class, ignored := target, graph.Scalar(graph.Bool, false)
	hint := "a target is a class"
	if index, ok := attr[int](c, "ignore_index"); ok {
		ignored, hint = target.Eq(index), hint+" or ignore_index"
		class = graph.Where(ignored, 0, target)
	}
	at := class.CheckIndex(classes, hint).OneHot(graph.Bool, classes, 1)
	loss := graph.Where(at, scores.Neg(), 0).Sum(1)
	weight := graph.Fill(scores.DType(), 1, target.Shape())
	if c.has(2) {
		weight = graph.Where(at, alignAt(c.x(2), 1, scores.Rank()), 0).Sum(1)
	}
	weight = graph.Where(ignored, 0, weight)
	loss = graph.Where(ignored, 0, loss.Mul(weight))
	switch how := c.text("reduction"); how {
	case "none":
		return loss
	case "sum":
		return loss.Sum()
	case "mean":
		return loss.Sum().Div(weight.Sum())
	default:
		c.fail("reduction %q: it must be none, sum or mean", how)
		return loss
	}
}
