package onnx

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestOperatorMistakes has nodes that no definition allows, or that depend on what is not known at
// load: an error says what to give.
func TestOperatorMistakes(t *testing.T) {
	x, image := counted(3, 2, 4), counted(1, 2, 3, 3)
	w, r := counted(1, 5, 4), counted(1, 5, 5)
	none := (*graph.Tensor)(nil)
	mistake := func(message, op string, opset int, a attrs, in []*graph.Tensor, fixed ...*graph.Tensor) opMistake {
		return opMistake{opCase{op: op, opset: opset, attrs: a, in: in, fixed: fixed}, message}
	}
	bytes := counted(1, 4, 8)
	checkOpMistakes(t,
		mistake("input 2 has the shape [18,6,24], whose axis 0 must have the extent 2", "Attention", 23, attrs{"q_num_heads": 3, "kv_num_heads": 3}, tensors(counted(2, 4, 24), counted(2, 6, 24), counted(18, 6, 24))),
		mistake("input 3 has the shape [2,4,3], whose axis 0 must have the extent 1", "CausalConvWithState", 27, attrs{}, tensors(bytes, counted(4, 1, 4), none, counted(2, 4, 3))),
		mistake("a state of shape [1,4,2] for windows of 4 elements", "CausalConvWithState", 27, attrs{}, tensors(bytes, counted(4, 1, 4), none, counted(1, 4, 2))),
		mistake("4 channels of the operand can't be divided into 3 equal groups", "ConvTranspose", 13, attrs{"group": 3}, tensors(bytes, counted(4, 1, 3))),
		mistake("attribute \"group\" is 0: it must be 1 to", "Conv", 13, attrs{"group": 0}, tensors(bytes, counted(4, 1, 3))),
		mistake("offsets of shape [1,6,2,2] for windows [2 2] in 1 groups", "DeformConv", 22, attrs{}, tensors(counted(1, 1, 3, 3), counted(1, 1, 2, 2), counted(1, 6, 2, 2))),
		mistake(`attribute "kernel_shape" is [2147483647]: it must be 1 to`, "MaxPool", 17, attrs{"kernel_shape": []int{math.MaxInt32}}, tensors(bytes)),
		mistake("a mask [3,1,1,3] for scores [1,2,3,3]", "Attention", 23, attrs{}, tensors(image, image, image, counted(3, 1, 1, 1))),
		mistake("65 axes: the greatest rank is 64", "Reshape", 14, nil, tensors(counted(1)), graph.Ones(graph.Int64, 65)),
		mistake(`direction "up"`, "RNN", 22, attrs{"direction": "up"}, tensors(x), w, r),
		mistake(`activation "Sine" is not known`, "RNN", 22, attrs{"activations": []string{"Sine"}}, tensors(x), w, r),
		mistake("there must be 1 for each of 2 directions", "RNN", 22, attrs{"direction": "bidirectional", "activations": []string{"Tanh"}}, tensors(x), counted(2, 5, 4), counted(2, 5, 5)),
		mistake("for 2 directions", "GRU", 22, attrs{"direction": "bidirectional"}, tensors(x), counted(1, 15, 4), counted(1, 15, 5)),
		mistake("input 0 has the shape [2,2]", "LSTM", 22, attrs{}, tensors(counted(2, 2)), w, r),
		mistake("input 0 has the shape [2,2]", "Attention", 23, attrs{}, tensors(counted(2, 2), x, x)),
		mistake("the last axis must be a multiple", "Attention", 23, attrs{"q_num_heads": 3, "kv_num_heads": 1}, tensors(x, x, x)),
		mistake("input 4 has the shape [2,2]", "Attention", 23, attrs{}, tensors(image, image, image, none, counted(2, 2), counted(2, 2))),
		mistake("coordinate_transformation_mode \"half\"", "RoiAlign", 16, attrs{"coordinate_transformation_mode": "half", "sampling_ratio": 2}, tensors(image, counted(1, 4), int64s(0))),
		mistake("there must be both or none", "Attention", 23, attrs{}, tensors(image, image, image, none, image)),
		mistake("input 1 has the shape [1,2,3,4], whose axis 3 must have the extent 3", "Attention", 23, attrs{"is_causal": 1}, tensors(image, counted(1, 2, 3, 4), image)),
		mistake("2 heads of queries for 3", "Attention", 23, attrs{}, tensors(image, counted(1, 3, 3, 3), counted(1, 3, 3, 3))),
		mistake("it must be an even number", "RotaryEmbedding", 23, attrs{}, tensors(image, counted(1, 3, 1), counted(1, 3, 1))),
		mistake("update_rule", "LinearAttention", 27, attrs{"q_num_heads": 2, "kv_num_heads": 2}, tensors(x, x, x)),
		mistake("activation \"relu\"", "CausalConvWithState", 27, attrs{"activation": "relu"}, tensors(x, counted(2, 1, 3))),
		mistake("places of as many numbers", "GridSample", 20, attrs{}, tensors(image, counted(1, 3, 3, 3))),
		mistake(`mode "linea"`, "GridSample", 20, attrs{"mode": "linea"}, tensors(image, counted(1, 3, 3, 2))),
		mistake("for an image of [1 2 3]", "AffineGrid", 20, attrs{}, tensors(counted(1, 2, 3)), int64s(1, 2, 3)),
		mistake("input 0 has the shape [3,2,4]", "DeformConv", 19, attrs{}, tensors(x, x, x)),
		mistake("prime factor 2053", "DFT", 20, attrs{}, tensors(counted(1, 2053, 1))),
		mistake("the last axis has the parts", "DFT", 20, attrs{}, tensors(counted(1, 4, 1)), none, int64s(2)),
		mistake("a window of shape [2]", "STFT", 17, attrs{}, tensors(counted(1, 8, 1)), graph.ScalarOf(int64(2)), counted(2), graph.ScalarOf(int64(4))),
		mistake("it must be 0 to", "HannWindow", 17, attrs{}, nil, int64s(1<<40)),
		mistake("they must be positive", "MelWeightMatrix", 17, attrs{}, nil, int64s(0), int64s(8), int64s(8000), counted(1), counted(1)),
		mistake("input 0 is a tensor: it takes a sequence", "SequenceAt", 11, attrs{}, tensors(x), int64s(2)),
		mistake("each element is of", "Resize", 18, attrs{"mode": "cubic", "antialias": 1}, tensors(counted(1, 4096)), none, none, int64s(1, 8)),
		mistake("is resized to", "Resize", 18, attrs{}, tensors(x), none, none, int64s(3, 2, 1<<40)),
		mistake(`mode "quartic"`, "Resize", 18, attrs{"mode": "quartic"}, tensors(x), none, none, int64s(3, 2, 8)),
		mistake("roi has 0 numbers", "Resize", 18, attrs{"coordinate_transformation_mode": "tf_crop_and_resize"}, tensors(x), graph.New(graph.Float32, 0), none, int64s(3, 2, 8)),
	)
}

