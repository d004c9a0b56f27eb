package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestBytesInInt32 computes blends of all pairs of bytes in int32; the compiler narrows them to 16 bits.
func TestBytesInInt32(t *testing.T) {
	var xs, ys []uint8
	for i := range 1 << 16 {
		xs, ys = append(xs, uint8(i)), append(ys, uint8(i>>8))
	}
	for name, f := range map[string]struct {
		graph func(x, y graph.Node) graph.Node
		want  func(x, y int32) int32
	}{
		"multiply": {func(x, y graph.Node) graph.Node { return x.Mul(y).Div(255) }, func(x, y int32) int32 { return x * y / 255 }},
		"screen": {func(x, y graph.Node) graph.Node {
			return y.Scalar(255).Sub(y.Scalar(255).Sub(x).Mul(y.Scalar(255).Sub(y)).Div(255))
		},
			func(x, y int32) int32 { return 255 - (255-x)*(255-y)/255 }},
		"overlay": {func(x, y graph.Node) graph.Node { return graph.Where(x.Lt(128), x.Mul(y).Shr(7), y.Sub(300)) },
			func(x, y int32) int32 {
				if x < 128 {
					return x * y >> 7
				}
				return y - 300
			}},
		"dodge":  {func(x, y graph.Node) graph.Node { return x.Mul(255).Div(y).Minimum(255) }, func(x, y int32) int32 { return min(x*255/max(y, 1)*min(y, 1), 255) }},
		"mix":    {func(x, y graph.Node) graph.Node { return x.Add(y.Sub(x).Mul(77).Shr(8)) }, func(x, y int32) int32 { return x + (y-x)*77>>8 }},
		"bounds": {func(x, y graph.Node) graph.Node { return x.Mul(3).Sub(y).Clip(0, 255) }, func(x, y int32) int32 { return min(max(x*3-y, 0), 255) }},
		"apart":  {func(x, y graph.Node) graph.Node { return x.Sub(y).Abs() }, func(x, y int32) int32 { return max(x-y, y-x) }},
		"long":   {func(x, y graph.Node) graph.Node { return x.Mul(y).Mul(y).Shr(9) }, func(x, y int32) int32 { return x * y * y >> 9 }},
		"lower":  {func(x, y graph.Node) graph.Node { return x.Mul(y).Mul(y).Add(70000) }, func(x, y int32) int32 { return x*y*y + 70000 }},
	} {
		in := func(name string) graph.Node { return graph.Input(name, graph.Uint8, graph.Dim("n")).Cast(graph.Int32) }
		for _, options := range [][]graph.Item{nil, {graph.WithDebug(graph.TilingOnly)}} {
			p, err := graph.Compile(append(options, f.graph(in("x"), in("y")).Cast(graph.Uint8))...)
			require.NoError(t, err)
			out, err := p.Run(context.Background(), graph.Of(xs), graph.Of(ys))
			require.NoError(t, err)
			got, err := graph.Data[uint8](out)
			require.NoError(t, err)
			for i := range got {
				if want := uint8(f.want(int32(xs[i]), int32(ys[i]))); got[i] != want {
					require.Failf(t, "differs", "%s of %d and %d: %d, want %d", name, xs[i], ys[i], got[i], want)
				}
			}
		}
	}
}
