package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// Shrinking by a step and growing again gives the same extent if the step divides it.
func TestExtentsThatMayAgree(t *testing.T) {
	x := graph.Input("x", graph.Float32, graph.Dim("h"), graph.Dim("w"))
	back := x.Slice("::2, ::3").Repeat(0, 2).Repeat(1, 3)
	p, err := graph.Compile(graph.Concat(0, back.Add(x), x, back))
	require.NoError(t, err)
	in := graph.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	out, err := p.Run(t.Context(), in)
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]float32{2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 1, 1, 1, 1, 1, 1}, 6, 3), out), out)

	_, err = p.Run(t.Context(), graph.Ones(graph.Float32, 3, 3))
	require.ErrorContains(t, err, here()[:len("agree_test.go")])
	require.ErrorContains(t, err, "axis 0 of shape [4,3] is 4: it must be 3, where h=3, w=3")
	_, err = p.Run(t.Context(), graph.Ones(graph.Float32, 6, 4)) // has as many elements
	require.ErrorContains(t, err, "axis 1 of shape [6,6] is 6: it must be 4")

	// Extents that differ for all large sizes are a mistake.
	require.ErrorContains(t, x.Slice("::2").Add(x).Err(), "add: shapes [(h+1)/2,w] and [h,w] do not broadcast: axis 0 is (h+1)/2 and h")
	y := graph.Input("y", graph.Float32, graph.Dim("k"), 3)
	require.ErrorContains(t, y.Slice("::2").Repeat(0, 2).Add(x).Err(), "do not broadcast")
}
