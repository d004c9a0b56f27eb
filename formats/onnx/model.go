package onnx

import (
	"path"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// model is the content of a file before any operator is checked.
type model struct {
	opset     int // version of the default operator set
	body      *subgraph
	functions map[string]*function // functions, by key

	words *vocabulary
	file  string // file name, for positions
}

// function is an operator defined by the model.
type function struct {
	inputs   []string
	defaults attrs // optional attributes with their defaults
	opset    int
	body     *subgraph
}

// key identifies a function: its domain, its name, and an overload.
func key(domain, name, overload string) string { return domain + ":" + name + ":" + overload }

// subgraph is a list of nodes in topological order. Values have names; each name is assigned once.
type subgraph struct {
	inputs    []port // inputs that are not constants
	constants map[string]*graph.Tensor
	nodes     []*node
	outputs   []string
	texts     []string // outputs that are declared as strings
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
	text   bool  // its elements are strings
	shaped bool  // whether the number of axes is known
	dims   []any // ints or names of sizes, "" for a size without a name
}

// node is a use of an operator. An empty name among its inputs or outputs stands for an optional one that is left out.
type node struct {
	name, domain, op, overload string
	inputs, outputs            []string
	attrs                      attrs
	number                     int // its number in the graph, from 1
}

// attrs are attributes by name. A value is an int, a float64 (exactly a float32), a string, a list of one of these, a
// *graph.Tensor, a *subgraph or a reference.
type attrs map[string]any

// reference is an attribute of a node inside a function; it stands for the function's attribute of that name.
type reference string

// opName returns the name of the operator in the table.
func (n *node) opName() string {
	if n.domain == "" {
		return n.op
	}
	return n.domain + "." + n.op
}

// pos returns the position of a node: its name or operator, restricted to characters that a position can have, and its
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

// where returns the name of a node for messages.
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
