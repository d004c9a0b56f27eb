package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph"
)

// TestLastBlockOfOneRow: the last block of a row group has one row, and the rows are reduced to one column. With -long
// there are all numbers of rows.
func TestLastBlockOfOneRow(t *testing.T) {
	x, w := graph.Input("x", graph.Float32, graph.Dim("n"), 8), graph.Input("w", graph.Float32, 8)
	c := x.CumSum(1)
	y := c.Div(c.Mul(w).Sum(1, graph.KeepDims))
	p, err := graph.Compile(y)
	require.NoError(t, err)
	q, err := graph.Compile(y, graph.WithDebug(graph.NoFusion))
	require.NoError(t, err)
	weights := graph.Arange(graph.Float32, 1, 9, 1)
	for n := 1; n < 3200; n++ {
		if !*long {
			n += n / 100
		}
		ones := graph.Ones(graph.Float32, n, 8)
		want, err := q.Run(context.Background(), ones, weights)
		require.NoError(t, err)
		got, err := p.Run(context.Background(), ones, weights)
		require.NoError(t, err)
		require.Equal(t, elements(t, want), elements(t, got), "%d rows", n)
	}
}
