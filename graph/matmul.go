package graph

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// MatMul returns the product of the matrices that the last two axes of x and y
// are, [..., M, K] and [..., K, N]: [..., M, N]. The axes before those broadcast.
// A vector is a row on the left, a column on the right, and that axis goes again.
// NumPy's @.
//
// It takes numbers of one type: nothing is promoted. Float16 and BFloat16 are multiplied
// and added in float32, Fixed16x16 in float64, and rounded at the end. Integers wrap. Sums of
// bytes that are not to wrap are of a wider type:
//
//	x.Cast(graph.Int32).MatMul(w.Cast(graph.Int32))
//
// or by MatMulInteger, which takes a third of the time and knows zero points.
//
// A float is the sum of exact products in chunks of 256, each in order with one
// rounding an addition (FMA), and of the chunks: the error is less than
// (256 + K/256) * 2^-24 times the sum of the K products' magnitudes, 2^-53 for
// Float64 (package ir, dot.go), and where a product or a sum is below the normal range
// one least subnormal more for each of the K. Where M or N is 1, or an operand a vector, the
// products are rounded and then added as Sum adds: the last bits of a row alone are
// not those of the same row among others. For the same shapes they depend neither
// on threads nor on layouts. Dot, Outer, Tensordot and Einsum have the same types
// and numbers.
//
// Operands may be views of any layout: transposed, broadcast, a diagonal. What they
// are computed by has a loop of its own, as a product reads them many times, and
// what suits its kernels is copied, which Program.Explain shows.
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

// matmul returns the contraction that multiplies the last axis of x and the last but one of y, or
// its only one.
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

// Dot returns NumPy's dot: sums of products along the last axis of x and the last
// but one of y, or its only one. It is the inner product of vectors, the product
// of matrices, and Mul where one of them is a scalar. Of more axes the result has
// all others of x, and then those of y: MatMul has them in common.
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

// Outer returns the products of each element of x and each of y, as [x.Size(),
// y.Size()]: more axes are flattened.
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

// Tensordot returns sums of products along axes of x and y, which are paired. The
// result has the other axes of x, then those of y. The axes are a number, that of
// the last axes of x and first axes of y that are paired in order, or two
// arguments, the axis or slice of axes of x and those of y:
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
			return nil, nil, fmt.Errorf("axes are a number of them, or those of both operands: not one %T", axes[0])
		}
		if k < 0 || k > min(m, n) {
			return nil, nil, fmt.Errorf("%d axes: there are %d and %d", k, m, n)
		}
		return upTo(m)[m-k:], upTo(k), nil
	case 2:
		if a, err = x.axes(axes[:1]); err == nil {
			b, err = y.axes(axes[1:])
		}
		if err == nil && len(a) != len(b) {
			err = fmt.Errorf("%d axes of the first and %d of the second: they are paired", len(a), len(b))
		}
		return a, b, err
	}
	return nil, nil, fmt.Errorf("axes are a number of them, or those of both operands: not %d arguments", len(axes))
}

// contracted returns the sums of products of two nodes along axes a of the first
// and b of the second, with the other axes of both.
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
