package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestSetBesideNamedAxes sets a part of one axis and all of an axis of symbolic extent, which needs no indices.
func TestSetBesideNamedAxes(t *testing.T) {
	const cols = 7
	x, y := graph.Input("x", graph.Float32, graph.Dim("n"), cols), graph.Input("y", graph.Float32, graph.Dim("n"), 1)
	for spec, set := range map[string]func(c int) bool{
		":, ::3":    func(c int) bool { return c%3 == 0 },
		"..., ::3":  func(c int) bool { return c%3 == 0 },
		"::1, 2:5":  func(c int) bool { return c >= 2 && c < 5 },
		":, 0:7":    func(c int) bool { return true },
		":, 4":      func(c int) bool { return c == 4 },
		":, -2:":    func(c int) bool { return c >= cols-2 },
		":, 6:0:-2": func(c int) bool { return c > 0 && c%2 == 0 },
	} {
		value := y
		if spec == ":, 4" {
			value = y.Reshape(-1)
		}
		p, err := graph.Compile(x.Set(spec, value))
		require.NoError(t, err, spec)
		for _, rows := range []int{0, 1, 5} {
			in, to := make([]float32, rows*cols), make([]float32, rows)
			want := make([]float32, rows*cols)
			for i := range in {
				in[i], want[i] = float32(i), float32(i)
				if to[i/cols] = float32(-1 - i/cols); set(i % cols) {
					want[i] = to[i/cols]
				}
			}
			out, err := p.Run(context.Background(), graph.Of(in, rows, cols), graph.Of(to, rows, 1))
			require.NoError(t, err, spec)
			got, err := graph.Data[float32](out)
			require.NoError(t, err)
			require.Equal(t, want, append([]float32{}, got...), "%s of %d rows", spec, rows)
		}
		if spec != ":, 0:7" { // all of x, which determines the size: one range stays
			require.NotContains(t, p.Explain(), "scatter scatter", spec)
		}
	}
}
