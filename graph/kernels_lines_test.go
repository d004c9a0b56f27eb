package graph_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestKernelsOfLines: genkernels emits the kernels for lines of any length, except for a long line whose length is a
// power of 2.
func TestKernelsOfLines(t *testing.T) {
	x := graph.Input("x", graph.Float32, graph.Dim("n"), graph.Dim("m"))
	for name, y := range map[string]graph.Node{
		"softmax":   x.Softmax(-1),
		"layernorm": x.LayerNorm(2, 1, 1e-5),
		"distance":  x.Sub(1).Square().Sum(),
		"means":     x.Exp().Mean(0),
	} {
		p, err := graph.Compile(y)
		require.NoError(t, err)
		known := p.Kernels()
		for _, m := range []int{100, 512, 777, 1025, 4099} {
			_, err := p.Run(context.Background(), graph.Ones(graph.Float32, 50, m))
			require.NoError(t, err)
			for line := range strings.Lines(p.Explain()) {
				sig := strings.TrimSpace(line)
				if !strings.HasPrefix(sig, "kernel (") && !strings.HasPrefix(sig, "reduce") {
					continue
				}
				k, err := kernel.ParseCode(sig)
				require.NoError(t, err)
				if slices.Contains(known, k.Signature()) {
					continue
				}
				_, builtin := abi.Lookup(abi.Portable, sig)
				require.True(t, builtin, "%s of %d: %s", name, m, sig)
			}
		}
	}
}
