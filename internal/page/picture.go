// Package page draws a program: as a graph in Graphviz's DOT, and as a self-contained HTML page with the graph as SVG,
// the text of each level of the compiler side by side, and the steps with their bytes and times. It does not depend on
// the compiler: package graph fills a [Page] with texts and connects them by origins.
//
// An origin is the number of a value of the graph as the user built it. A line of text that ends in the comment "//
// v:7" belongs to origin 7; the page replaces the comment by the position in the user's source.
package page

// Picture is a directed acyclic graph to draw. Sources of edges come before their targets in Nodes.
type Picture struct {
	Name   string
	Nodes  []Node
	Edges  []Edge
	Groups []string // names of the groups
}

// Node is a box of a Picture.
type Node struct {
	Title  string   // first line
	Lines  []string // lines below it, in small letters
	Tip    string   // shown when the pointer is over the box
	Origin []int    // origins that a click selects
	Group  int      // boxes of one group have one colour; -1 for none
	Kind   NodeKind
}

// NodeKind says what a box represents.
type NodeKind uint8

// The kinds of boxes.
const (
	Computed NodeKind = iota
	Given             // an input or a constant; drawn beside each reader that is far from it
	View              // a view, which computes nothing
	Result
	Folded // a fold
)

var nodeKinds = [...]string{Computed: "computed", Given: "given", View: "view", Result: "result", Folded: "fold"}

func (k NodeKind) String() string { return nodeKinds[k] }

// Edge is an arrow between boxes, given by their indices.
type Edge struct {
	From, To int
	Label    string // what is stored between two groups, "" for nothing
	Why      string // the reason why it is stored
}
