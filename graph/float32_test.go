package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestMeansOf16Bits asserts that means and norms of 16-bit floats do not overflow on the way, and are rounded once.
func TestMeansOf16Bits(t *testing.T) {
	x := graph.Const(graph.Full(graph.Float16, 300, 1000))
	ones := graph.Const(graph.Ones(graph.Float16, 70000))
	sides := graph.Const(graph.Of([]float32{-300, 300})).Cast(graph.Float16)
	b := graph.Const(graph.Full(graph.BFloat16, 1.5, 259))
	for want, nodes := range map[float32][]graph.Node{
		300:     {x.Mean(), x.NanMean(), sides.Std(), x.Reshape(1, 1, 1000).GlobalAvgPool(), x.Reshape(1, 1, 1000).AvgPool(graph.PoolOptions{Size: []int{1000}})},
		1:       {ones.Mean(), x.RMSNorm(1, 1e-5).Slice("0:1"), sides.Standardize(1e-5, 0).Slice("1:"), sides.LayerNorm(1, 0, 1e-5).Slice("1:")},
		0:       {ones.Var()},
		0x1p-16: {graph.Const(graph.Ones(graph.Float16, 1<<16)).Softmax(0).Slice("0:1")},
		1.5:     {b.Mean(), b.NanMean()},
	} {
		for i, n := range nodes {
			out := run(t, n.Cast(graph.Float32).Reshape(1))
			got, err := graph.At[float32](out, 0)
			require.NoError(t, err)
			require.Equal(t, want, got, "%v %d", want, i)
		}
	}
}
