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
	{"MatMul", 1, latest, 2, 2, ir.Numeric, nil, binaryOp(graph.Node.MatMul)},
	{"MatMulInteger", 10, latest, 2, 4, ir.Ints, nil, matMulInteger},
}

func einsum(c *call) []value {
	operands := make([]any, len(c.in))
	for i := range operands {
		operands[i] = c.x(i)
	}
	return one(graph.Einsum(strings.ReplaceAll(c.text("equation"), " ", ""), operands...))
}

func gemm(c *call) []value {
	a, b := c.x(0), c.x(1)
	if c.flag("transA") {
		a = a.T()
	}
	if c.flag("transB") {
		b = b.T()
	}
	y := scaled(a.MatMul(b), c.float("alpha"))
	if c.has(2) {
		y = y.Add(scaled(c.x(2), c.float("beta")))
	}
	return one(y)
}

// scaled returns x times a factor. That of integers must be one.
func scaled(x graph.Node, factor float64) graph.Node {
	if factor == 1 {
		return x
	}
	return x.Mul(factor)
}

// matMulInteger multiplies bytes in int32, each less its zero point: one for all, for each
// row on the left, for each column on the right.
func matMulInteger(c *call) []value {
	a, b := c.x(0).Cast(graph.Int32), c.x(1).Cast(graph.Int32)
	if c.has(2) {
		zero := c.x(2).Cast(graph.Int32)
		if zero.Rank() == 1 && a.Rank() > 1 && !zero.Shape()[0].Is(1) {
			zero = zero.Unsqueeze(-1)
		}
		a = a.Sub(zero)
	}
	if c.has(3) {
		b = b.Sub(c.x(3).Cast(graph.Int32))
	}
	return one(a.MatMul(b))
}
