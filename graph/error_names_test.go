package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph"
)

// TestMistakesHaveTheNameThatWasCalled: errors name the method that was called, not the ops that it is composed of.
func TestMistakesHaveTheNameThatWasCalled(t *testing.T) {
	x, i := graph.Input("x", graph.Float32, 4, 6), graph.Input("i", graph.Int32, 4)
	for want, y := range map[string]graph.Node{
		"softmax: axis 3 ": x.Softmax(3),
		"logsoftmax: does not take int32: Cast to one of ": i.LogSoftmax(0),
		"norm2: does not take int32: Cast to one of ":      i.Norm2(0),
		"logsumexp: ":                         graph.Input("e", graph.Float32, 0).LogSumExp(),
		"layernorm: with its scale or offset": x.LayerNorm(graph.Ones(graph.Float32, 3, 1, 1), 0, 1e-5),
		"rmsnorm: does not take int32: Cast to float32 or float64":                                                             i.RMSNorm(1, 1e-5),
		"batchnorm: a parameter has shape [3]: it needs one element for each index of axis 1 of [4,6]":                         x.BatchNorm(1, 0, 1, graph.Ones(graph.Float32, 3), 0, 1e-5),
		"groupnorm: a parameter has shape [2]":                                                                                 x.GroupNorm(2, graph.Ones(graph.Float32, 2), 0, 1e-5),
		"maximum: KeepDims is an option of reductions, but this op is elementwise: the reductions are Min, Max, Sum and so on": x.Maximum(0, graph.KeepDims),
		"histogram: the edges are []float64: give a Node or a *Tensor, as Of makes it of a slice":                              x.Histogram([]float64{0, 1}),
		"bincount: 0 bins: give 1 or more":                                                                                     i.BinCount(0),
		"topk: k is -1: give 0 or more":                                                                                        topK(x, -1),
		"broadcastto: shape [-1,3,4] has an extent of -1: give the extent":                                                     x.BroadcastTo(-1, 3, 4),
		"conv: strides [0]: give 1 to 268435456":                                                                               graph.Input("s", graph.Float32, 1, 1, 9).Conv(graph.Ones(graph.Float32, 1, 1, 3), graph.ConvOptions{Strides: []int{0}}),
		"maxpool: does not take float8e5m2: Cast to one of int8, ":                                                             graph.Input("b", graph.Float8E5M2, 1, 1, 9).MaxPool(graph.PoolOptions{Size: []int{2}}),
		"segmentsum: does not take bool: Cast to one of int8, ":                                                                graph.Input("b", graph.Bool, 4).SegmentSum(i, 3),
		"raggedsum: does not take bool: Cast to one of int8, ":                                                                 graph.Input("b", graph.Bool, 4).RaggedSum(i),
		"set: shapes [3] and [2,6] do not broadcast: axis 1 is 3 and 6":                                                        x.Set("1:3", graph.Ones(graph.Float32, 3)),
		"stack: operand 1 has shape [] and the first [4,6]: arrays of one shape are stacked":                                   graph.Stack(0, x, graph.Scalar(graph.Float32, 2)),
		"sum: an axis is an int or a name, not int64: convert the number by int":                                               x.Sum(int64(0)),
		"moveaxis: an axis is an int or a name, not []int: give one axis":                                                      x.MoveAxis([]int{0}, 0),
		"weightedmean: dtypes float32 and int32 differ: Cast one of them":                                                      x.WeightedMean(i, 0),
		"cov: dtypes float32 and int32 differ: Cast one of them":                                                               x.Cov(i),
		"scatter: there is no such ScatterOp":                                                                                  x.Scatter(0, graph.Zeros(graph.Int64, 4, 6), x, 99),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "error_names_test.go:")
	}
	var e *graph.Error
	require.ErrorAs(t, x.Softmax(3).Err(), &e)
	require.Equal(t, "softmax", e.Op)
	mine := x.Sub(i)
	require.Equal(t, mine.Err(), mine.Softmax(0).Err(), "the mistake below is the one to mend")
	require.NoError(t, x.BatchNorm(1, 0, 1, graph.Ones(graph.Float32, 6), 0, 1e-5).Err())
}

func topK(x graph.Node, k int) graph.Node {
	values, _ := x.TopK(0, k)
	return values
}
