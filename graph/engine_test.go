package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestEngineOption runs an elementary function on each engine: Explain names the engine, and
// the bits are the same.
func TestEngineOption(t *testing.T) {
	x := graph.Input("x", graph.Float32, 37)
	in := make([]float32, 37)
	for i := range in {
		in[i] = float32(i) - 18.3
	}
	var want *graph.Tensor
	for engine, options := range map[abi.Engine][]graph.Item{
		abi.Best():                nil,
		min(abi.Best(), abi.AVX2): {graph.WithDebug(graph.AVX2)},
		abi.Portable:              {graph.WithDebug(graph.Portable)},
	} {
		p, err := graph.Compile(append(options, x.Tanh())...)
		require.NoError(t, err)
		got, err := p.Run(context.Background(), graph.Of(in))
		require.NoError(t, err)
		require.Contains(t, p.Explain(), "one "+engine.String()+" kernel")
		if want == nil {
			want = got
		}
		require.True(t, graph.Equal(want, got))
	}
}
