package graph

import "github.com/stridefuse/stridefuse/ir"

// Relocate returns x with the position from replaced by to, in x and in the operands below it. Front ends that make
// graphs from text use it: the errors of runs, Explain and pages then name a place in that text rather than the line
// that called the front end. Inputs and captured tensors keep their positions.
func Relocate(x Node, from, to Pos) Node { return RelocateAll(Nodes{x}, from, to)[0] }

// RelocateAll is Relocate for several Nodes; operands that they share stay shared.
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
	c.args = r.nodes(n.args)
	if n.root != nil {
		c.root = r.node(n.root)
	}
	if n.rule != nil {
		own := *n.rule
		own.of, own.xs, own.again = r.node(own.of), r.nodes(own.xs), r.nodes(own.again)
		c.rule = &own
	}
	return &c
}

func (r *relocation) nodes(list []*node) []*node {
	out := make([]*node, len(list))
	for i, n := range list {
		out[i] = r.node(n)
	}
	return out
}