// TestNoOutputs has models and nodes that compute nothing, and a file without a model.
func TestNoOutputs(t *testing.T) {
	_, err := built(t, nil, made("Abs", nil, []string{"x"}, "y"))
	require.ErrorContains(t, err, "the model has no outputs")
	for _, names := range [][]string{nil, {""}} {
		_, err = built(t, []string{"y"}, made("Abs", nil, []string{"x"}, names...), made("Neg", nil, []string{"x"}, "y"))
		require.ErrorContains(t, err, "Abs: no outputs")
	}
	_, err = Parse(nil)
	require.ErrorContains(t, err, "it has no graph")
}

// TestSequenceMistakes has sequences and optional values where tensors are, and the other way.
func TestSequenceMistakes(t *testing.T) {
	in := func(names ...string) []string { return names }
	pair := made("SequenceConstruct", nil, in("x", "x"), "pair")
	nothing := made("Optional", attrs{"type": elementType{}}, nil, "nothing")
	for message, nodes := range map[string][]*node{
		`output "y" is a sequence`:                       {made("SequenceConstruct", nil, in("x"), "y")},
		"input 0 is a sequence: it takes a tensor":       {pair, made("Abs", nil, in("pair"), "y")},
		"input 1 is a sequence: it takes a tensor":       {pair, made("Add", nil, in("x", "pair"), "y")},
		"the optional value is not there":                {nothing, made("OptionalGetElement", nil, in("nothing"), "y")},
		"input 0 is an optional value that is not there": {nothing, made("Abs", nil, in("nothing"), "y")},
		"position 3 in a sequence of 2":                  {pair, made("Constant", attrs{"value_int": 3}, nil, "k"), made("SequenceAt", nil, in("pair", "k"), "y")},
		"a sequence without elements":                    {made("SequenceEmpty", nil, nil, "none"), made("ConcatFromSequence", attrs{"axis": 0}, in("none"), "y")},
		"input 0 is a tensor: it takes a sequence":       {made("SequenceLength", nil, in("x"), "y")},
		"the graph has a value of this name already":     {made("Abs", nil, in("x"), "y"), made("Neg", nil, in("x"), "y")},
		"output 0 of the body is a sequence":             {pair, made("SequenceConstruct", nil, in("x"), "one"), made("SequenceMap", attrs{"body": &subgraph{inputs: []port{{name: "a"}}, outputs: in("b"), nodes: []*node{made("SequenceConstruct", attrs{}, in("a"), "b")}}}, in("pair"), "deep"), made("SequenceLength", nil, in("deep"), "y")},
	} {
		_, err := built(t, in("y"), nodes...)
		require.ErrorContains(t, err, message)
	}
}

