package graph_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// halves returns a tensor of float16.
func halves(x ...float32) *graph.Tensor {
	out := make([]graph.Half, len(x))
	for i, v := range x {
		out[i] = graph.HalfOf(v)
	}
	return graph.Of(out)
}

// TestNarrow is a table of what the types give that are computed in others.
func TestNarrow(t *testing.T) {
	inf := float32(math.Inf(1))
	h, u := graph.Input("h", graph.Float16, 4), graph.Input("u", graph.Uint16, 4)
	words := func(x ...uint16) *graph.Tensor { return graph.Of(x) }
	one, many := halves(1, 2049, 65504, 0x1p-24), words(65535, 1, 40000, 3)
	exclusive := graph.Exclusive
	for k, c := range []struct {
		y        graph.Node
		in, want *graph.Tensor
	}{
		{h.Add(1), one, halves(2, 2048, 65504, 1)}, // 2049 is 2048 already
		{h.Mul(2).Div(2), one, halves(1, 2048, inf, 0x1p-24)},
		{h.Div(2), one, halves(0.5, 1024, 32752, 0)},
		{h.Sum(), halves(2048, 1, 1, 1), tensor.ScalarOf(graph.HalfOf(2052))}, // 2051 in float32
		{h.CumSum(0), halves(2048, 1, 1, 1), halves(2048, 2048, 2050, 2052)},
		{h.ArgMax(), one, tensor.ScalarOf(int32(2))},
		{h.MatMul(h), halves(100, 200, 300, 5), tensor.ScalarOf(graph.HalfOf(inf))},
		{h.Cast(graph.Uint16), halves(-1, 0.9, 65504, inf), words(0, 0, 65504, 65535)},
		{h.Bitcast(graph.Uint16), halves(1, -2, 0, inf), words(0x3c00, 0xc000, 0, 0x7c00)},
		{u.Add(u), many, words(65534, 2, 14464, 6)},
		{u.Sub(2), many, words(65533, 65535, 39998, 1)},
		{u.Mul(u), many, words(1, 1, 1600000000%65536, 9)},
		{u.Div(7), many, words(9362, 0, 5714, 0)},
		{u.Sum(), many, tensor.ScalarOf(uint16((65535 + 1 + 40000 + 3) % 65536))},
		{u.CumMin(0, exclusive), many, words(65535, 65535, 1, 1)},
		{u.CumMax(0, exclusive), many, words(0, 65535, 65535, 65535)},
		{u.Cast(graph.Float16), many, halves(inf, 1, 40000, 3)},
		{u.Add(graph.Iota(graph.Uint16, 4)), many, words(65535, 2, 40002, 6)},
	} {
		require.Equal(t, [][]uint64{elements(t, c.want)}, everyWay(t, graph.Nodes{c.y}, c.in), "case %d: %s", k, c.y)
	}
	require.ErrorContains(t, u.MatMul(u).Err(), "does not take uint16: Cast the operands to int32")
	require.Equal(t, "float16[4]\n[1.000e+00 2.048e+03 6.550e+04 5.960e-08]", one.String())
}
