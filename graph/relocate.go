package graph

import "github.com/stridefuse/stridefuse/ir"

// Relocate returns x with another position: to, in place of from, at x and at the operands
// below it that have it. It is for front ends that make graphs of text: the errors of runs,
// Explain and pages then name a place in that text, not the line that called the front end.
// Inputs and captured tensors keep their positions.
func Relocate(x Node, from, to Pos) Node { return RelocateAll(Nodes{x}, from, to)[0] }

// RelocateAll is Relocate of several Nodes: the operands that they share stay one.
func RelocateAll(xs Nodes, from, to Pos) Nodes {
	r := &relocation{from: from, to: to, done: map[*node]*node{}}
	moved := make(Nodes, len(xs))
	for i, x := range xs {
		moved[i] = Node{r.node(x.get())}
	}
	return moved
}

// relocation copies nodes, each once.
type relocation struct {
	from, to Pos
	done     map[*node]*node
}

func (r *relocation) node(n *node) *node {
	if n.err != nil || n.op == ir.OpParam || n.pos != r.from {
		return n
	}
	if c := r.done[n]; c != nil {
		return c
	}
	c := *n
	r.done[n], c.pos = &c, r.to
	c.args = make([]*node, len(n.args))
	for i, a := range n.args {
		c.args[i] = r.node(a)
	}
	if n.root != nil {
		c.root = r.node(n.root)
	}
	return &c
}
