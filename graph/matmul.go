package graph

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// MatMul returns the products of the matrices in the last two axes of x and y: [..., M, K] times [..., K, N] is [...,
// M, N]. The axes before them broadcast. A vector is a row on the left or a column on the right, and the result lacks
// that axis. It is NumPy's @.
//
// Both operands have one numeric type. Float16 and BFloat16 are multiplied and added in float32, Fixed16x16 in float64,
// and rounded at the end. Integers wrap; to sum bytes without wrapping, cast them:
//
//	x.Cast(graph.Int32).MatMul(w.Cast(graph.Int32))
//
// or use MatMulInteger, which takes a third of the time and knows zero points.
//
// A float result is summed in chunks of 256 exact products, each chunk in order with one rounding per addition (FMA),
// and then over chunks. The error is less than (256 + K/256) * 2^-24 times the sum of the magnitudes of the K products,
// or 2^-53 for Float64 (package ir, dot.go). Products and sums below the normal range add at most one least subnormal
// for each of the K. If M or N is 1 or an operand is a vector, the products are rounded and then added as Sum adds. So
// the last bits of a single row differ from those of the same row among others. For given shapes the bits depend
// neither on threads nor on layouts. Dot, Outer, Tensordot and Einsum have the same types and numbers.
//
// Operands may be views of any layout: transposed, broadcast, a diagonal. A computed operand is stored first, because a
// product reads it many times, and an operand may be copied into the layout that the kernels need; Program.Explain
// shows such copies.
func (x Node) MatMul(y any) Node {
	xs, bad := factors(x, y)
	if xs == nil {
		return bad
	}
	c := contraction{call: shapesText(xs), op: ir.OpDot}
	if xs[0].Rank() == 0 || xs[1].Rank() == 0 {
		return fail("%s: a scalar is no matrix: take Mul", c.call)
	}
	return matmul(c, xs[0], xs[1])
}

// matmul returns the contraction of the last axis of x with the last but one axis of y (or its only one).
func matmul(c contraction, x, y Node) Node {
	m, n := x.Rank(), y.Rank()
	left, right := append(broadcasting(max(0, m-2)), ".m", ".k"), append(broadcasting(max(0, n-2)), ".k", ".n")
	c.out = broadcasting(max(0, m-2, n-2))
	if m == 1 {
		left = []string{".k"}
	} else {
		c.out = append(c.out, ".m")
	}
	if n == 1 {
		right = []string{".k"}
	} else {
		c.out = append(c.out, ".n")
	}
	c.terms = []term{{x, left}, {y, right}}
	return c.node()
}

// Dot returns NumPy's dot: sums of products along the last axis of x and the last but one axis of y (or its only one).
// It is the inner product of vectors, the product of matrices, and Mul if one operand is a scalar. With more axes the
// result has all other axes of x and then all other axes of y, while MatMul broadcasts them.
func (x Node) Dot(y any) Node {
	xs, bad := factors(x, y)
	if xs == nil {
		return bad
	}
	m, n := xs[0].Rank(), xs[1].Rank()
	if m == 0 || n == 0 {
		return contracted(xs, nil, nil)
	}
	return contracted(xs, []int{m - 1}, []int{max(0, n-2)})
}

// Outer returns the products of each element of x with each element of y, [x.Size(), y.Size()]. Operands with more axes
// are flattened.
func (x Node) Outer(y any) Node {
	xs, bad := factors(x, y)
	if xs == nil {
		return bad
	}
	for i, f := range xs {
		xs[i] = f.Flatten()
		if xs[i].Err() != nil {
			return xs[i]
		}
	}
	return contracted(xs, nil, nil)
}

// Tensordot returns sums of products along paired axes of x and y. The result has the other axes of x, then the other
// axes of y. The axes are either one number, which pairs that many last axes of x with the first axes of y in order, or
// two arguments: the axis or slice of axes of x, and that of y.
//
//	x.Tensordot(y, 2)
//	x.Tensordot(y, []int{1, 0}, []int{0, 1})
func (x Node) Tensordot(y any, axes ...any) Node {
	xs, bad := factors(x, y)
	if xs == nil {
		return bad
	}
	a, b, err := pairedAxes(xs[0].n, xs[1].n, axes)
	if err != nil {
		return fail("%s: %w", shapesText(xs), err)
	}
	return contracted(xs, a, b)
}

// pairedAxes returns the axes of x and y that Tensordot sums over.
func pairedAxes(x, y *node, axes []any) (a, b []int, err error) {
	m, n := len(x.typ.Shape), len(y.typ.Shape)
	switch len(axes) {
	case 1:
		k, ok := axes[0].(int)
		if !ok {
			return nil, nil, fmt.Errorf("axes must be one number, or the axes of both operands: not one %T", axes[0])
		}
		if k < 0 || k > min(m, n) {
			return nil, nil, fmt.Errorf("%d axes: the operands have %d and %d", k, m, n)
		}
		return upTo(m)[m-k:], upTo(k), nil
	case 2:
		if a, err = x.axes(axes[:1]); err == nil {
			b, err = y.axes(axes[1:])
		}
		if err == nil && len(a) != len(b) {
			err = fmt.Errorf("%d axes of the first and %d of the second: axes are paired, so give as many of each", len(a), len(b))
		}
		return a, b, err
	}
	return nil, nil, fmt.Errorf("axes must be one number, or the axes of both operands: not %d arguments", len(axes))
}

// contracted returns the contraction of two nodes along axes a of the first and b of the second; the result has the
// other axes of both.
func contracted(xs []Node, a, b []int) Node {
	c := contraction{call: shapesText(xs), op: ir.OpDot}
	for i, sums := range [][]int{a, b} {
		labels := make([]string, xs[i].Rank())
		for k := range labels {
			if s := slices.Index(sums, k); s >= 0 {
				labels[k] = fmt.Sprintf(".k%d", s)
				continue
			}
			labels[k] = fmt.Sprintf(".%c%d", "xy"[i], k)
			c.out = append(c.out, labels[k])
		}
		c.terms = append(c.terms, term{xs[i], labels})
	}
	return c.node()
}
