package graph_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

func TestNanReductions(t *testing.T) {
	nan := math.NaN()
	x := graph.Input("x", graph.Float64, 3, 3)
	p, err := graph.Compile(x.NanSum(1), x.NanMean(1), x.NanCount(1), x.NanMin(1), x.NanMax(1), x.NanSum(), x.NanMean(0, graph.KeepDims))
	require.NoError(t, err)
	outs, err := p.RunAll(t.Context(), graph.Of([]float64{1, nan, 4, nan, nan, nan, -2, 3, 5}, 3, 3))
	require.NoError(t, err)
	for i, want := range [][]float64{{5, 0, 6}, {2.5, nan, 2}, {2, 0, 3}, {1, nan, -2}, {4, nan, 5}, {11}, {-0.5, 3, 4.5}} {
		got, err := graph.Data[float64](outs[i])
		require.NoError(t, err)
		require.True(t, graph.Equal(graph.Of(want), graph.Of(got)), "output %d: %v", i, got)
	}
	require.Equal(t, []int{1, 3}, outs[6].Shape())
	require.ErrorContains(t, graph.Input("i", graph.Int32, 2).NanSum().Err(), "nansum: does not take int32: Cast to one of ")
}

// TestNanReductionsHaveKernels asserts that reductions of rows and columns that test for NaN have built-in kernels.
func TestNanReductionsHaveKernels(t *testing.T) {
	for _, dt := range []graph.DType{graph.Float32, graph.Float64} {
		for axis := range 2 {
			x := graph.Input("x", dt, 300, 300)
			for _, y := range []graph.Node{x.NanSum(axis), x.NanMean(axis), x.NanMin(axis), x.NanMax(axis)} {
				p, err := graph.Compile(y)
				require.NoError(t, err)
				for _, k := range p.Missing() {
					require.NotContains(t, k, "ne ", "%s, axis %d", dt, axis)
				}
			}
		}
	}
}
