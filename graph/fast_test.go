package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestFastWithNarrow: elementary functions fused with storage types stay in the fast tier.
func TestFastWithNarrow(t *testing.T) {
	data := make([]float32, 500)
	for i := range data {
		data[i] = float32(i)/40 - 6
	}
	x := graph.Input("x", graph.Float32, len(data))
	y := x.Tanh().Mul(x.Exp())
	outs := graph.Nodes{y, x.Cast(graph.Float16)}
	var want [][]uint64
	for i, way := range ways() {
		p, err := graph.Compile(append(way, outs, graph.WithFast())...)
		require.NoError(t, err)
		got, err := p.RunAll(t.Context(), graph.Of(data, len(data)))
		require.NoError(t, err)
		bits := [][]uint64{elements(t, got[0]), elements(t, got[1])}
		if i == 0 {
			want = bits
		}
		require.Equal(t, want, bits, "way %d", i)
	}
	require.NotEqual(t, everyWay(t, outs, graph.Of(data, len(data)))[0], want[0], "the tiers differ")
}
