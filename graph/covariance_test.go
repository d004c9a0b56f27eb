package graph_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestWeights: a row of weight 2 counts as two rows, in means, covariances and correlations.
func TestWeights(t *testing.T) {
	few := graph.OfRows([][]float64{{1, 5, 2}, {2, 3, -4}, {4, 4, 1}, {7, -1, 3}})
	many := graph.OfRows([][]float64{{1, 5, 2}, {2, 3, -4}, {2, 3, -4}, {4, 4, 1}, {7, -1, 3}, {7, -1, 3}, {7, -1, 3}})
	w := graph.Of([]float64{1, 2, 1, 3})
	x, all := graph.Input("x", graph.Float64, graph.Dim("n"), 3), graph.Input("all", graph.Float64, graph.Dim("m"), 3)
	weights := graph.Input("w", graph.Float64, graph.Dim("n"))
	p, err := graph.Compile(x.WeightedMean(weights.Unsqueeze(1), 0), x.Cov(weights), x.Cov(weights, graph.DDOF(1)), x.Corr(weights),
		all.Mean(0), all.Cov(nil), all.Cov(nil, graph.DDOF(1)), all.Corr(nil))
	require.NoError(t, err)
	outs, err := p.RunAll(t.Context(), few, many, w)
	require.NoError(t, err)
	for i := range 4 {
		require.InDeltaSlice(t, values[float64](t, outs[4+i]), values[float64](t, outs[i]), 1e-13)
	}
	variance := run(t, graph.Const(many).Var(0))
	covariances, err := graph.Rows[float64](outs[5])
	require.NoError(t, err)
	for k, v := range values[float64](t, variance) {
		require.InDelta(t, v, covariances[k][k], 1e-13)
	}

	for text, y := range map[string]graph.Node{
		"cov: takes observations by variables": weights.Cov(nil),
		"corr: does not take int32":            graph.Input("i", graph.Int32, 3, 2).Corr(nil),
		"does not take the option KeepDims":    x.Cov(nil, graph.KeepDims),
		"weights of shape [7,1]":               x.Cov(graph.Input("v", graph.Float64, 7, 1)),
		"weightedmean":                         x.WeightedMean(f32("v", 7), 0),
	} {
		require.ErrorContains(t, y.Err(), text)
	}
}

// Columns come from and go to Go slices; variables that rise together have a correlation of 1.
func ExampleNode_Corr() {
	hours, points := []float64{1, 2, 3, 4}, []float64{10, 20, 30, 40}
	x := graph.Input("x", graph.Float64, graph.Dim("n"), 2)
	p, err := graph.Compile(x.Corr(nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := p.Run(context.Background(), graph.OfColumns(hours, points))
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, err := graph.Rows[float64](out)
	fmt.Printf("%.3f %v\n", rows, err)
	// Output: [[1.000 1.000] [1.000 1.000]] <nil>
}
