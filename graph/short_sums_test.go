package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
)

// TestShortSums sums rows of integers of one and two bytes, as they are and apart in memory, some of the last behind
// which no memory is.
func TestShortSums(t *testing.T) {
	dtypes := []graph.DType{graph.Uint8, graph.Int8, graph.Uint16, graph.Int16, graph.Bool}
	rapid.Check(t, func(rt *rapid.T) {
		dtype, n := rapid.SampledFrom(dtypes).Draw(rt, "dtype"), rapid.IntRange(1, 40).Draw(rt, "columns")
		rows, apart := rapid.SampledFrom([]int{1, 5, 6, 7, 8, 11, 64, 300}).Draw(rt, "rows"), rapid.IntRange(0, 3).Draw(rt, "apart")
		values := make([]int64, rows*(n+apart))
		for i := range values {
			values[i] = rapid.SampledFrom([]int64{0, 1, -1, 127, 128, 255, -128, 32767, -32768, 65535, 300}).Draw(rt, "value")
		}
		x := graph.Input("x", graph.Int64, rows, n+apart).Cast(dtype).Materialize().SliceAxis(1, apart, n+apart, 1)
		sums := graph.Nodes{x.Sum(-1), x.Cast(graph.Int32).Sum(-1)}
		tensor := graph.Of(values, rows, n+apart)
		everyWay(t, sums, tensor)
	})
}

// TestSumsOfDistances compares sums of the distances of bytes, computed in wider types, with those of Go.
func TestSumsOfDistances(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows, n := rapid.IntRange(1, 9).Draw(rt, "rows"), rapid.SampledFrom([]int{1, 2, 7, 31, 32, 33, 64, 100, 1030}).Draw(rt, "columns")
		xs, ys := make([]uint8, rows*n), make([]uint8, rows*n)
		want := make([]int64, rows)
		for i := range xs {
			xs[i], ys[i] = uint8(i*i*37), uint8(i*101+rows)
			want[i/n] += max(int64(xs[i])-int64(ys[i]), int64(ys[i])-int64(xs[i]))
		}
		wide := rapid.SampledFrom([]graph.DType{graph.Int16, graph.Int32, graph.Int64}).Draw(rt, "type")
		a, b := graph.Input("x", graph.Uint8, rows, n).Cast(wide), graph.Input("y", graph.Uint8, rows, n).Cast(wide)
		distances := a.Sub(b).Abs()
		sums := graph.Nodes{distances.Sum(-1), distances.Cast(graph.Int32).Sum(-1), a.Sub(128).Abs().Sum(0), b}
		x, y := graph.Of(xs, rows, n), graph.Of(ys, rows, n)
		everyWay(t, sums, x, y)
		p, err := graph.Compile(distances.Cast(graph.Int64).Sum(-1))
		require.NoError(rt, err)
		out, err := p.Run(context.Background(), x, y)
		require.NoError(rt, err)
		got, err := graph.Data[int64](out)
		require.NoError(rt, err)
		require.Equal(rt, want, got)
	})
}
