package graph_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// BenchmarkRollingMedian measures medians of windows of 1,000,000 float64, on one worker.
func BenchmarkRollingMedian(b *testing.B) {
	in := graph.Normal(graph.Float64, 1, 0, 1, 1_000_000)
	for _, size := range []int{3, 5, 10, 20, 100, 1000, 10_000} {
		for name, y := range map[string]graph.Node{"rolling": graph.Variable(in).Rolling(0, size).Median(), "windows": graph.Variable(in).Window(0, size, 1, 1).Median(-1)} {
			if name == "windows" && size > 100 {
				continue
			}
			b.Run(fmt.Sprintf("%d/%s", size, name), func(b *testing.B) {
				p, err := graph.Compile(y, graph.WithWorkers(1))
				require.NoError(b, err)
				for b.Loop() {
					out, err := p.Run(context.Background())
					require.NoError(b, err)
					out.Release()
				}
			})
		}
	}
}
