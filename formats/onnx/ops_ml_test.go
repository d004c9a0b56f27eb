package onnx

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// mlOps is the domain of the operators of classical machine learning.
const mlOps = "ai.onnx.ml"

// textModel returns a model without nodes. It has the inputs "a" and "b", which are strings, "x", int64, and the constant "lo"; its
// words are "lo" and "hi".
func textModel() *model {
	m := &model{words: newVocabulary(), opset: 19, body: &subgraph{outputs: names("y"), inputs: []port{
		{name: "a", dtype: graph.Int64, text: true, dims: []any{"n"}}, {name: "b", dtype: graph.Int64, text: true, dims: []any{"n"}},
		{name: "x", dtype: graph.Int64, dims: []any{"n"}},
	}}}
	m.body.constants = map[string]*graph.Tensor{"lo": m.words.tensor([]string{"lo"}, 1)}
	m.words.add("hi")
	return m
}

// with compiles the model with nodes.
func (m *model) with(nodes ...*node) (*Program, error) {
	for _, n := range nodes {
		if n.attrs == nil {
			n.attrs = attrs{}
		}
	}
	m.body.nodes = nodes
	return compile(m, newSettings(nil))
}

// TestUnknownStrings has strings that the model does not have: they are not compared with each other, and not decoded.
func TestUnknownStrings(t *testing.T) {
	run := func(n ...*node) (*Program, *graph.Tensor) {
		p, err := textModel().with(n...)
		require.NoError(t, err)
		outs, err := p.Run(context.Background(), graph.Feeds{"a": p.Encode([]string{"lo", "foo", "hi"}), "b": p.Encode([]string{"lo", "bar", "lo"}), "x": graph.Of([]int64{1, 2, 3})})
		require.NoError(t, err)
		return p, outs["y"]
	}
	_, same := run(made("Equal", nil, names("a", "lo"), "y"))
	require.True(t, graph.Equal(graph.Of([]bool{true, false, false}), same))
	_, same = run(made("Equal", nil, names("lo", "b"), "y"))
	require.True(t, graph.Equal(graph.Of([]bool{true, false, true}), same))
	for _, operands := range [][]string{{"a", "b"}, {"a", "same"}, {"twice", "twice"}} {
		each := &subgraph{inputs: []port{{name: "i"}, {name: "on"}}, outputs: names("on", "each"), nodes: []*node{made("Identity", attrs{}, names("a"), "each")}}
		_, err := textModel().with(made("Identity", nil, names("a"), "same"), number("two", graph.ScalarOf(int64(2))), made("Loop", attrs{"body": each}, names("two", ""), "twice"), made("Equal", nil, operands, "y"))
		require.ErrorContains(t, err, "strings are compared with constant ones of the model only")
	}
	_, err := textModel().with(made("Equal", nil, names("lo", "x"), "y"))
	require.ErrorContains(t, err, "both operands must be strings, or numbers")

	p, y := run(made("Identity", nil, names("a"), "y"))
	_, err = p.Decode(y)
	require.ErrorContains(t, err, "-1 stands for any string that the model does not have")
	_, err = p.Decode(graph.Ones(graph.Float32, 2))
	require.EqualError(t, err, "onnx: a tensor of float32 has no strings: those of the model are int64, and Strings names them")
	words, err := p.Decode(y.Slice("::2"))
	require.NoError(t, err)
	require.Equal(t, []string{"lo", "hi"}, words)
}

// stump is a TreeEnsemble of one node, which votes 1 or 2.
func stump(mode *graph.Tensor, more attrs) opCase {
	a := attrs{
		"n_targets": 1, "tree_roots": []int{0}, "nodes_modes": mode, "nodes_splits": graph.Of([]float32{0.5}), "nodes_featureids": []int{0},
		"nodes_truenodeids": []int{0}, "nodes_falsenodeids": []int{1}, "nodes_trueleafs": []int{1}, "nodes_falseleafs": []int{1},
		"leaf_targetids": []int{0, 0}, "leaf_weights": graph.Of([]float32{1, 2}),
	}
	return opCase{op: "TreeEnsemble", domain: mlOps, opset: 5, attrs: with(a, more), in: tensors(graph.Of([]float32{0.1, 0.5, 3}, 3, 1))}
}

// TestModesOfNodes has numbers that are no modes, and members of a set of which one is no float32.
func TestModesOfNodes(t *testing.T) {
	for _, x := range []float64{-1, 0.5, 7, 8, 256, 1 << 40, math.NaN(), math.Inf(1), math.Inf(-1)} {
		_, err := stump(graph.Of([]float64{x}), nil).run()
		require.ErrorContains(t, err, "it must be a whole number from 0 to 6")
	}
	leq := stump(graph.Of([]float64{0}), nil)
	leq.want = graph.Of([]float32{1, 1, 2}, 3, 1)
	inSet := func(members *graph.Tensor, want ...float32) opCase {
		c := stump(graph.Of([]uint8{6}), attrs{"membership_values": members})
		c.want = graph.Of(want, 3, 1)
		return c
	}
	nan := math.NaN()
	checkOps(t, leq,
		inSet(graph.Of([]float64{3, 0.1, nan}), 2, 2, 1), // 0.1 of float32 is another number
		inSet(graph.Of([]float64{0.1, 3, nan}), 2, 2, 1),
		inSet(graph.Of([]float32{3, 0.1, float32(nan)}), 1, 2, 1))
}

