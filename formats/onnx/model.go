package onnx

import (
	"path"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// model is what a file says, before any operator is looked at.
type model struct {
	opset     int // version of the default operator set
	body      *subgraph
	functions map[string]*function // by key

	file   string    // its name, for positions
	loaded graph.Pos // the user's line that loads it
}

// function is an operator that the model defines itself.
type function struct {
	inputs   []string
	defaults attrs // of its attributes, without those that must be given
	opset    int
	body     *subgraph
}

// key names a function: its domain, name, and what tells functions of one name apart.
func key(domain, name, overload string) string { return domain + ":" + name + ":" + overload }

// subgraph is a list of nodes in topological order. Values have names; a name is given
// once.
type subgraph struct {
	inputs    []port // without the constants
	constants map[string]*graph.Tensor
	nodes     []*node
	outputs   []string
}

// add appends a node.
func (g *subgraph) add(n *node) {
	g.nodes = append(g.nodes, n)
	n.number = len(g.nodes)
}

// port is an input of a subgraph.
type port struct {
	name   string
	code   int // ONNX's number of the element type
	dtype  graph.DType
	shaped bool  // the number of axes is known
	dims   []any // an int, or the name of a size, "" if it has none
}

// node is the use of an operator. The name "" among its inputs or outputs is an optional
// one that is left out.
type node struct {
	name, domain, op, overload string
	inputs, outputs            []string
	attrs                      attrs
	number                     int // in its graph, from 1
}

// attrs are attributes by name: an int, a float64 (that a float32 has exactly), a string,
// a list of one of these, a *graph.Tensor, a *subgraph or a reference.
type attrs map[string]any

// reference is an attribute of a node inside a function: the value of the function's
// attribute of that name.
type reference string

// pos is the place of a node in a file: its name or its operator, as far as a position can have it, and its
// number.
func (n *node) pos(file string) graph.Pos {
	name := n.name
	if strings.Trim(name, "/.") == "" {
		name = n.op
	}
	name = strings.Map(func(c rune) rune {
		if c == '/' {
			return '.'
		}
		if c == '.' || c == '-' || ir.IsName("_"+string(c)) {
			return c
		}
		return '_'
	}, strings.Trim(name, "/"))
	return graph.Pos{File: path.Join(file, name), Line: n.number}
}

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
