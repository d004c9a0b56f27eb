package graph

import "slices"

// Products of vectors and of matrices that are not sums of products.

// Cross returns the cross products of the vectors of 3 elements along an axis of x and of y, a Node or Tensor of x's type.
// Their shapes broadcast, but for that axis, which is the same one counted from the end.
func (x Node) Cross(y, axis any) Node {
	return x.withOperands(func(x Node, operands []Node) Node {
		y := operands[0]
		axes := [2]int{}
		for i, v := range []Node{x, y} {
			k, n, err := v.get().knownAxis(axis)
			if err != nil {
				return fail("%w", err)
			}
			if n != 3 {
				return fail("the vectors along axis %v of %s have %d elements: cross products are of 3", axis, v.get().text(), n)
			}
			axes[i] = k - v.Rank()
		}
		if axes[0] != axes[1] {
			return fail("axis %v of %s and of %s are not the same when they broadcast: count it from the end", axis, x.get().text(), y.get().text())
		}
		part := func(v Node, i int) Node { return v.Index(axes[0], i%3) }
		var parts Nodes
		for i := range 3 {
			parts = append(parts, part(x, i+1).Mul(part(y, i+2)).Sub(part(x, i+2).Mul(part(y, i+1))))
		}
		out := Stack(axes[0], parts...)
		for _, v := range []Node{x, y} {
			if names := v.AxisNames(); out.Err() == nil && v.Rank() == out.Rank() && slices.ContainsFunc(names, func(name string) bool { return name != "" }) {
				return out.WithAxes(names...)
			}
		}
		return out
	}, y)
}

// Kron returns the Kronecker product: blocks y*x[i, j], in the places of the elements of x. The array of lower rank has
// axes of extent 1 before its own. Y is a Node or Tensor of x's type.
func (x Node) Kron(y any) Node {
	return x.withOperands(func(x Node, operands []Node) Node {
		y := operands[0]
		for x.Rank() < y.Rank() {
			x = x.Unsqueeze(0)
		}
		for y.Rank() < x.Rank() {
			y = y.Unsqueeze(0)
		}
		var blocks, elements, shape []any
		for k, n := range x.Shape() {
			m := y.Shape()[k]
			blocks = append(blocks, n, 1)
			elements = append(elements, 1, m)
			shape = append(shape, n.Mul(m))
		}
		return x.Reshape(blocks...).Mul(y.Reshape(elements...)).Reshape(shape...)
	}, y)
}
