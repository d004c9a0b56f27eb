package cmplx

import "github.com/stridefuse/stridefuse/graph"

// Grad returns the gradients of the sum of a real y with respect to each of zs. The gradient with respect to z = a + bi
// is dy/da + i dy/db, the direction in which y grows fastest, so a step of gradient descent is z.Sub(g.Mul(rate)). This
// is PyTorch's convention; JAX returns the conjugate. y must be computed from the Nodes zs themselves: From called twice
// makes two Nodes. Errors are those of graph.Grad.
func Grad(y graph.Node, zs ...Node) []Node {
	parts := make([]graph.Node, 0, 2*len(zs))
	for _, z := range zs {
		parts = append(parts, z.re, z.im)
	}
	g := graph.Grad(y, parts...)
	out := make([]Node, len(zs))
	for i := range zs {
		out[i] = Node{g[2*i], g[2*i+1]}
	}
	return out
}