// TestBaseValues has other numbers of base values than targets and classes.
func TestBaseValues(t *testing.T) {
	leaf := attrs{
		"nodes_nodeids": []int{0}, "nodes_treeids": []int{0}, "nodes_modes": []string{"LEAF"}, "nodes_truenodeids": []int{0}, "nodes_falsenodeids": []int{0},
		"nodes_featureids": []int{0}, "nodes_values": []float64{0}, "base_values": []float64{1, 2},
	}
	votes := func(prefix string) attrs {
		return attrs{prefix + "_ids": []int{0}, prefix + "_nodeids": []int{0}, prefix + "_treeids": []int{0}, prefix + "_weights": []float64{8}}
	}
	regressor := func(targets int) opCase {
		return opCase{op: "TreeEnsembleRegressor", domain: mlOps, opset: 3, attrs: with(leaf, with(votes("target"), attrs{"n_targets": targets})), in: tensors(graph.Of([]float32{1}, 1, 1))}
	}
	classifier := func(labels ...int) opCase {
		return opCase{op: "TreeEnsembleClassifier", domain: mlOps, opset: 3, attrs: with(leaf, with(votes("class"), attrs{"classlabels_int64s": labels})), in: tensors(graph.Of([]float32{1}, 1, 1))}
	}
	right := regressor(2)
	right.want = graph.Of([]float32{9, 2}, 1, 2)
	checkOps(t, right)
	checkOpMistakes(t, opMistake{regressor(1), "2 base values of 1 targets"}, opMistake{regressor(3), "2 base values of 3 targets"},
		opMistake{classifier(4), "2 base values of 1 class"}, opMistake{classifier(4, 5, 6), "2 base values of 3 classes"})
}

// TestTooManyVotes has tables of votes of half a gigabyte, and of more elements than an int of 32 bits counts.
func TestTooManyVotes(t *testing.T) {
	stumps := func(n int) opMistake {
		zeros, numbers := make([]int, n), make([]int, n)
		for i := range numbers {
			numbers[i] = i
		}
		c := opCase{op: "TreeEnsembleRegressor", domain: mlOps, opset: 3, in: tensors(graph.Of([]float32{1}, 1, 1)), attrs: attrs{
			"nodes_nodeids": zeros, "nodes_treeids": numbers, "nodes_modes": slices.Repeat([]string{"LEAF"}, n), "nodes_values": make([]float64, n),
			"nodes_truenodeids": zeros, "nodes_falsenodeids": zeros, "nodes_featureids": zeros, "n_targets": math.MaxInt16,
			"target_ids": []int{0}, "target_nodeids": []int{0}, "target_treeids": []int{0}, "target_weights": []float64{8}}}
		return opMistake{c, map[bool]string{true: "it becomes", false: "nodes with 32767 targets"}[n < 4096]}
	}
	checkOpMistakes(t, stumps(2100), stumps(131_073))
}

// TestKeys compares the order of keys with that of numbers.
func TestKeys(t *testing.T) {
	some := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 1, -1, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32}
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		some = append(some, float64(float32(r.NormFloat64())))
	}
	for _, x := range some {
		for _, y := range some {
			require.Equal(t, x < y, key64(x) < key64(y), "%v < %v", x, y)
			require.Equal(t, x == y, key64(x) == key64(y), "%v == %v", x, y)
			require.Equal(t, x < y, key32(float32(x)) < key32(float32(y)), "%v < %v", x, y)
			require.Equal(t, x == y, key32(float32(x)) == key32(float32(y)), "%v == %v", x, y)
		}
	}
}

// TestFeatureVectorizer cuts and pads features, whose number only a run may have.
func TestFeatureVectorizer(t *testing.T) {
	for _, dims := range [][]any{{1, "k"}, {1, 3}} {
		for _, width := range []int{2, 3, 5} {
			n := made("FeatureVectorizer", attrs{"inputdimensions": []int{width, 1}}, names("a", "b"), "y")
			n.domain = mlOps
			p, err := compile(&model{words: newVocabulary(), opset: 18, body: &subgraph{nodes: []*node{n}, outputs: names("y"), inputs: []port{
				{name: "a", dtype: graph.Float32, dims: dims}, {name: "b", dtype: graph.Float32, dims: []any{1, 1}},
			}}}, newSettings(nil))
			require.NoError(t, err)
			outs, err := p.Run(context.Background(), graph.Feeds{"a": graph.Of([]float32{1, 2, 3}, 1, 3), "b": graph.Of([]float32{9}, 1, 1)})
			require.NoError(t, err)
			want := append([]float32{1, 2, 3, 0, 0}[:width:width], 9)
			require.True(t, graph.Equal(graph.Of(want, 1, width+1), outs["y"]), "%v to %d: %v", dims, width, outs["y"])
		}
	}
}

// TestDefaultTensor has defaults that are numbers for strings, and strings for numbers.
func TestDefaultTensor(t *testing.T) {
	for _, c := range []struct {
		values         attrs
		text, mistaken bool // of the default
	}{
		{values: attrs{"values_strings": names("lo", "hi")}, mistaken: true},
		{values: attrs{"values_strings": names("lo", "hi")}, text: true},
		{values: attrs{"values_int64s": []int{5, 6}}},
		{values: attrs{"values_int64s": []int{5, 6}}, text: true, mistaken: true},
	} {
		m, last := textModel(), int64s(1)
		if c.text {
			last = m.body.constants["lo"]
		}
		n := made("LabelEncoder", with(c.values, attrs{"keys_strings": names("lo", "hi"), "default_tensor": last}), names("a"), "y")
		n.domain = mlOps
		_, err := m.with(n)
		if c.mistaken {
			require.ErrorContains(t, err, "default_tensor and the values must both be strings, or numbers")
		} else {
			require.NoError(t, err)
		}
	}
}
