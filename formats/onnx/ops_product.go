package onnx

import (
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Products of matrices.

var products = []operator{
	{"Einsum", 12, latest, 1, many, ir.Numeric, attrs{"equation": unset{""}}, einsum},
	{"Gemm", 1, 6, 3, 3, ir.Numeric, attrs{"alpha": 1., "beta": 1., "transA": 0, "transB": 0, "broadcast": 0}, gemm},
	{"Gemm", 7, 10, 3, 3, ir.Numeric, attrs{"alpha": 1., "beta": 1., "transA": 0, "transB": 0}, gemm},
	{"Gemm", 11, latest, 2, 3, ir.Numeric, attrs{"alpha": 1., "beta": 1., "transA": 0, "transB": 0}, gemm},
	{"MatMul", 1, latest, 2, 2, ir.Numeric, nil, matMul},
	{"MatMulInteger", 10, latest, 2, 4, bytes, nil, matMulInteger},
}

func einsum(c *call) []value {
	operands := make([]any, len(c.in))
	for i := range operands {
		operands[i] = c.x(i)
	}
	return one(graph.Einsum(strings.ReplaceAll(c.text("equation"), " ", ""), operands...))
}

func gemm(c *call) []value {
	a, axis, alpha, beta := c.x(0), 1, c.float("alpha"), c.float("beta")
	if c.flag("transA") {
		a = a.T()
	}
	if c.flag("transB") {
		axis = 0
	}
	product := func(b graph.Node) graph.Node {
		if axis == 0 {
			b = b.T()
		}
		return scaled(a.MatMul(b), alpha)
	}
	y := product(c.x(1))
	if c.has(2) {
		y = y.Add(scaled(c.x(2), beta))
	}
	return c.scalable(y, axis, beta, product)
}

// matMul multiplies matrices. Constant weights with two axes can be scaled by WithScaledWeights.
func matMul(c *call) []value {
	a := c.x(0)
	if a.Rank() != 2 || c.x(1).Rank() != 2 {
		return one(a.MatMul(c.x(1)))
	}
	return c.scalable(a.MatMul(c.x(1)), 1, 1, func(b graph.Node) graph.Node { return a.MatMul(b) })
}

// scaled returns x times a factor, which must be 1 for integers.
func scaled(x graph.Node, factor float64) graph.Node {
	if factor == 1 {
		return x
	}
	return x.Mul(factor)
}

// matMulInteger multiplies bytes minus their zero points, in int32. A zero point is a scalar, or has one element per
// row on the left or per column on the right.
func matMulInteger(c *call) []value {
	return one(c.integerProduct(0, 1, 2, 3))
}

// integerProduct returns the product of two inputs minus their zero points, which are optional inputs. A zero point is
// a scalar, or has one element per row on the left or per column on the right.
func (c *call) integerProduct(left, right, leftZero, rightZero int) graph.Node {
	a, b := c.x(left), c.x(right)
	var za, zb any
	if c.has(leftZero) {
		za = c.perRow(leftZero)
	}
	if c.has(rightZero) {
		zb = c.x(rightZero)
	}
	return a.MatMulInteger(b, za, zb)
}

// perRow returns an input of one element, or of one element per row, as a column that broadcasts with a matrix.
func (c *call) perRow(i int) graph.Node {
	s := c.x(i)
	if s.Rank() == 1 && !s.Shape()[0].Is(1) {
		return s.Unsqueeze(-1)
	}
	return s
}
