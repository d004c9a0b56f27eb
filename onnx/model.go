package onnx

import "github.com/stridefuse/stridefuse/graph"

// model is what a file says, before any operator is looked at.
type model struct {
	opset int // version of the default operator set
	body  *subgraph
}

// subgraph is a list of nodes in topological order. Values have names; a name is given
// once.
type subgraph struct {
	inputs    []port // without the constants
	constants map[string]*graph.Tensor
	nodes     []*node
	outputs   []string
}

// port is an input of a subgraph.
type port struct {
	name  string
	dtype graph.DType
	dims  []any // an int, or the name of a size, "" if it has none
}

// node is the use of an operator. The name "" among its inputs or outputs is an optional
// one that is left out.
type node struct {
	name, domain, op string
	inputs, outputs  []string
	attrs            attrs
}

// attrs are attributes by name: an int, a float64 (that a float32 has exactly), a string,
// a list of one of these, a *graph.Tensor or a *subgraph.
type attrs map[string]any

// where names a node in messages.
func (n *node) where() string {
	if n.name != "" {
		return n.op + " " + n.name
	}
	for _, out := range n.outputs {
		if out != "" {
			return n.op + " (makes " + out + ")"
		}
	}
	return n.op
}
