package onnx

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// built compiles nodes on the inputs x, float32[n,3], and mask, bool[n].
func built(t *testing.T, outputs []string, nodes ...*node) (*Program, error) {
	t.Helper()
	body := &subgraph{nodes: nodes, outputs: outputs, inputs: []port{
		{name: "x", dtype: graph.Float32, dims: []any{"n", 3}}, {name: "mask", dtype: graph.Bool, dims: []any{"n"}},
	}}
	for _, n := range nodes {
		if n.attrs == nil {
			n.attrs = attrs{}
		}
	}
	return compile(&model{words: newVocabulary(), opset: 18, body: body}, newSettings(nil))
}

func made(op string, a attrs, inputs []string, outputs ...string) *node {
	return &node{op: op, inputs: inputs, outputs: outputs, attrs: a}
}

// TestStages has operators whose results have as many elements as the data says, one after
// another, on values of several stages, inside a loop, and on constants.
func TestStages(t *testing.T) {
	in := func(names ...string) []string { return names }
	three := graph.ScalarOf(int64(3))
	p, err := built(t, in("picked", "sizes", "distinct", "counts", "filled", "stacked", "fixed"),
		made("Mul", nil, in("x", "x"), "y"),
		made("Compress", attrs{"axis": 0}, in("y", "mask"), "rows"),
		made("NonZero", nil, in("rows"), "at"),
		made("Transpose", nil, in("at"), "places"),
		made("GatherND", nil, in("rows", "places"), "picked"),
		made("Shape", nil, in("picked"), "sizes"),
		made("Unique", nil, in("picked"), "distinct", "", "", "counts"),
		made("Constant", attrs{"value_ints": []int{1}}, nil, "one"),
		made("Concat", attrs{"axis": 0}, in("sizes", "one"), "target"),
		made("ReduceSum", attrs{"keepdims": 0}, in("y"), "total"), // of the first stage
		made("Expand", nil, in("total", "target"), "filled"),
		made("Constant", attrs{"value": three}, nil, "trips"),
		made("Constant", attrs{"value": graph.ScalarOf(true)}, nil, "yes"),
		made("Loop", attrs{"body": &subgraph{
			inputs: []port{{name: "i"}, {name: "on"}}, outputs: in("on", "count"),
			nodes: []*node{
				made("NonZero", attrs{}, in("mask"), "set"),
				made("Shape", attrs{}, in("set"), "shape"),
				made("Add", attrs{}, in("shape", "i"), "count"),
			},
		}}, in("trips", "yes"), "stacked"),
		made("Constant", attrs{"value": graph.Of([]int64{4, 0, 4})}, nil, "c"),
		made("NonZero", nil, in("c"), "fixed"),
	)
	require.NoError(t, err)
	require.Len(t, p.Graphs(), 4)
	require.Same(t, p.Graphs()[3], p.Graph())
	for n, rows := range map[int][]bool{2: {false, true}, 3: {true, false, true}} {
		x := []float32{1, 0, -1, 2, 2, 0, 3, 0, 0}[:3*n]
		out, err := p.Run(t.Context(), graph.Feeds{"x": graph.Of(x, n, 3), "mask": graph.Of(rows)})
		require.NoError(t, err)
		var picked []float32
		var total float32
		for i, v := range x {
			total += v * v
			if rows[i/3] && v != 0 {
				picked = append(picked, v*v)
			}
		}
		count := int64(len(picked))
		require.True(t, graph.Equal(graph.Of(picked), out["picked"]), "%s", out["picked"])
		require.True(t, graph.Equal(graph.Of([]int64{count}), out["sizes"]))
		require.Equal(t, []int{int(count), 1}, out["filled"].Shape())
		require.True(t, graph.Equal(graph.Full(graph.Float32, total, int(count), 1), out["filled"]))
		want := map[int][]float32{2: {4}, 3: {1, 9}}[n]
		require.True(t, graph.Equal(graph.Of(want), out["distinct"]), "%s", out["distinct"])
		require.True(t, graph.Equal(graph.Of(map[int][]int64{2: {2}, 3: {2, 1}}[n]), out["counts"]), "%s", out["counts"])
		set := map[int]int64{2: 1, 3: 2}[n]
		require.True(t, graph.Equal(graph.Of([]int64{1, set, 2, set + 1, 3, set + 2}, 3, 2), out["stacked"]), "%s", out["stacked"])
		require.True(t, graph.Equal(graph.Of([]int64{0, 2}, 1, 2), out["fixed"]))
	}
}

// TestLoopBounds has loops without a condition, without a number of iterations, and without
// either, which have no end.
func TestLoopBounds(t *testing.T) {
	of := func(trips, condition string, limit int64) (*Program, error) {
		return built(t, []string{"y"},
			made("Constant", attrs{"value": graph.ScalarOf(int64(3))}, nil, "three"),
			made("Constant", attrs{"value": graph.ScalarOf(true)}, nil, "yes"),
			made("Constant", attrs{"value": graph.ScalarOf(limit)}, nil, "limit"),
			made("Loop", attrs{"body": &subgraph{
				inputs: []port{{name: "i"}, {name: "on"}, {name: "v"}}, outputs: []string{"more", "w"},
				nodes: []*node{made("Add", attrs{}, []string{"v", "v"}, "w"), made("Less", attrs{}, []string{"i", "limit"}, "more")},
			}}, []string{trips, condition, "x"}, "y"))
	}
	for _, c := range []struct {
		trips, condition string
		limit            int64
		times            float32
	}{{"three", "", 100, 8}, {"", "yes", 1, 4}, {"", "", 0, 2}, {"three", "yes", 0, 2}} {
		p, err := of(c.trips, c.condition, c.limit)
		require.NoError(t, err)
		out, err := p.Run(t.Context(), graph.Feeds{"x": graph.Ones(graph.Float32, 1, 3), "mask": graph.Of([]bool{true})})
		require.NoError(t, err)
		require.True(t, graph.Equal(graph.Full(graph.Float32, c.times, 1, 3), out["y"]), "%v: %s", c, out["y"])
	}
	_, err := of("", "", 1<<20)
	require.ErrorContains(t, err, "more than 1024 iterations")
}

// TestStageErrors has operators that the tensors of a run do not suit: the error names the
// node.
func TestStageErrors(t *testing.T) {
	p, err := built(t, []string{"y"}, made("Compress", attrs{"axis": 1}, []string{"x", "mask"}, "y"))
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.Feeds{"x": graph.New(graph.Float32, 4, 3), "mask": graph.Of([]bool{true, false, false, true})})
	require.ErrorContains(t, err, "onnx: Compress (makes y): ")
	_, err = built(t, []string{"y"}, made("Compress", attrs{"axis": 2}, []string{"x", "mask"}, "y"))
	require.ErrorContains(t, err, "axis 2 of 2 axes")
}
