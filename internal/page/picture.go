// Package page draws a program: as a graph in Graphviz's DOT, and as one HTML page that
// needs nothing else, with the graph as SVG, the text of each level of the compiler side by
// side, and the steps with their bytes and times. It does not depend on the compiler: package
// graph fills a [Page] with texts, and connects them by the numbers of origins.
//
// An origin is a value of the graph as the user built it. A line of text that ends in the
// comment "// v:7" is about the origin 7; the page replaces the comment by the place in the
// user's source.
package page

// Picture is a directed graph to draw, without cycles. Sources of edges come before their
// targets in Nodes.
type Picture struct {
	Name   string
	Nodes  []Node
	Edges  []Edge
	Groups []string // their names
}

// Node is a box of a Picture.
type Node struct {
	Title  string   // the first line
	Lines  []string // below it, in small letters
	Tip    string   // shown when the pointer is over the box
	Origin []int    // what a click selects
	Group  int      // boxes of one group have one colour; -1 for none
	Kind   NodeKind
}

// NodeKind is what a box represents.
type NodeKind uint8

// The kinds of box.
const (
	Computed NodeKind = iota
	Given             // an input or a constant, drawn beside each box that is far from it
	View              // no computation
	Result
)

var nodeKinds = [...]string{Computed: "computed", Given: "given", View: "view", Result: "result"}

func (k NodeKind) String() string { return nodeKinds[k] }

// Edge is an arrow between boxes, by their indices.
type Edge struct {
	From, To int
	Label    string // what is stored between two groups, "" for nothing
	Why      string // why it is
}
