package graph_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

func fixed(numbers ...float64) *graph.Tensor {
	out := make([]graph.Fixed, len(numbers))
	for i, f := range numbers {
		out[i] = graph.FixedOf(f)
	}
	return graph.Of(out)
}

// TestFixed is a table of ops on fixed-point numbers: the exact result rounded to a multiple of 2^-16, ties to even,
// saturated.
func TestFixed(t *testing.T) {
	const step, most = 1. / 65536, 32768 - 1./65536
	q := graph.Input("q", graph.Fixed16x16, 4)
	in := fixed(2.5, -1, 0, most)
	for k, c := range []struct {
		y    graph.Node
		want *graph.Tensor
	}{
		{q.Add(q), fixed(5, -2, 0, most)},
		{q.Sub(1), fixed(1.5, -2, -1, most-1)},
		{q.Mul(step), fixed(2*step, -step, 0, 0.5)}, // 2.5 steps round to 2
		{q.Mul(q), fixed(6.25, 1, 0, most)},
		{q.Neg(), fixed(-2.5, 1, 0, -most)},
		{q.Sub(most).Sub(1).Abs(), fixed(32766.5-step, most, most, 1)},
		{q.Div(0), fixed(most, -32768, 0, most)},
		{q.Div(-3), fixed(-2.5/3, 1./3, 0, -most/3)},
		{q.Floor(), fixed(2, -1, 0, 32767)},
		{q.Ceil(), fixed(3, -1, 0, most)},
		{q.Trunc().Neg().Div(q.Sub(q)), fixed(-32768, most, 0, -32768)}, // there is no -0
		{q.Sqrt(), fixed(math.Sqrt(2.5), 0, 0, math.Sqrt(most))},
		{q.Exp(), fixed(math.Exp(2.5), math.Exp(-1), 1, most)},
		{q.Log(), fixed(math.Log(2.5), 0, -32768, math.Log(most))},
		{q.Pow(2), fixed(6.25, 1, 0, most)},
		{q.Sin(), fixed(math.Sin(2.5), math.Sin(-1), 0, math.Sin(most))},
		{q.Atan2(1), fixed(math.Atan(2.5), -math.Pi/4, 0, math.Atan(most))},
		{q.CumSum(0), fixed(2.5, 1.5, 1.5, most)},
		{q.Sort(0), fixed(-1, 0, 2.5, most)},
		{q.SortDescending(0), fixed(most, 2.5, 0, -1)},
		{q.Slice(":3").Sum(), fixed(1.5)},
		{q.Slice(":3").Mean(), fixed(0.5)},
		{q.Max().Sub(q.Min()), fixed(most)},
		{q.ArgMax(), graph.Of([]int64{3})},
		{q.Gt(0), graph.Of([]bool{true, false, false, true})},
		{q.Cast(graph.Int8), graph.Of([]int8{2, -1, 0, 127})},
		{q.Cast(graph.Float32), graph.Of([]float32{2.5, -1, 0, 32768})},
		{q.Cast(graph.Float64).Mul(1e9).Cast(graph.Fixed16x16), fixed(most, -32768, 0, most)},
		{q.Slice(":2").Dot(q.Slice(":2")), fixed(7.25)},
	} {
		require.NoError(t, c.y.Err())
		require.Equal(t, [][]uint64{elements(t, c.want)}, everyWay(t, graph.Nodes{c.y}, in), "case %d: %s", k, c.y)
	}
	require.Equal(t, "[ 2.5 -1. 0. 32767.99998]", shown(in)[len("fixed16x16[4] "):])
	for _, bad := range []any{32768, -40000., math.NaN(), math.Inf(1)} {
		require.ErrorContains(t, q.Add(bad).Err(), "is past the greatest fixed16x16, 32767.99998474121")
	}
}

// TestFixedSums adds many numbers with an exact sum, whose partial sums are out of range.
func TestFixedSums(t *testing.T) {
	n := 100_000
	x := make([]graph.Fixed, n)
	for i := range x {
		x[i] = graph.FixedOf(30000)
		if i >= n/2 {
			x[i] = graph.FixedOf(-30000 + 1./65536)
		}
	}
	require.Equal(t, "fixed16x16[] 0.76294", shown(run(t, graph.Const(graph.Of(x)).Sum())))
}
