package graph

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// Gradients by reverse mode. Grad walks the nodes below y from y to the xs and asks the table of derivatives
// (grad_table.go) for the cotangent of each operand. The result consists of ordinary nodes, which fuse with those of y
// and have gradients of their own. docs/gradients.md lists the conventions.

// Grad returns the gradients of the sum of y's elements with respect to each of xs: Nodes with the types and shapes of
// xs. Nodes of xs may be inputs, captured tensors or computed values, and y may depend on them in any way.
//
//	loss := x.MatMul(w).Sub(target).Square().Mean()
//	dw := graph.Grad(loss, w)[0]
//	p, err := graph.Compile(loss, w.Sub(dw.Mul(0.1)))
//
// The gradient with respect to an x that y does not depend on is zero, a constant without memory. y and xs must have
// types with fractions; an op without a derivative on the way from an x to y, such as Bitcast, is an error that names
// the op and its line. Integers, comparisons, roundings and indices have derivative zero.
//
// Results are deterministic: contributions to one element are added in an order that the graph determines, whatever the
// number of threads. Apply Grad to its own results for second derivatives.
func Grad(y Node, xs ...Node) Nodes { return VJP(y, 1, xs...) }

// VJP returns the product of a cotangent with the Jacobians of y with respect to each of xs: the gradients of
// y.Mul(cotangent).Sum(). The cotangent is a number, a Node or a Tensor of y's type that broadcasts to y's shape.
func VJP(y Node, cotangent any, xs ...Node) Nodes {
	if y.Err() != nil {
		return repeated(y, len(xs))
	}
	if err := takesGradient(y); err != nil {
		return repeated(Node{poison(err, y.n)}, len(xs))
	}
	dt := cotangentType(y.DType())
	g := Node{operand(cotangent, dt)}.BroadcastTo(y.n.typ.Shape)
	if g.Err() == nil && g.DType() != dt {
		return repeated(fail("a cotangent of %s for %s: it must be %s", g.DType(), y.n.text(), dt), len(xs))
	}
	s := newSweep(y, xs)
	s.start(y.n, Node{g.get().unnamed()})
	s.run()
	out := make(Nodes, len(xs))
	for i, x := range xs {
		out[i] = s.gradient(x)
	}
	return out
}

// JVP returns the products of the Jacobians of y with tangents of xs, added up: the derivative of y along a direction.
// Each tangent has the type and the shape of its x. The result has the shape of y. It is computed as the derivative of
// a VJP with respect to its cotangent, of which only the forward products remain.
func JVP(y Node, xs, tangents []Node) Node {
	if y.Err() != nil {
		return y
	}
	if err := takesGradient(y); err != nil {
		return Node{poison(err, y.n)}
	}
	u := Fill(cotangentType(y.DType()), 1, y.n.typ.Shape)
	total, bad := paired(VJP(y, u, xs...), tangents)
	if bad.n != nil {
		return bad
	}
	return Grad(total, u)[0]
}

// HVP returns the products of the Hessian of the sum of y with vectors: the derivatives of the gradients of y with
// respect to xs along a direction that has the type and the shape of each x.
func HVP(y Node, xs, vectors []Node) Nodes {
	total, bad := paired(Grad(y, xs...), vectors)
	if bad.n != nil {
		return repeated(bad, len(xs))
	}
	return Grad(total, xs...)
}

// paired returns the sum of the products of gradients and vectors of the same shapes, or a poisoned Node as bad.
func paired(gradients Nodes, vectors []Node) (total, bad Node) {
	if len(vectors) != len(gradients) || len(gradients) == 0 {
		return total, fail("%d vectors for %d Nodes: give one for each, and at least one", len(vectors), len(gradients))
	}
	for i, g := range gradients {
		v := vectors[i].get()
		switch {
		case g.Err() != nil:
			return total, g
		case v.err != nil:
			return total, vectors[i]
		case v.typ.DType != g.n.typ.DType || !v.typ.Shape.Equal(g.n.typ.Shape):
			return total, fail("vector %d is %s and its Node %s: they must have one type and shape", i, v.text(), g.n.text())
		}
		product := Node{g.n.unnamed()}.Mul(Node{v.unnamed()}).Sum()
		if i == 0 {
			total = product
			continue
		}
		total = total.Add(product.as(total.DType()))
	}
	return total, bad
}

// takesGradient returns an error for a Node whose type has no gradient.
func takesGradient(x Node) error {
	if dt := x.DType(); !ir.Fractions.Has(dt) {
		return fmt.Errorf("%s has no gradient: Cast to a float type before computing with it", x.n.text())
	}
	return nil
}

// cotangentType returns the type of the cotangents of a value: its own, or the compute type of a type that can only be
// stored.
func cotangentType(dt DType) DType {
	if ir.Minifloats.Has(dt) {
		return dt.Compute()
	}
	return dt
}
