package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestOneKernel: a step with its own kernel is not a tiling, and reductions of columns copy nothing into rows.
func TestOneKernel(t *testing.T) {
	explained := func(x, y graph.Node) string {
		p, err := graph.Compile(y)
		require.NoError(t, err)
		_, err = p.Run(t.Context(), graph.Zeros(x.DType(), 64, 500))
		require.NoError(t, err)
		return p.Explain()
	}
	for _, d := range []graph.DType{graph.Float16, graph.BFloat16} {
		x := graph.Input("x", d, 64, 500)
		require.Contains(t, explained(x, x.Sum(0)), "column-reduction, one ")
		require.Contains(t, explained(x, x.Max(0)), "column-reduction, one ")
	}
	for _, d := range []graph.DType{graph.Float32, graph.Float64} {
		x := graph.Input("x", d, 64, 500)
		require.Contains(t, explained(x, x.Prod(0)), "column-reduction, one ")
		require.Contains(t, explained(x, x.Prod(1)), "row-reduction, one ")
	}
	for _, c := range [][2]graph.DType{
		{graph.Bool, graph.Int8}, {graph.Int8, graph.Bool}, {graph.Int8, graph.Uint8}, {graph.Uint8, graph.Int8}, {graph.Bool, graph.Int16},
		{graph.Int16, graph.Bool}, {graph.Int16, graph.Uint16}, {graph.Uint16, graph.Int16},
	} {
		x := graph.Input("x", c[0], 64, 500)
		require.Contains(t, explained(x, x.Cast(c[1])), "elementwise/whole, one ")
	}
}
