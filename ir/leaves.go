package ir

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Walks through binary trees, such as those of a decision forest. A node is three words of a line: a feature f, a threshold t, and the
// number of its first child; the second child follows it. The walk goes from a node to its first child if element f of x is t or less, and
// to the second one otherwise. A node that is its own first child ends a walk that stays there.

// NodeWords is the number of words of a node.
const NodeWords = 3

// inferLeaves returns the type of the nodes at which walks end: one for each root.
func inferLeaves(op Op, a Attr, args []Type) (Type, error) {
	x, nodes, roots := args[0], args[1], args[2]
	if !op.Info().Domain.Has(x.DType) {
		return Type{}, DoesNotTake(op.Info().Domain, x.DType)
	}
	if err := layout.CheckAxes([]int{a.Axis}, 0, len(x.Shape)); err != nil {
		return Type{}, err
	}
	for _, y := range args[1:] {
		same := slices.Clone(y.Shape)
		if len(same) == len(x.Shape) {
			same[a.Axis] = x.Shape[a.Axis]
		}
		switch {
		case y.DType != x.DType:
			return Type{}, fmt.Errorf("dtypes %s and %s differ: Cast one of them", x.DType, y.DType)
		case !same.Equal(x.Shape):
			return Type{}, fmt.Errorf("nodes or roots of shape %s for shape %s: they may differ along axis %d alone", y.Shape, x.Shape, a.Axis)
		}
	}
	words, known := nodes.Shape[a.Axis].Int()
	if n, all := roots.Shape.NumElems().Int(); known && (words%NodeWords != 0 || words == 0 && (!all || n > 0)) || x.Shape[a.Axis].Is(0) && (!all || n > 0) {
		return Type{}, fmt.Errorf("%s words of nodes and %s elements to compare: a node has %d words and compares one element", nodes.Shape[a.Axis], x.Shape[a.Axis], NodeWords)
	}
	return Type{Int64, roots.Shape}, nil
}

// leavesLine defines the walks. A feature or node that is not there is an IndexError, and so is a walk that does not end.
func leavesLine(_ Arithmetic, _ Op, _ DType, in [][]uint64) []uint64 {
	out := make([]uint64, len(in[2]))
	for i, root := range in[2] {
		out[i] = uint64(walkEnd(in[0], in[1], root))
	}
	return out
}

func walkEnd(x, nodes []uint64, root uint64) int {
	count := len(nodes) / NodeWords
	at := LineIndex(int64(root), count)
	for range count {
		node := nodes[at*NodeWords:]
		next := int64(node[2])
		if int64(x[LineIndex(int64(node[0]), len(x))]) > int64(node[1]) {
			next++
		}
		if next == int64(at) {
			return at
		}
		at = LineIndex(next, count)
	}
	panic(&IndexError{int64(count), count})
}
