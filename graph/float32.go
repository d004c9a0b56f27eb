package graph

import "github.com/stridefuse/stridefuse/ir"

// Means and norms are made of several operations. Of Float16 and BFloat16 they are computed
// in Float32 as a whole: a sum that is rounded to 16 bits on the way would overflow, or
// lose the count that it is divided by.

// inFloat32 returns f(x), of which an x of 16 bits is cast to Float32 before and the
// result back to x's type.
func (x Node) inFloat32(f func(Node) Node) Node {
	if d := x.get().typ.DType; x.Err() == nil && ir.Floats.Has(d) && !d.Native() {
		return f(x.Cast(Float32)).Cast(d)
	}
	return f(x)
}
