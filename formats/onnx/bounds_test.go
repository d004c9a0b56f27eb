package onnx

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// Bounds on what a small file can demand: nodes, names, elements of sequences, and work at load.

// TestBoundedNames has loops, nodes and sequences with many names in few nodes.
func TestBoundedNames(t *testing.T) {
	in := func(names ...string) []string { return names }
	number := func(name string, n int64) *node {
		return made("Constant", attrs{"value": graph.ScalarOf(n)}, nil, name)
	}
	many := slices.Repeat(in("i"), 4000)
	outs := make([]string, len(many))
	for i := range outs {
		outs[i] = fmt.Sprint("y", i)
	}
	inserts := []*node{made("SequenceEmpty", nil, nil, "s0")}
	for i := range 4000 {
		inserts = append(inserts, made("SequenceInsert", nil, in(fmt.Sprint("s", i), "x"), fmt.Sprint("s", i+1)))
	}
	for _, nodes := range [][]*node{
		{number("trips", 1000), made("Constant", attrs{"value": graph.ScalarOf(true)}, nil, "on"), made("Loop", attrs{"body": &subgraph{
			inputs: []port{{name: "i"}, {name: "on"}}, outputs: append(in("on"), many...),
		}}, in("trips", "on"), outs...)},
		append(inserts, made("SequenceLength", nil, in("s4000"), "y0")),
		{made("Sum", nil, slices.Repeat(in("x"), mostNodes*namesOfNode), "y0")},
	} {
		_, err := built(t, in("y0"), nodes...)
		require.ErrorContains(t, err, fmt.Sprintf("more than %d", mostNodes))
	}
	checkOpMistakes(t, opMistake{opCase{op: "NonMaxSuppression", opset: 18, fixed: tensors(counted(1, 9000, 4), counted(1, 1, 9000))}, "it becomes"})
}

// TestManyStages has many operators in sequence whose result sizes depend on the data: names stay short.
func TestManyStages(t *testing.T) {
	var nodes []*node
	for i := range 1100 {
		nodes = append(nodes, made("Compress", attrs{"axis": 0}, []string{"x", "mask"}, fmt.Sprint("y", i)))
	}
	p, err := built(t, []string{"y1099"}, nodes...)
	require.NoError(t, err)
	out, err := p.Run(t.Context(), graph.Feeds{"x": counted(2, 3), "mask": graph.Of([]bool{false, true})})
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]float32{4, 5, 6}, 1, 3), out["y1099"]))
}

// TestSizesStay expands two values to one list of sizes, whose extent 1 keeps the extent of the first value.
func TestSizesStay(t *testing.T) {
	in := func(names ...string) []string { return names }
	p, err := built(t, in("wide", "narrow"),
		made("Shape", nil, in("mask"), "n"), made("Constant", attrs{"value_ints": []int{1}}, nil, "one"),
		made("Concat", attrs{"axis": 0}, in("n", "one"), "shape"),
		made("Expand", nil, in("x", "shape"), "wide"), made("Expand", nil, in("one", "shape"), "narrow"))
	require.NoError(t, err)
	out, err := p.Run(t.Context(), graph.Feeds{"x": counted(2, 3), "mask": graph.Of([]bool{false, true})})
	require.NoError(t, err)
	require.Equal(t, [][]int{{2, 3}, {2, 1}}, [][]int{out["wide"].Shape(), out["narrow"].Shape()})
}

// TestMissingInputs leaves out an input of a function that an operator inside needs.
func TestMissingInputs(t *testing.T) {
	for _, op := range []string{"Shape", "Size", "SequenceLength", "Dropout", "SequenceConstruct"} {
		m := &model{words: newVocabulary(), opset: 18, functions: map[string]*function{
			key("own", "F", ""): {inputs: []string{"a"}, opset: 18, body: &subgraph{outputs: []string{"b"}, nodes: []*node{made(op, attrs{}, []string{"a"}, "b")}}},
		}, body: &subgraph{outputs: []string{"y"}, nodes: []*node{{domain: "own", op: "F", outputs: []string{"y"}, attrs: attrs{}}}}}
		_, err := compile(m, newSettings(nil))
		require.ErrorContains(t, err, op+" (makes b): input 0 is missing")
	}
}

// TestStagesOfSequences makes a sequence of values of a later stage than its operands, and joins them.
func TestStagesOfSequences(t *testing.T) {
	in := func(names ...string) []string { return names }
	p, err := built(t, in("y"),
		made("SequenceConstruct", nil, in("x", "x"), "pair"),
		made("SequenceMap", attrs{"body": &subgraph{inputs: []port{{name: "a"}}, outputs: in("b"), nodes: []*node{
			made("Compress", attrs{"axis": 0}, in("a", "mask"), "b")}}}, in("pair"), "rows"),
		made("ConcatFromSequence", attrs{"axis": 0}, in("rows"), "y"))
	require.NoError(t, err)
	out, err := p.Run(t.Context(), graph.Feeds{"x": counted(2, 3), "mask": graph.Of([]bool{false, true})})
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]float32{4, 5, 6, 4, 5, 6}, 2, 3), out["y"]), "%s", out["y"])
}
