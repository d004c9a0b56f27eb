package graph

import (
	"github.com/stridefuse/stridefuse/ir"
)

// Leaves walks through binary trees, such as those of a decision forest, and returns the number of the node at which each walk
// ends, as Int64: for x [..., f] and t roots [..., t]. Row i of nodes, [m, 3] and at least one, is a node: a feature, a threshold, and
// the number of its first child; the second child is the next row. A walk goes to the first child if element feature of x's last axis is
// the threshold or less, and to the second one otherwise. It ends at a node that is its own first child, with the greatest threshold of the
// type. All are Int32 or Int64, of one type: to compare floats, convert x and the thresholds to integers that have their order.
//
// A feature, child or root that does not exist, or a walk without an end, is an error of the run. Sums over the leaves of a forest
// are values.Take(0, x.Leaves(nodes, roots)).Sum(-2), which is computed without an array of the values.
func (x Node) Leaves(nodes, roots any) Node {
	return x.withOperands(func(x Node, operands []Node) Node {
		nodes, roots := operands[0], operands[1]
		switch {
		case x.Rank() == 0:
			return fail("%s has no axis of features", x.get().text())
		case nodes.Rank() != 2 || !nodes.Shape()[1].Is(ir.NodeWords) || roots.Rank() != 1:
			return fail("nodes of shape %s and roots of shape %s: give [m,3] and [t]", nodes.Shape(), roots.Shape())
		}
		axis := x.Rank() - 1
		rows := x.Shape()[:axis]
		nodes = nodes.Flatten().BroadcastTo(rows, nodes.Shape()[0].Mul(ir.Fixed(ir.NodeWords)))
		return apply(ir.OpLeaves, ir.Attr{Axis: axis}, x.get().unnamed(), nodes.get(), roots.BroadcastTo(rows, roots.Shape()[0]).get())
	}, nodes, roots)
}
