package graph

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// Checkpoints: values that the gradient computes again instead of keeping them.

// Checkpoint returns y, and makes Grad compute the values between xs and y again: a program keeps y and xs until the
// derivative needs them, but no value that is computed from xs on the way to y. Values and gradients have the same bits
// as without Checkpoint. If each stage of a chain of n layers is a checkpoint of its input and has √n layers, the chain needs
// memory for some 2√n layers rather than n, and computes each layer twice (T. Chen et al., Training deep nets with
// sublinear memory cost, 2016).
//
//	h = graph.Checkpoint(block(h), h)
//
// Each x is copied once, because what is computed from the copy is another value to the compiler. So xs should be few
// and not weights: a value that depends on no x is kept. Checkpoints may contain checkpoints: what the outer one computes
// again is not computed a third time, so that they save as much memory as the outer one alone.
func Checkpoint(y Node, xs ...Node) Node {
	if len(xs) == 0 {
		return fail("no Nodes to compute y from again: give at least one")
	}
	z := y.ruled(func(_, g Node) []Node { return []Node{g} }, y)
	if z.Err() != nil {
		return z
	}
	for _, x := range xs {
		if x.get().err != nil {
			return x
		}
		z.n.rule.again = append(z.n.rule.again, x.n)
	}
	return z
}

// again has the values that a sweep computes again, by the values of the forward pass.
type again map[*node]*node

// add computes the values between the Nodes of a checkpoint y and y again, from copies of these Nodes. It does nothing if y
// is computed again by a checkpoint that contains it.
func (c again) add(y *node, xs []*node) {
	if c[y.value()] != nil {
		return
	}
	first := uint64(math.MaxUint64)
	for _, x := range xs {
		first = min(first, x.order)
		m := apply(ir.OpCopy, ir.Attr{Note: "a checkpoint computes values again from it"}, x.unnamed()).n
		m.pos, m.call = y.pos, y.call
		c[x.value()] = m
	}
	c.replace(y.value(), first)
	delete(c, y.value()) // y and xs are kept
	for _, x := range xs {
		delete(c, x.value())
	}
}

// replace returns n, or a copy of it if n is computed from values that are computed again. It visits nodes that were
// made after the node of the given order, with a stack of its own.
func (c again) replace(n *node, after uint64) *node {
	seen := map[*node]bool{}
	stack := []*node{n.value()}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		if c[v] == nil && v.order > after && !seen[v] {
			seen[v] = true
			for _, a := range v.args {
				stack = append(stack, a.value())
			}
			continue // v is visited again when its operands are done
		}
		stack = stack[:len(stack)-1]
		if args, changed := c.all(v.args); c[v] == nil && changed {
			m := *v
			m.args, c[v] = args, &m
		}
	}
	return c.of(n)
}

// of returns what is computed again for a node, or the node itself. A node with axis names or with a rule is a copy of
// its value.
func (c again) of(n *node) *node {
	v := n.value()
	w := c[v]
	switch {
	case w == nil:
		return n
	case n == v:
		return w
	case c[n] != nil && c[n].root == w:
		return c[n]
	}
	m := *n
	c[n], m.root, m.args = &m, w, w.args
	if n.rule != nil {
		own := *n.rule
		own.of = c.of(own.of)
		own.xs, _ = c.all(own.xs)
		own.again, _ = c.all(own.again)
		m.rule = &own
	}
	return &m
}

// all is of for a list.
func (c again) all(list []*node) (out []*node, changed bool) {
	out = make([]*node, len(list))
	for i, n := range list {
		out[i] = c.of(n)
		changed = changed || out[i] != n
	}
	return out, changed
}
