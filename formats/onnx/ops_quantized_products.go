package onnx

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Operators of the domain com.microsoft: products with quantized weights.

var quantizedProducts = []operator{
	{"com.microsoft.DynamicQuantizeLSTM", 1, latest, 3, 12, ir.SetOf(graph.Float32), with(recurrentAttrs, attrs{"input_forget": 0}), func(c *call) []value {
		of := lstmCell
		of.sizeAxis, of.weights = 1, (*call).quantizedWeights
		return c.recurrent(of)
	}},
	{"com.microsoft.DynamicQuantizeMatMul", 1, latest, 3, 5, ir.SetOf(graph.Float32), nil, func(c *call) []value {
		return one(c.plus(dynamicProduct(c.x(0), c.x(1), c.x(2), c.optionalNode(3)), 4))
	}},
	{"com.microsoft.GatherBlockQuantized", 1, latest, 3, 4, ir.SetOf(graph.Uint8, graph.Uint4, graph.Int4), attrs{"bits": 4, "block_size": 128, "gather_axis": 0, "quantize_axis": 1}, gatherBlocks},
	{"com.microsoft.MatMulInteger16", 1, latest, 2, 2, ir.Ints, nil, func(c *call) []value {
		return one(c.x(0).Cast(graph.Int32).MatMul(c.x(1).Cast(graph.Int32)))
	}},
	{"com.microsoft.MatMulIntegerToFloat", 1, latest, 4, 7, bytes, nil, func(c *call) []value {
		y := asFloat32(c.integerProduct(0, 1, 4, 5)).Mul(asFloat32(c.perRow(2)).Mul(asFloat32(c.x(3))))
		return one(c.plus(y, 6))
	}},
	{"com.microsoft.MatMulNBits", 1, latest, 3, 6, ir.Floats, attrs{"K": unset{0}, "N": unset{0}, "accuracy_level": 0, "bits": 4, "block_size": unset{0}, "weight_prepacked": 0}, matMulBits},
	{"com.microsoft.MulInteger", 1, latest, 1, 4, bytes, nil, func(c *call) []value {
		operand := func(i, zero int) graph.Node {
			x := c.x(i).Cast(graph.Int32)
			if c.has(zero) {
				x = x.Sub(c.x(zero).Cast(graph.Int32))
			}
			return x
		}
		return one(operand(0, 1).Mul(operand(2, 3)))
	}},
	{"com.microsoft.QGemm", 1, latest, 6, 9, bytes, attrs{"alpha": 1., "transA": 0, "transB": 0}, quantizedGemm},
	{"com.microsoft.ReduceSumInteger", 1, latest, 1, 1, bytes, attrs{"axes": unset{[]int{}}, "keepdims": 1}, func(c *call) []value {
		args := []any{c.list("axes")}
		if c.flag("keepdims") {
			args = append(args, graph.KeepDims)
		}
		return one(c.x(0).Cast(graph.Int32).Sum(args...).Cast(graph.Int32))
	}},
}

// optionalNode returns input i as an operand, or nil if it is left out.
func (c *call) optionalNode(i int) any {
	if !c.has(i) {
		return nil
	}
	return c.x(i)
}

// dynamicProduct quantizes the rows of x together, and multiplies them by quantized weights with a scale and a zero point
// for all columns or for each of them.
func dynamicProduct(x, weights, scale graph.Node, zero any) graph.Node {
	y, q := x.QuantizeDynamic(graph.Uint8)
	return asFloat32(y.MatMulInteger(weights, q.Zero, zero)).Mul(q.Scale.Mul(scale))
}

// quantizedWeights are the weights of inputs 1 and 2, [directions, n, gates*size], with their scales and zero points in
// inputs 8 to 11.
func (c *call) quantizedWeights(d int) weights {
	parameter := func(i int) graph.Node { return c.x(i).Index(0, d) } // a scalar, or one for each column
	columns := func(s graph.Node, begin, end int) graph.Node {
		if s.Rank() == 0 {
			return s
		}
		return s.SliceAxis(0, begin, end, 1)
	}
	return weights{
		input: func(x graph.Node) graph.Node {
			return dynamicProduct(x, c.x(1).Index(0, d), parameter(8), parameter(9))
		},
		states: func(h graph.Node, begin, end int) graph.Node {
			r := c.x(2).Index(0, d).SliceAxis(-1, begin, end, 1)
			return dynamicProduct(h, r, columns(parameter(10), begin, end), columns(parameter(11), begin, end))
		},
	}
}

