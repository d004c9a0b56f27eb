package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestNetworksHaveKernels asserts that steps of networks have built-in kernels: products of 16-bit floats with a
// vector, normalizations, and windows of channels that are last in memory.
func TestNetworksHaveKernels(t *testing.T) {
	explain := func(x graph.Node, ins ...*graph.Tensor) string {
		p, err := graph.Compile(x)
		require.NoError(t, err)
		_, err = p.RunAll(context.Background(), ins...)
		require.NoError(t, err)
		return p.Explain()
	}
	for _, d := range []graph.DType{graph.Float16, graph.BFloat16} {
		a, v := graph.Input("a", d, 64, 256), graph.Input("v", d, 256)
		require.Contains(t, explain(a.MatMul(v), graph.Ones(d, 64, 256), graph.Ones(d, 256)), "row-reduction, one")
		for _, n := range []int{256, 300} { // division by a power of 2 is a product
			x, b, c := graph.Input("x", d, 64, n), graph.Input("b", d, n), graph.Input("c", d, n)
			text := explain(x.LayerNorm(b, c, 1e-5), graph.Ones(d, 64, n), graph.Ones(d, n), graph.Ones(d, n))
			require.Regexp(t, `[3-5] ops and a reduction by add over [^:]*: row-reduction, one`, text)
			require.Regexp(t, `[89] ops over \[64,[^:]*: elementwise/tiling of [34]`, text) // a mean is divided once per row, by its own kernel
		}
	}
	x, b, c := f32("x", 2, 12, 16, 16), f32("b", 12), f32("c", 12)
	require.Regexp(t, `4 ops over \[2,4,3,256\][^:]*: elementwise/whole, one`,
		explain(x.GroupNorm(4, b, c, 1e-5), graph.Ones(graph.Float32, 2, 12, 16, 16), graph.Ones(graph.Float32, 12), graph.Ones(graph.Float32, 12)))
	o := graph.ConvOptions{Groups: 64, ChannelsLast: true}
	y := f32("y", 1, 12, 12, 64).Conv(graph.Const(graph.Ones(graph.Float32, 64, 1, 7, 7)), o)
	require.Contains(t, explain(y, graph.Ones(graph.Float32, 1, 12, 12, 64)), ": elementwise/tiling of 2")
}
