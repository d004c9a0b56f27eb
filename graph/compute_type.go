package graph

import "github.com/stridefuse/stridefuse/ir"

// Means, norms, quantiles and normalizations consist of several operations. For Float16, BFloat16 and Fixed16x16 the
// whole method runs in Float32 or Float64: a sum rounded to so few bits on the way could overflow or lose the count
// that divides it.

// inComputeType returns f(x). If x has a storage type such as Float16, x is cast before f and the result cast back.
func (x Node) inComputeType(f func(Node) Node) Node {
	if d := x.get().typ.DType; x.Err() == nil && ir.Reals.Has(d) && !d.Native() {
		return f(x.Cast(d.Compute())).Cast(d)
	}
	return f(x)
}

// withOperands is inComputeType for x and operands of its type (numbers, Tensors or Nodes), which f receives as Nodes.
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
