package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

func TestEdge(t *testing.T) {
	ctx := t.Context()
	x := graph.Of([]int32{3, 0, 3, 0, 1, 3}, 2, 3)
	at, err := graph.NonZero(ctx, x.T())
	require.NoError(t, err)
	require.Equal(t, "int64[2,4] [[0 1 2 2] [0 1 0 1]]", shown(at))
	kept, err := graph.Compress(ctx, x, graph.Of([]bool{true, false, true}), 1)
	require.NoError(t, err)
	require.Equal(t, "int32[2,2] [[3 3] [0 3]]", shown(kept))
	d, err := graph.Unique(ctx, x)
	require.NoError(t, err)
	require.Equal(t, "int32[3] [0 1 3]", shown(d.Values))
	require.Equal(t, "int64[3] [1 4 0]", shown(d.First))
	require.Equal(t, "int64[2,3] [[2 0 2] [0 1 2]]", shown(d.Places))
	require.Equal(t, "int64[3] [2 1 3]", shown(d.Counts))
	d, err = graph.Unique(ctx, graph.New(graph.Float32, 0))
	require.NoError(t, err)
	require.Equal(t, 0, d.Values.Size())
	_, err = graph.Compress(ctx, x, x, 0)
	require.ErrorContains(t, err, "compress: the mask has 2 axes: it must be a vector")
	_, err = graph.Compress(ctx, x, graph.Of([]bool{false, true, true}), 0)
	require.ErrorContains(t, err, "compress: index 2 at [1] of the indices int64[2] is outside axis 0 of int32[2,3]: allowed are 0 to 1")
}
