package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestSamplesHaveKernels asserts that common steps have built-in kernels of several operations: pictures and sound in
// float32, random numbers, and masks by index.
func TestSamplesHaveKernels(t *testing.T) {
	kernels := func(x graph.Node) string {
		p, err := graph.Compile(x)
		require.NoError(t, err)
		return p.Explain()
	}
	const n = 1024
	a, b := graph.Input("a", graph.Int16, n), graph.Input("b", graph.Int16, n)
	mix := a.Cast(graph.Float32).Mul(0.7).Add(b.Cast(graph.Float32).Mul(0.4))
	require.Contains(t, kernels(mix.Round().Clip(-32768, 32767).Cast(graph.Int16)), "8 ops over [1,1024]: elementwise/tiling of 3 ")
	u, v := graph.Input("u", graph.Uint8, n), graph.Input("v", graph.Uint8, n)
	edge := u.Cast(graph.Float32).Sub(v.Cast(graph.Float32)).Abs().Minimum(255).Cast(graph.Uint8)
	require.Contains(t, kernels(edge), "6 ops over [1,1024]: elementwise/tiling of 3 ")
	x := graph.Input("x", graph.Uint32, n)
	x = x.Xor(x.Shl(13))
	x = x.Xor(x.Shr(17))
	require.Contains(t, kernels(x.Xor(x.Shl(5))), "6 ops over [1,1024]: elementwise/tiling of 3 ")
	require.Contains(t, kernels(f32("m", 64, 64).Tril(0)), "2 ops over [64,64]: elementwise/whole, one ")
}
