package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph"
)

// TestMistakesHaveTheNameThatWasCalled: what an op is made of shows in its errors,
// behind its own name.
func TestMistakesHaveTheNameThatWasCalled(t *testing.T) {
	x, i := graph.Input("x", graph.Float32, 4, 6), graph.Input("i", graph.Int32, 4)
	for want, y := range map[string]graph.Node{
		"softmax: max: axis 3 ":               x.Softmax(3),
		"logsoftmax: exp: ":                   i.LogSoftmax(0),
		"norm2: sqrt: ":                       i.Norm2(0),
		"logsumexp: max: ":                    graph.Input("e", graph.Float32, 0).LogSumExp(),
		"layernorm: with its scale or offset": x.LayerNorm(graph.Ones(graph.Float32, 3, 1, 1), 0, 1e-5),
		"rmsnorm: mean: ":                     i.RMSNorm(1, 1e-5),
		"batchnorm: a parameter has shape [3]: it needs one element for each index of axis 1 of [4,6]":                             x.BatchNorm(1, 0, 1, graph.Ones(graph.Float32, 3), 0, 1e-5),
		"groupnorm: a parameter has shape [2]":                                                                                     x.GroupNorm(2, graph.Ones(graph.Float32, 2), 0, 1e-5),
		"maximum: KeepDims is an option of reductions, and this is element by element: the reductions are Min, Max, Sum and so on": x.Maximum(0, graph.KeepDims),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "error_names_test.go:")
	}
	mine := x.Sub(i)
	require.Equal(t, mine.Err(), mine.Softmax(0).Err(), "the mistake below is the one to mend")
	require.NoError(t, x.BatchNorm(1, 0, 1, graph.Ones(graph.Float32, 6), 0, 1e-5).Err())
}