// TestTransforms compares transforms of all kinds of lengths with their definition, and their
// inverses with the operand.
func TestTransforms(t *testing.T) {
	for _, n := range []int{1, 2, 7, 64, 65, 96, 127, 134, 360} {
		x := counted(1, n, 2)
		y, err := opCase{op: "DFT", opset: 20, in: tensors(x)}.run()
		require.NoError(t, err)
		back, err := opCase{op: "DFT", opset: 20, attrs: attrs{"inverse": 1}, in: tensors(y)}.run()
		require.NoError(t, err)
		requireWithin(t, "inverse", x, back, 1e-4)
		half, err := opCase{op: "DFT", opset: 20, attrs: attrs{"onesided": 1}, in: tensors(x.Slice("..., :1"))}.run()
		require.NoError(t, err)
		require.Equal(t, []int{1, n/2 + 1, 2}, half.Shape())
		back, err = opCase{op: "DFT", opset: 20, attrs: attrs{"onesided": 1, "inverse": 1}, in: tensors(half), fixed: tensors(int64s(int64(n)))}.run()
		require.NoError(t, err)
		requireWithin(t, "inverse of half", x.Slice("..., :1"), back, 1e-4)
	}
	checkOps(t, opCase{op: "DFT", opset: 20, in: tensors(graph.Of([]float32{1, 2, 0, -1, 3, 4}, 1, 6, 1)), want: graph.Of([]float32{
		9, 0, 3.5, 4.33012702, -4.5, -0.866025404, -1, 0, -4.5, 0.866025404, 3.5, -4.33012702,
	}, 1, 6, 2)})
}

// TestTargetsOfLosses: a target that is neither a class nor ignored is an error of the run, and an ignored one has the loss 0 whatever its scores
// are.
func TestTargetsOfLosses(t *testing.T) {
	scores := counted(3, 2)
	for _, op := range []string{"SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"} {
		of := func(a attrs, scores *graph.Tensor, targets ...int64) opCase {
			return opCase{op: op, opset: 13, attrs: a, in: tensors(scores, int64s(targets...))}
		}
		checkOpMistakes(t,
			opMistake{of(attrs{}, scores, 0, 1, 2), "2 at [2] of b int64[3] is outside 0 to 1: a target is a class"},
			opMistake{of(attrs{}, scores, 0, -1, 1), "-1 at [1] of b int64[3] is outside 0 to 1: a target is a class"},
			opMistake{of(attrs{"ignore_index": -1}, scores, -1, 0, 2), "2 at [2] of b int64[3] is outside 0 to 1: a target is a class or ignore_index"},
		)
		inf := float32(math.Inf(-1))
		for _, ignored := range []int64{-1, 0, 9} {
			c := of(attrs{"ignore_index": int(ignored), "reduction": "none"}, graph.Of([]float32{inf, inf, 0, 0}, 2, 2), ignored, 1)
			got, err := c.run()
			require.NoError(t, err)
			first, err := graph.At[float32](got, 0)
			require.NoError(t, err)
			require.Zero(t, first, "%s: %s", op, got)
		}
	}
}
