package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// sweep is one pass from y back to the xs. It visits the active nodes in reverse topological order, so all
// contributions to the cotangent of a node are known before its operands get theirs.
type sweep struct {
	order    []*node            // the nodes below y, operands first
	adjoints map[*node]*adjoint // by identity
	mark     uint64             // nodes of a higher order are made by the derivative of the node being visited
	again    again              // the values that checkpoints compute again
}

// adjoint is what a sweep knows of a node.
type adjoint struct {
	active    bool // a cotangent is needed: the node is one of the xs or computed from one
	guarded   bool // the node is below a branch of a Where, so its cotangent may be 0 where its derivative is infinite
	cotangent Node // the sum of the contributions so far; the zero Node before the first one
	parts     []*gradientParts
}

// newSweep returns a sweep for the nodes below y in which the nodes that depend on xs are active.
func newSweep(y Node, xs []Node) *sweep {
	s := &sweep{adjoints: map[*node]*adjoint{}, again: again{}}
	s.walk(y.n.identity())
	for _, x := range xs {
		if a := s.adjoints[x.get().identity()]; a != nil {
			a.active = true
		}
	}
	for _, n := range s.order {
		a := s.adjoints[n]
		a.active = a.active || n.passes() && slices.ContainsFunc(n.sources(), func(x *node) bool { return s.adjoints[x.identity()].active })
	}
	return s
}

// walk appends the nodes below n to order. It uses a stack of its own, because a graph may be deeper than Go's.
func (s *sweep) walk(n *node) {
	type visit struct {
		*node
		next int // the next source to visit
	}
	s.adjoints[n] = &adjoint{}
	stack := []visit{{n, 0}}
	for len(stack) > 0 {
		v := &stack[len(stack)-1]
		sources := v.sources()
		if v.next == len(sources) {
			s.order = append(s.order, v.node)
			stack = stack[:len(stack)-1]
			continue
		}
		x := sources[v.next].identity()
		v.next++
		if s.adjoints[x] == nil {
			s.adjoints[x] = &adjoint{}
			stack = append(stack, visit{x, 0})
		}
	}
}

// identity returns the same node for all nodes that are one value to a sweep: those that differ only in axis names. A
// node with a rule of its own differs from the value that it wraps.
func (n *node) identity() *node {
	if n.rule != nil {
		return n.rule.of
	}
	return n.value()
}

// sources returns the nodes that get cotangents from n: its operands, or the Nodes that a rule of its own names.
func (n *node) sources() []*node {
	if n.rule != nil {
		return n.rule.xs
	}
	return n.args
}

// passes reports whether the derivative of n is not zero everywhere. Integers carry a cotangent only if they are moved:
// a rule of its own can give quantized numbers one.
func (n *node) passes() bool {
	if n.rule != nil {
		return true
	}
	moves := n.op.IsView() || n.op.IsJoin() || n.op.MovesBits() || n.op == ir.OpCopy || n.op == ir.OpSelect
	return derivatives[n.op].zero == "" && (moves || ir.Fractions.Has(n.typ.DType))
}

// start sets the cotangent of y.
func (s *sweep) start(y *node, cotangent Node) { s.adjoints[y.identity()].cotangent = cotangent }

// run computes the cotangents of all active nodes.
func (s *sweep) run() {
	for _, n := range slices.Backward(s.order) {
		a := s.adjoints[n]
		if a.active {
			s.join(a)
		}
		if !a.active || a.cotangent.n == nil || len(n.sources()) == 0 {
			continue
		}
		if n.rule != nil && len(n.rule.again) > 0 {
			s.again.add(n, n.rule.again)
		}
		s.mark = nodes.Add(1)
		p := pullback{node: n, result: Node{n.unnamed()}, cotangent: a.cotangent, guarded: a.guarded}
		for i, x := range n.sources() {
			b := s.adjoints[x.identity()]
			if !b.active {
				continue
			}
			b.guarded = b.guarded || a.guarded && !n.op.IsProduct() && n.op != ir.OpConv || n.op == ir.OpSelect
			if part, ok := p.part(); ok {
				b.addPart(part)
				continue
			}
			b.add(s.renewed(s.placed(p.of(i), n)))
		}
	}
}

// add adds a contribution to the cotangent of a node.
func (a *adjoint) add(g Node) {
	switch {
	case g.n == nil || a.cotangent.n != nil && a.cotangent.Err() != nil:
	case a.cotangent.n == nil || g.Err() != nil:
		a.cotangent = g
	default:
		a.cotangent = a.cotangent.Add(g.as(a.cotangent.DType()))
	}
}

// join adds the parts of a cotangent to it.
func (s *sweep) join(a *adjoint) {
	for _, p := range a.parts {
		s.mark = nodes.Add(1)
		a.add(s.placed(p.joined(), p.list[0].of))
	}
	a.parts = nil
}

// placed gives the nodes that a derivative has just made the call and the line of the op n that they differentiate. So
// a failure of a run, or a NaN found by WithDebug(NonFinite), names that op. Only this goroutine has seen the nodes.
func (s *sweep) placed(g Node, n *node) Node {
	if g.n == nil || n.rule != nil && !n.rule.ours {
		return g
	}
	stack := []*node{g.n}
	for len(stack) > 0 {
		m := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if m.order > s.mark && (m.pos != n.pos || m.call != n.call) {
			m.pos, m.call = n.pos, n.call
			stack = append(stack, m.args...)
		}
	}
	return g
}

// renewed returns a new cotangent with the values in it that a checkpoint computes again.
func (s *sweep) renewed(g Node) Node {
	if len(s.again) == 0 || g.n == nil || g.Err() != nil {
		return g
	}
	return Node{s.again.replace(g.n, s.mark)}
}

// gradient returns the cotangent of x under its axis names, or zeros.
func (s *sweep) gradient(x Node) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	if err := takesGradient(x); err != nil {
		return Node{poison(err, n)}
	}
	a := s.adjoints[n.identity()]
	if a == nil || a.cotangent.n == nil {
		why := "nothing differentiated depends on it"
		if a != nil {
			why = "what depends on it is an integer, a comparison or another function whose derivative is 0"
		}
		what := n.text()
		if n.input != "" {
			what = n.input + " " + what
		}
		zero := Fill(cotangentType(n.typ.DType), 0, n.typ.Shape)
		zero.n.zero = "the gradient with respect to " + what + ": " + why
		return zero
	}
	if n.names == nil || a.cotangent.Err() != nil {
		return a.cotangent
	}
	return a.cotangent.WithAxes(n.names...)
}