// quantizedGemm adds a bias, in int32, to a product of quantized matrices. The result is quantized if it has a scale,
// input 7.
func quantizedGemm(c *call) []value {
	a, b := c.x(0), c.x(3)
	if c.flag("transA") {
		a = a.T()
	}
	if c.flag("transB") {
		b = b.T()
	}
	y := a.MatMulInteger(b, c.optionalNode(2), c.optionalNode(5))
	if c.has(6) {
		y = y.Add(c.x(6))
	}
	y = asFloat32(y).Mul(asFloat32(c.x(1)).Mul(asFloat32(c.x(4))).Mul(c.float("alpha")))
	if !c.has(7) {
		return one(y)
	}
	return c.quantized(y, 7, 8)
}

// matMulBits multiplies by weights of 2, 4 or 8 bits, [N, blocks, bytes], with a scale and a zero point for each block of
// a column. A program computes weights that are constants once.
func matMulBits(c *call) []value {
	n, k, size, bits := c.int("N"), c.int("K"), c.int("block_size"), c.int("bits")
	if c.err != nil || bits != 2 && bits != 4 && bits != 8 || n < 1 || k < 1 || size < 8 || max(n, k, size) > mostExtent || c.flag("weight_prepacked") || c.has(4) {
		return c.fail("weights [%d,%d] of %d bits in blocks of %d: it takes 2, 4 or 8 bits without a layout of their own and without g_idx", k, n, bits, size)
	}
	dt, blocks := c.in[0].dtype(), (k+size-1)/size
	w := c.unpackedBits(c.x(1).Reshape(n, blocks*size*bits/8), bits, blocks*size).Reshape(n, blocks, size)
	zero := graph.Scalar(graph.Float32, 1<<(bits-1))
	switch {
	case !c.has(3):
	case c.in[3].dtype() == graph.Uint8:
		zero = asFloat32(c.unpackedBits(c.x(3).Reshape(n, (blocks*bits+7)/8), bits, blocks)).Unsqueeze(-1)
	default:
		zero = asFloat32(c.x(3).Reshape(n, blocks, 1))
	}
	w = asFloat32(w).Sub(zero).Mul(asFloat32(c.x(2).Reshape(n, blocks, 1)))
	w = w.Reshape(n, blocks*size).SliceAxis(1, 0, k, 1).Cast(dt)
	return one(c.plus(c.x(0).MatMul(w.T()), 5))
}

// unpackedBits returns count unsigned numbers of a few bits for each row of bytes, the lowest bits first.
func (c *call) unpackedBits(rows graph.Node, bits, count int) graph.Node {
	if bits == 8 || rows.Err() != nil {
		return rows
	}
	var parts []graph.Node
	for at := 0; at < 8; at += bits {
		parts = append(parts, rows.Shr(at).And(1<<bits-1))
	}
	all := graph.Stack(2, parts...)
	return all.Reshape(rows.Shape()[0], -1).SliceAxis(1, 0, count, 1)
}

// gatherBlocks gathers slices of a table that is quantized in blocks along an axis.
func gatherBlocks(c *call) []value {
	x, bits, dt := c.x(0), c.int("bits"), c.in[0].dtype()
	if !c.good(x) || x.Rank() == 0 {
		return c.fail("a table without axes")
	}
	axis, at, size := c.wrapAxis(c.int("quantize_axis"), x.Rank()), c.wrapAxis(c.int("gather_axis"), x.Rank()), c.int("block_size")
	_, fixed := x.Shape().Ints()
	if c.err != nil || !fixed || size < 1 || bits != 4 && bits != 8 && bits != 2 {
		return c.fail("a table %s of %d bits in blocks of %d", x.Shape(), bits, size)
	}
	zero := asFloat32(graph.Scalar(graph.Int32, 0))
	unpack := func(v graph.Node) graph.Node {
		s, fixed := v.Shape().Ints()
		if dt != graph.Uint8 || bits == 8 || !fixed || len(s) == 0 {
			return v
		}
		rows := 1
		for _, n := range s[:len(s)-1] {
			rows *= n
		}
		last := s[len(s)-1] * 8 / bits
		return c.unpackedBits(v.Reshape(rows, s[len(s)-1]), bits, last).Reshape(append(append([]int{}, s[:len(s)-1]...), last))
	}
	if dt == graph.Uint8 {
		zero = asFloat32(graph.Scalar(graph.Int32, 1<<(bits-1)))
	}
	if x = asFloat32(unpack(x)); !c.good(x) {
		return nil
	}
	blocks := func(s graph.Node) graph.Node {
		return asFloat32(s).Repeat(axis, size).SliceAxis(axis, 0, bound(x.Shape()[axis]), 1)
	}
	if c.has(3) {
		zero = blocks(unpack(c.x(3)))
	}
	w := x.Sub(zero).Mul(blocks(c.x(2))).Cast(c.in[2].dtype())
	if !c.good(w) {
		return nil
	}
	return one(w.Take(at, c.x(1).FromEnd(w.Shape()[at])))
}
