package graph

import "github.com/stridefuse/stridefuse/ir"

// Means, norms and quantiles are made of several operations. Of Float16, BFloat16 and Fixed16x16 they
// are computed in Float32 or Float64 as a whole: a sum that is rounded to their few bits on
// the way would overflow, or lose the count that it is divided by.

// inComputeType returns f(x), of which an x of such a type is cast before and the result
// back to x's type.
func (x Node) inComputeType(f func(Node) Node) Node {
	if d := x.get().typ.DType; x.Err() == nil && ir.Reals.Has(d) && !d.Native() {
		return f(x.Cast(d.Compute())).Cast(d)
	}
	return f(x)
}
