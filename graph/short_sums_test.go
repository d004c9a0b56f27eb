package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
)

// TestShortSums sums rows of integers of one and two bytes, contiguous and strided, some of them at the end of
// accessible memory.
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

// TestSumsOfDistances compares sums of distances of bytes, computed in wider types, with Go's.
func TestSumsOfDistances(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rows, n := rapid.IntRange(1, 9).Draw(rt, "rows"), rapid.SampledFrom([]int{1, 2, 7, 31, 32, 33, 64, 100, 1030}).Draw(rt, "columns")
		xs, ys := rapid.SliceOfN(rapid.Byte(), rows*n, rows*n).Draw(rt, "x"), rapid.SliceOfN(rapid.Byte(), rows*n, rows*n).Draw(rt, "y")
		wide := rapid.SampledFrom([]graph.DType{graph.Int16, graph.Int32, graph.Int64, graph.Uint32, graph.Uint64}).Draw(rt, "type")
		want := make([]int64, rows)
		for i := range xs {
			apart := int64(xs[i]) - int64(ys[i])
			switch wide {
			case graph.Uint32: // |x-y| is the unsigned x-y
				apart = int64(uint32(apart))
			case graph.Uint64:
			default:
				apart = max(apart, -apart)
			}
			want[i/n] += apart
		}
		a, b := graph.Input("x", graph.Uint8, rows, n).Cast(wide), graph.Input("y", graph.Uint8, rows, n).Cast(wide)
		distances := a.Sub(b).Abs()
		sums := graph.Nodes{distances.Sum(-1), distances.Cast(graph.Int32).Sum(-1), a.Sub(128).Abs().Sum(0), b}
		x, y := graph.Of(xs, rows, n), graph.Of(ys, rows, n)
		everyWay(t, sums, x, y)
		p, err := graph.Compile(graph.Nodes{distances.Cast(graph.Int64).Sum(-1), b.Cast(graph.Int32)})
		require.NoError(rt, err)
		outs, err := p.RunAll(context.Background(), x, y)
		require.NoError(rt, err)
		got, err := graph.Data[int64](outs[0])
		require.NoError(rt, err)
		require.Equal(rt, want, got)
	})
}
