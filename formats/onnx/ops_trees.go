package onnx

import (
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Decision trees as one table of nodes, through which graph.Leaves walks: all trees of all rows, side by side. A value of a feature and
// a threshold are compared as integers that have the order of the floats. So one comparison, greater than, serves all modes of a node:
// x < t is x <= p for the number p before t. NaN is an integer less than all others, or greater than all others, whichever leads to its
// branch.

// mode is how a node of a tree compares.
type mode uint8

const (
	lessEqual mode = iota
	less
	greaterEqual
	greater
	equal
	notEqual
	member // of a set: only in files
	leafMode
)

// modes has the names of modes, in the order of the numbers that TreeEnsemble has for them.
var modes = []string{"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"}

// treeNode is a node that compares a feature with a threshold, or a leaf with votes.
type treeNode struct {
	mode    mode
	feature int
	split   float64
	missing bool // NaN compares as true
	yes, no int  // numbers of the children
	votes   []vote
}

// vote adds a weight to a target.
type vote struct {
	target int
	weight float64
}

// trees are decision trees, which may share nodes.
type trees struct {
	nodes []treeNode
	roots []int
}

// wide reports whether some threshold is no float32.
func (t *trees) wide() bool {
	return slices.ContainsFunc(t.nodes, func(n treeNode) bool {
		return n.mode != leafMode && n.split == n.split && float64(float32(n.split)) != n.split
	})
}

// check returns an error for a node or feature that does not exist, and for a cycle: every walk ends at a leaf.
func (t *trees) check(features graph.Extent) error {
	const unseen, open, done = 0, 1, 2
	state := make([]uint8, len(t.nodes))
	stack := slices.Clone(t.roots)
	count, fixed := features.Int()
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		if i < 0 || i >= len(t.nodes) {
			return fmt.Errorf("node %d of %d", i, len(t.nodes))
		}
		n := &t.nodes[i]
		switch {
		case state[i] == unseen && n.mode != leafMode:
			if n.feature < 0 || n.feature > math.MaxInt32 || fixed && n.feature >= count {
				return fmt.Errorf("node %d compares feature %d of %s", i, n.feature, features)
			}
			state[i] = open
			for _, child := range []int{n.yes, n.no} {
				if child >= 0 && child < len(t.nodes) && state[child] == open {
					return fmt.Errorf("the nodes form a cycle: %d is below itself", child)
				}
				stack = append(stack, child)
			}
		default:
			state[i] = done
			stack = stack[:len(stack)-1]
		}
	}
	return nil
}

// treeTable is the table for graph.Leaves.
type treeTable struct {
	words   []int64 // ir.NodeWords for each entry
	node    []int   // the node of an entry; -1 for the second comparison of a test for equality
	roots   []int64
	columns []column // the features that are compared, with the place of NaN
	number  map[column]int
	pair    []int64 // by node, the entry of its first child, 0 if it has none yet
	key     func(float64) int64
	last    int64 // the greatest integer
	trees   *trees
}

// column is a feature, whose NaNs are greater than all numbers, or less.
type column struct {
	feature int
	low     bool
}

// place is an entry to write: a node, or its second comparison.
type place struct {
	at     int64
	node   int
	second bool
}

func (t *trees) table(wide bool) *treeTable {
	b := &treeTable{trees: t, number: map[column]int{}, pair: make([]int64, len(t.nodes)), key: func(x float64) int64 { return int64(key32(float32(x))) }, last: math.MaxInt32}
	if wide {
		b.key, b.last = key64, math.MaxInt64
	}
	for _, root := range t.roots { // one tree after the other, each level after level
		at := b.entries(1)
		b.roots = append(b.roots, at)
		for queue := []place{{at, root, false}}; len(queue) > 0; queue = queue[1:] {
			queue = append(queue, b.write(queue[0])...)
		}
	}
	return b
}

// entries appends entries, and returns the first.
func (b *treeTable) entries(n int) int64 {
	at := len(b.node)
	b.node = append(b.node, slices.Repeat([]int{-1}, n)...)
	b.words = append(b.words, make([]int64, n*ir.NodeWords)...)
	return int64(at)
}

