package graph

// Products of vectors and of matrices that are not sums of products.

// Cross returns the cross products of the vectors of 3 elements along an axis of x and of y, a Node or Tensor of x's type.
// Their shapes broadcast, but for that axis.
func (x Node) Cross(y, axis any) Node {
	return x.withOperands(func(x Node, operands []Node) Node {
		y := operands[0]
		for _, v := range []Node{x, y} {
			_, n, err := v.get().knownAxis(axis)
			if err != nil {
				return fail("%w", err)
			}
			if n != 3 {
				return fail("the vectors along axis %v of %s have %d elements: cross products are of 3", axis, v.get().text(), n)
			}
		}
		return x.Roll(axis, -1).Mul(y.Roll(axis, -2)).Sub(x.Roll(axis, -2).Mul(y.Roll(axis, -1)))
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
