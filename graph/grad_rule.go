package graph

// Rules for the derivatives of composites: nodes with a rule of their own.

// rule replaces the derivative of a node.
type rule struct {
	of   *node   // the node that has the rule
	xs   []*node // the nodes that get cotangents
	pull func(y, cotangent Node) []Node
	ours bool // made by this library: its nodes get the call and the line of the node

	again []*node // for Checkpoint: the nodes from which the values below xs are computed again
}

// WithVJP returns y with a rule for its derivative. Grad gives rule y itself and the cotangent of y, a Node of y's type
// and shape, and takes from it the cotangents of xs. Whatever else y depends on gets none from y. The cotangents have
// the types of xs; each is broadcast to the shape of its x, or summed over the axes along which x would broadcast. The
// zero Node is a cotangent of zero.
//
//	saturated := graph.WithVJP(x.Clip(-1, 1), func(_, g graph.Node) []graph.Node { return []graph.Node{g} }, x)
func WithVJP(y Node, rule func(y, cotangent Node) []Node, xs ...Node) Node {
	return y.withRule(rule, false, xs)
}

// StopGradient returns x as a constant for Grad: its derivative is zero. A program computes x as if StopGradient were
// not there.
func StopGradient(x Node) Node { return WithVJP(x, func(_, _ Node) []Node { return nil }) }

// ruled is WithVJP for rules of this library.
func (y Node) ruled(pull func(y, cotangent Node) []Node, xs ...Node) Node {
	return y.withRule(pull, true, xs)
}

func (y Node) withRule(pull func(y, cotangent Node) []Node, ours bool, xs []Node) Node {
	n := y.get()
	switch {
	case n.err != nil:
		return y
	case pull == nil:
		return fail("the rule is nil")
	}
	m := *n
	m.root = n.value()
	m.rule = &rule{of: &m, pull: pull, ours: ours}
	for _, x := range xs {
		if x.get().err != nil {
			return x
		}
		m.rule.xs = append(m.rule.xs, x.n)
	}
	return Node{&m}
}

// sumAlong and meanAlong reduce x, which has no axis names, along axes of y, a Node of the same shape that may have them.
func (x Node) sumAlong(y Node, axes []any) Node  { return x.Sum(y.axesOf(axes), KeepDims) }
func (x Node) meanAlong(y Node, axes []any) Node { return x.Mean(y.axesOf(axes), KeepDims) }

// axesOf returns the numbers of the axes in valid arguments of a reduction.
func (y Node) axesOf(args []any) []int {
	r, _ := y.n.reduction(args, "KeepDims")
	return r.axes
}
