package onnx

import (
	"testing"

	"github.com/stridefuse/stridefuse/graph"
)

// TestScalesAlongAxes quantizes with a scale for each index of an axis, of operands whose axes have
// one extent.
func TestScalesAlongAxes(t *testing.T) {
	bytes := graph.Of([]int8{1, 2, 3, 4}, 2, 2)
	scales, zeros := graph.Of([]float32{1, 10}), graph.Of([]int8{0, 1})
	dequantized := func(axis int, want ...float32) opCase {
		return opCase{op: "DequantizeLinear", opset: 21, attrs: attrs{"axis": axis}, in: tensors(bytes, scales, zeros), want: graph.Of(want, 2, 2)}
	}
	checkOps(t,
		dequantized(0, 1, 2, 20, 30), dequantized(-2, 1, 2, 20, 30),
		dequantized(1, 1, 10, 3, 30), dequantized(-1, 1, 10, 3, 30),
		opCase{op: "QuantizeLinear", opset: 21, attrs: attrs{"axis": 1}, in: tensors(graph.Of([]float32{1, 10, 3, 30}, 2, 2), scales, zeros), want: bytes},
		opCase{op: "DequantizeLinear", opset: 21, attrs: attrs{"axis": 0}, in: tensors(graph.Of([]int8{1, 2}), scales, zeros), want: graph.Of([]float32{1, 10})},
		opCase{op: "DequantizeLinear", opset: 21, attrs: attrs{"axis": 0, "block_size": 2}, in: tensors(graph.Of([]int8{1, 2, 3}), scales, zeros), want: graph.Of([]float32{1, 2, 20})},
	)
}

// TestSliceBack slices back from before the first element: the slice begins with that one.
func TestSliceBack(t *testing.T) {
	x := graph.Of([]float32{1, 2, 3})
	back := func(start int64, want ...float32) opCase {
		return opCase{op: "Slice", opset: 13, in: tensors(x), fixed: []*graph.Tensor{int64s(start), int64s(-9), int64s(0), int64s(-1)}, want: graph.Of(want)}
	}
	checkOps(t, back(-2, 2, 1), back(-3, 1), back(-4, 1), back(9, 3, 2, 1))
}

// TestPadBools pads bools by false, or by an element that is given.
func TestPadBools(t *testing.T) {
	x := graph.Of([]bool{true, false})
	pads := int64s(1, 2)
	checkOps(t,
		opCase{op: "Pad", opset: 13, in: tensors(x), fixed: tensors(pads), want: graph.Of([]bool{false, true, false, false, false})},
		opCase{op: "Pad", opset: 13, in: tensors(x), fixed: tensors(pads, graph.ScalarOf(true)), want: graph.Of([]bool{true, true, false, true, true})},
		opCase{op: "Pad", opset: 2, attrs: attrs{"pads": []int{1, 2}, "value": 1.}, in: tensors(x), want: graph.Of([]bool{true, true, false, true, true})},
		opCase{op: "Pad", opset: 13, attrs: attrs{"mode": "wrap"}, in: tensors(x), fixed: tensors(pads), want: graph.Of([]bool{false, true, false, true, false})},
	)
}

// TestHardmaxOfSymbolicAxis has lines of an extent that the run says.
func TestHardmaxOfSymbolicAxis(t *testing.T) {
	checkOps(t, opCase{op: "Hardmax", opset: 13, attrs: attrs{"axis": 0}, batch: true,
		in: tensors(graph.Of([]float32{1, 9, 3, 5, 3, 9}, 3, 2)), want: graph.Of([]float32{0, 1, 1, 0, 0, 0}, 3, 2)})
}

// TestTransposedShapes has a shape of the result that leaves an odd element of padding: it is before the
// axis but with SAME_UPPER. Extents that only a run says do without it.
func TestTransposedShapes(t *testing.T) {
	of := func(a attrs, want ...float32) opCase {
		a["strides"] = []int{2}
		return opCase{op: "ConvTranspose", opset: 17, attrs: a, in: tensors(graph.Of([]float32{1, 2, 3}, 1, 1, 3)),
			fixed: tensors(graph.Of([]float32{1, 10}, 1, 1, 2)), want: graph.Of(want, 1, 1, len(want))}
	}
	three := of(attrs{"auto_pad": "SAME_LOWER"}, 1, 10, 2, 20, 3, 30)
	three.fixed = tensors(graph.Of([]float32{0, 1, 10}, 1, 1, 3))
	three.batch, three.in = true, tensors(graph.Of([]float32{1, 2, 3}, 1, 1, 3))
	checkOps(t,
		of(attrs{"output_shape": []int{5}}, 10, 2, 20, 3, 30),
		of(attrs{"output_shape": []int{5}, "auto_pad": "SAME_LOWER"}, 10, 2, 20, 3, 30),
		of(attrs{"output_shape": []int{5}, "auto_pad": "VALID"}, 10, 2, 20, 3, 30),
		of(attrs{"output_shape": []int{6}, "auto_pad": "VALID"}, 1, 10, 2, 20, 3, 30),
		of(attrs{"output_shape": []int{5}, "auto_pad": "SAME_UPPER"}, 1, 10, 2, 20, 3),
		three)
}
