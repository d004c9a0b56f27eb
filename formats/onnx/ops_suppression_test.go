package onnx

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

func TestNonMaxSuppression(t *testing.T) {
	corners := []float32{0, 0, 1, 1, 1, 0.1, 0, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101}
	boxes := graph.Of(corners, 1, 6, 4)
	scores := graph.Of([]float32{0.9, 0.75, 0.6, 0.95, 0.5, 0.3, 0.5, 0.5, 0.6, 0.1, 0.2, 0.2}, 1, 2, 6)
	number := func(v float32) *graph.Tensor { return graph.ScalarOf(v) }
	suppress := func(in, fixed []*graph.Tensor, want ...int64) opCase {
		return opCase{op: "NonMaxSuppression", opset: 11, in: in, fixed: fixed, want: graph.Of(want, len(want)/3, 3)}
	}
	both := tensors(boxes, scores)
	pair := graph.Of([]float32{0, 0, 1, 1, 0.5, 0.5, 1.5, 1.5}, 1, 2, 4)
	two := tensors(pair, graph.Of([]float32{0.8, 0.9}, 1, 1, 2))
	common := float32(0.25) / 1.75
	centered := suppress(tensors(graph.Of([]float32{0.5, 0.5, 1, 1, 0.5, 0.6, 1, 1, 0.5, 10.5, 1, 1}, 1, 3, 4), graph.Of([]float32{0.7, 0.8, 0.9}, 1, 1, 3)),
		tensors(int64s(9), number(0.5)), 0, 0, 2, 0, 0, 1)
	centered.attrs = attrs{"center_point_box": 1}
	checkOps(t,
		suppress(both, tensors(int64s(3), number(0.5), number(0)), 0, 0, 3, 0, 0, 0, 0, 0, 5, 0, 1, 2, 0, 1, 4, 0, 1, 5),
		suppress(both, tensors(int64s(2), number(0.5)), 0, 0, 3, 0, 0, 0, 0, 1, 2, 0, 1, 4),
		suppress(both, tensors(int64s(3), number(0.5), number(0.5)), 0, 0, 3, 0, 0, 0, 0, 1, 2),
		suppress(both, tensors(int64s(1), nil, number(0.5)), 0, 0, 3, 0, 1, 2),
		suppress(both, nil),
		suppress(append(both[:2:2], int64s(2), graph.Of([]float32{1})), nil, 0, 0, 3, 0, 0, 0, 0, 1, 2, 0, 1, 0), // equal scores: the first box
		suppress(two, tensors(int64s(5), number(common)), 0, 0, 1, 0, 0, 0),
		suppress(two, tensors(int64s(5), number(math.Nextafter32(common, 0))), 0, 0, 1),
		suppress(nil, append(two[:2:2], int64s(5), number(0)), 0, 0, 1), // all known at load
		centered,
	)
	wrong := suppress(tensors(boxes, graph.New(graph.Float32, 1, 2, 5)), tensors(int64s(3)))
	flat := suppress(tensors(boxes, graph.New(graph.Float32, 6)), tensors(int64s(3)))
	checkOpMistakes(t,
		opMistake{wrong, "input 1 has the shape [1,2,5], whose axis 2 must have the extent 6"},
		opMistake{suppress(nil, tensors(graph.New(graph.Float32, 1, many/8, 4), graph.New(graph.Float32, 1, 1, many/8))), "131072 scores that are known at load"},
		opMistake{flat, "input 1 has the shape [6]"},
		opMistake{suppress(both, tensors(number(3))), "input 2 is of float32: it must be int64"},
		opMistake{suppress(both, tensors(int64s(3, 4))), "2 elements"},
	)
}

// TestAfterSuppression uses the boxes that are left in the same model.
func TestAfterSuppression(t *testing.T) {
	p, err := compile(&model{words: newVocabulary(), opset: 18, body: &subgraph{
		inputs:    []port{{name: "boxes", dtype: graph.Float32, dims: []any{1, "n", 4}}, {name: "scores", dtype: graph.Float32, dims: []any{1, 1, "n"}}},
		constants: map[string]*graph.Tensor{"most": int64s(5), "overlap": graph.ScalarOf(float32(0.5)), "last": graph.ScalarOf(int64(2))},
		outputs:   []string{"left"},
		nodes: []*node{
			made("NonMaxSuppression", attrs{}, []string{"boxes", "scores", "most", "overlap"}, "rows"),
			made("Gather", attrs{"axis": 1}, []string{"rows", "last"}, "at"),
			made("Gather", attrs{"axis": 1}, []string{"boxes", "at"}, "left"),
		},
	}}, newSettings(nil))
	require.NoError(t, err)
	boxes, scores := graph.Of([]float32{0, 0, 1, 1, 0, 0.1, 1, 1, 4, 4, 5, 5}, 1, 3, 4), graph.Of([]float32{1, 2, 3}, 1, 1, 3)
	out, err := p.Run(t.Context(), graph.Feeds{"boxes": boxes, "scores": scores})
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]float32{4, 4, 5, 5, 0, 0.1, 1, 1}, 1, 2, 4), out["left"]), "%s", out["left"])
}