// write writes an entry, and returns the places of new children.
func (b *treeTable) write(p place) (more []place) {
	n := &b.trees.nodes[p.node]
	if n.mode == leafMode {
		b.node[p.at] = p.node
		b.set(p.at, 0, b.last, p.at)
		return nil
	}
	k, unordered := b.key(n.split), n.split != n.split
	first, second := place{node: n.yes}, place{node: n.no} // for a value up to k, and beyond
	low := n.missing                                       // whether NaN goes to the first child
	switch n.mode {
	case lessEqual, less:
		if n.mode == less {
			k--
		}
		if unordered {
			k = -b.last
		}
	case greaterEqual, greater:
		first, second, low = second, first, !low
		if n.mode == greaterEqual {
			k--
		}
		if unordered {
			k = b.last - 1
		}
	case equal, notEqual: // not greater, and then not less
		yes, no, missing := n.yes, n.no, n.missing
		if n.mode == notEqual {
			yes, no, missing = no, yes, false
		}
		if unordered {
			k = b.last - 1
		}
		if first, second, low = (place{node: p.node, second: true}), (place{node: no}), missing; p.second {
			first, second, low = place{node: no}, place{node: yes}, !missing
			if !unordered {
				k--
			}
		}
	}
	children := b.pair[p.node]
	if children == 0 || p.second {
		children = b.entries(2)
		first.at, second.at = children, children+1
		if more = []place{first, second}; !p.second {
			b.pair[p.node] = children
		}
	}
	c := column{n.feature, low}
	if _, known := b.number[c]; !known {
		b.number[c] = len(b.columns)
		b.columns = append(b.columns, c)
	}
	b.set(p.at, int64(b.number[c]), k, children)
	return more
}

func (b *treeTable) set(at, feature, threshold, child int64) {
	copy(b.words[at*ir.NodeWords:], []int64{feature, threshold, child})
}

// key32 returns an integer with the order of a float32: 0 for both zeros, as -0 has no bits but its sign.
func key32(x float32) int32 {
	b := int32(math.Float32bits(x))
	if b < 0 {
		b = -(b & math.MaxInt32)
	}
	return b
}

// key64 is key32 for a float64.
func key64(x float64) int64 {
	b := int64(math.Float64bits(x))
	if b < 0 {
		b = -(b & math.MaxInt64)
	}
	return b
}

// leaves returns for x [n, features], float32 or float64, the entries at which the walks through all trees end: [n, trees].
func (b *treeTable) leaves(x graph.Node) graph.Node {
	dt, bits := graph.Int32, int64(math.MaxInt32)
	if x.DType() == graph.Float64 {
		dt, bits = graph.Int64, math.MaxInt64
	}
	if len(b.columns) == 0 {
		b.columns = []column{{}}
	}
	list := mapped(b.columns, func(c column) int64 { return int64(c.feature) })
	if features, fixed := x.Shape()[1].Int(); !fixed || !slices.Equal(list, mapped(from(0, features), func(i int) int64 { return int64(i) })) {
		x = x.Take(1, graph.Const(graph.Of(list)))
	}
	nan := mapped(b.columns, func(c column) int64 {
		if c.low {
			return -b.last - 1
		}
		return b.last
	})
	key := x.Bitcast(dt)
	key = graph.Where(key.Lt(0), key.And(bits).Neg(), key)
	key = graph.Where(x.IsNaN(), b.constant(nan, len(nan)), key)
	return key.Leaves(b.constant(b.words, len(b.node), ir.NodeWords), b.constant(b.roots, len(b.roots)))
}

// constant returns integers of the type of the table.
func (b *treeTable) constant(list []int64, shape ...int) graph.Node {
	if b.last == math.MaxInt32 {
		return graph.Const(graph.Of(mapped(list, func(n int64) int32 { return int32(n) }), shape...))
	}
	return graph.Const(graph.Of(list, shape...))
}
