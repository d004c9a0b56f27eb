package optim

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Losses return one number for each example; take their Mean or Sum. None overflows for large logits, and neither do
// their gradients. None broadcasts: a shape that does not fit is an error with the line of the call.

// CrossEntropy returns -log(softmax(logits)) of the right class of each example. logits is [..., classes], of floats;
// labels is [...], of integers from 0 on. A label outside the classes is an error of the run, which names it and its
// place; Ignore leaves out the examples of a label.
func CrossEntropy(logits, labels graph.Node, options ...LossOption) graph.Node {
	switch p := logits.LogSoftmax(-1); {
	case p.Err() != nil:
		return p
	case labels.Err() != nil:
		return labels
	}
	s := logits.Shape()
	if !labels.Shape().Equal(s[:len(s)-1]) {
		return failed("CrossEntropy of logits %v and labels %v: labels must have the shape of the logits without the last axis", s, labels.Shape())
	}
	if !ir.Ints.Has(labels.DType()) {
		return failed("CrossEntropy of %s labels: they must be integers", labels.DType())
	}
	classes := s[len(s)-1]
	class, ignored := labels, graph.Scalar(graph.Bool, false)
	for _, o := range options {
		ignored = ignored.Or(o.ignores(labels))
	}
	if len(options) > 0 {
		class = graph.Where(ignored, 0, labels)
		logits = graph.Where(ignored.Unsqueeze(-1), 0, logits) // the gradient is 0 whatever they were
	}
	class = class.CheckIndex(classes, "a label is a class, or one that Ignore leaves out")
	right := class.Unsqueeze(-1).Eq(graph.Iota(graph.Int64, classes))
	loss := graph.Where(right, logits.LogSoftmax(-1), 0).Sum(-1).Neg()
	if len(options) > 0 {
		loss = graph.Where(ignored, math.NaN(), loss)
	}
	return loss
}

// A LossOption changes a loss.
type LossOption struct{ ignored int64 }

// ignores returns which labels the option leaves out.
func (o LossOption) ignores(labels graph.Node) graph.Node {
	switch {
	case labels.DType() != graph.Uint64:
		return labels.Cast(graph.Int64).Eq(o.ignored)
	case o.ignored < 0:
		return graph.Scalar(graph.Bool, false)
	}
	return labels.Eq(uint64(o.ignored))
}

// Ignore leaves the examples of a label, which may be outside the classes, out of CrossEntropy: their losses are NaN,
// which NanMean and NanSum leave out, and their gradients are 0.
//
//	loss := optim.CrossEntropy(logits, labels, optim.Ignore(-100)).NanMean()
func Ignore(label int64) LossOption { return LossOption{label} }

// BinaryCrossEntropy returns -log(p) where the target is 1 and -log(1-p) where it is 0, for the probability p =
// sigmoid(logits). Targets between 0 and 1 mix the two. Both have the same shape. It is computed as max(logits, 0) -
// logits*targets + log(1 + exp(-|logits|)), which is exact where the probability is right, however near to 1.
func BinaryCrossEntropy(logits, targets graph.Node) graph.Node {
	if bad := sameShape("BinaryCrossEntropy", logits, targets); bad != nil {
		return *bad
	}
	return logits.Maximum(0).Sub(logits.Mul(targets)).Add(logits.Abs().Neg().Softplus())
}

// Huber returns half the square of the difference x - y where its magnitude is at most delta, and grows linearly
// beyond (Huber, Robust estimation of a location parameter, 1964). Both have the same shape; delta is greater than 0.
func Huber(x, y graph.Node, delta float64) graph.Node {
	if bad := sameShape("Huber", x, y); bad != nil {
		return *bad
	}
	if !(delta > 0) {
		return failed("Huber with delta %v: it must be greater than 0", delta)
	}
	d := x.Sub(y)
	size := d.Abs()
	return graph.Where(size.Le(delta), d.Square().Mul(0.5), size.Sub(delta/2).Mul(delta))
}

// sameShape returns a failed Node if the shapes of a loss's operands differ, and nil otherwise. Losses do not broadcast:
// predictions [n,1] and targets [n] would make [n,n] losses, whose mean is a plausible number.
func sameShape(loss string, x, y graph.Node) *graph.Node {
	if x.Err() != nil || y.Err() != nil || x.Shape().Equal(y.Shape()) {
		return nil
	}
	bad := failed("%s of %v and %v: the shapes must be equal; Reshape or Squeeze makes them so, BroadcastTo repeats one", loss, x.Shape(), y.Shape())
	return &bad
}
