package graph

import "github.com/stridefuse/stridefuse/ir"

// Means, norms, quantiles and normalizations are made of several operations. Of Float16, BFloat16 and
// Fixed16x16 each method is computed in Float32 or Float64 as a whole: a sum that is rounded to their few
// bits on the way would overflow, or lose the count that it is divided by.

// inComputeType returns f(x), of which an x of such a type is cast before and the result
// back to x's type.
func (x Node) inComputeType(f func(Node) Node) Node {
	if d := x.get().typ.DType; x.Err() == nil && ir.Reals.Has(d) && !d.Native() {
		return f(x.Cast(d.Compute())).Cast(d)
	}
	return f(x)
}

// withOperands is inComputeType of x and operands of its type: numbers, Tensors and Nodes, which f gets as Nodes.
func (x Node) withOperands(f func(x Node, operands []Node) Node, operands ...any) Node {
	if x.Err() != nil {
		return x
	}
	dt, nodes := x.DType(), make([]Node, len(operands))
	for i, v := range operands {
		nodes[i] = Node{operand(v, dt)}
		switch have := nodes[i].DType(); {
		case nodes[i].Err() != nil:
			return nodes[i]
		case have != dt:
			return fail("dtypes %s and %s differ: Cast one of them", dt, have)
		}
	}
	return x.inComputeType(func(x Node) Node {
		for i, n := range nodes {
			if x.DType() != dt {
				nodes[i] = n.Cast(x.DType())
			}
		}
		return f(x, nodes)
	})
}
