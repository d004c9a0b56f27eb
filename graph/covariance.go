package graph

// Statistics of weighted observations.

// WeightedMean returns the sum of weights*x along axes divided by the sum of the weights, for floats. The weights are a
// Node or Tensor of x's type that broadcasts to x's shape. The result is NaN where the weights add up to 0. Options:
// KeepDims.
func (x Node) WeightedMean(weights any, axes ...any) Node {
	if n, _ := x.count(axes, "KeepDims"); n.Err() != nil {
		return n
	}
	return x.withOperands(func(x Node, operands []Node) Node {
		w := operands[0].BroadcastTo(x.get().typ.Shape)
		return x.Mul(w).Sum(axes...).Div(w.Sum(axes...))
	}, weights)
}

// Cov returns the covariance matrix, [k,k], of the k columns of x, [n,k], whose rows are observations, as NumPy's
// cov(x, rowvar=False, ddof=0). weights is a Node or Tensor [n] of x's type that says how often each row counts; nil
// counts each row once. With DDOF(d) the divisor is the sum of weights minus d.
func (x Node) Cov(weights any, opts ...ReduceOption) Node {
	if x.Err() != nil {
		return x
	}
	if x.Rank() != 2 {
		return fail("takes observations by variables, [n,k], not %s", x.get().text())
	}
	return x.withWeights(weights, func(x Node, w *Node) Node { return x.cov(w, opts) })
}

// withWeights returns f of x and of the weights of its rows, which are nil if none are given.
func (x Node) withWeights(weights any, f func(x Node, w *Node) Node) Node {
	if weights == nil {
		return x.inComputeType(func(x Node) Node { return f(x, nil) })
	}
	return x.withOperands(func(x Node, operands []Node) Node {
		w := operands[0]
		if w.Rank() != 1 {
			return fail("weights of shape %s: give one for each row", w.Shape())
		}
		w = w.Unsqueeze(1)
		return f(x, &w)
	}, weights)
}

func (x Node) cov(weights *Node, opts []ReduceOption) Node {
	args := []any{0}
	for _, o := range opts {
		args = append(args, o)
	}
	n, r := x.count(args, "DDOF")
	if n.Err() != nil {
		return n
	}
	if weights == nil {
		d := x.Sub(x.Mean(0))
		return d.T().MatMul(d).Div(n.Sub(r.ddof).Maximum(0))
	}
	w := *weights
	d := x.Sub(x.WeightedMean(w, 0))
	return d.T().MatMul(d.Mul(w)).Div(w.Sum().Sub(r.ddof).Maximum(0))
}

// Corr returns the correlation matrix, [k,k], of the k columns of x, [n,k], whose rows are observations: covariances
// divided by the standard deviations of both variables, with magnitudes of at most 1. A variable that does not vary
// gives NaN. weights are those of Cov.
func (x Node) Corr(weights any) Node {
	if x.Err() != nil {
		return x
	}
	if x.Rank() != 2 {
		return fail("takes observations by variables, [n,k], not %s", x.get().text())
	}
	return x.withWeights(weights, func(x Node, w *Node) Node {
		c := x.cov(w, nil)
		s := c.Diagonal(0, 0, 1).Sqrt()
		return c.Div(s.Unsqueeze(1)).Div(s.Unsqueeze(0)).Clip(-1, 1)
	})
}
