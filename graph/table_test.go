package graph_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestTable compares chains over bytes that are looked up with the same chains over floats,
// which are computed: the bits are the same.
func TestTable(t *testing.T) {
	const rows, cols = 40, 67
	bytes, floats := make([]uint8, rows*cols*3), make([]float32, rows*cols*3)
	for i := range bytes {
		bytes[i] = uint8(i*7919 + i>>3)
		floats[i] = float32(int8(bytes[i]))
	}
	signed := graph.Input("x", graph.Uint8, rows, cols, 3).Bitcast(graph.Int8).Materialize()
	scale := graph.Const(graph.Of([]float32{1.5, -2, float32(math.Inf(1))}))
	for name, of := range map[string]func(x graph.Node) graph.Node{
		"flat":     func(x graph.Node) graph.Node { return x.Pow(2.2).Add(1) },
		"channels": func(x graph.Node) graph.Node { return x.Sin().Mul(scale) },
		"strided":  func(x graph.Node) graph.Node { return x.Slice("::2, 60:3:-1, 1").Tan() },
	} {
		p, err := graph.Compile(of(signed.Cast(graph.Float32)))
		require.NoError(t, err)
		got, err := p.Run(context.Background(), graph.Of(bytes, rows, cols, 3))
		require.NoError(t, err)
		require.Contains(t, p.Explain(), ": table", name)
		computed, err := graph.Compile(of(graph.Input("x", graph.Float32, rows, cols, 3)))
		require.NoError(t, err)
		want, err := computed.Run(context.Background(), graph.Of(floats, rows, cols, 3))
		require.NoError(t, err)
		require.Equal(t, elements(t, want), elements(t, got), name)
	}
}
