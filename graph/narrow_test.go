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

// brains returns a tensor of bfloat16.
func brains(x ...float32) *graph.Tensor {
	out := make([]graph.BFloat, len(x))
	for i, v := range x {
		out[i] = graph.BFloatOf(v)
	}
	return graph.Of(out)
}

// TestNarrow is a table of results of storage types.
func TestNarrow(t *testing.T) {
	inf := float32(math.Inf(1))
	h, u := graph.Input("h", graph.Float16, 4), graph.Input("u", graph.Uint16, 4)
	words := func(x ...uint16) *graph.Tensor { return graph.Of(x) }
	brain, i8, u64 := graph.Input("b", graph.BFloat16, 4), graph.Input("i", graph.Int8, 4), graph.Input("l", graph.Uint64, 4)
	bytes := func(x ...int8) *graph.Tensor { return graph.Of(x) }
	longs := func(x ...uint64) *graph.Tensor { return graph.Of(x) }
	small, large := bytes(127, -128, -1, 7), longs(math.MaxUint64, 1<<63, 1<<53+1, 3)
	one, many := halves(1, 2049, 65504, 0x1p-24), words(65535, 1, 40000, 3)
	exclusive := graph.Exclusive
	for k, c := range []struct {
		y        graph.Node
		in, want *graph.Tensor
	}{
		{h.Add(1), one, halves(2, 2048, 65504, 1)}, // 2049 rounds to 2048
		{h.Mul(2).Div(2), one, halves(1, 2048, inf, 0x1p-24)},
		{h.Div(2), one, halves(0.5, 1024, 32752, 0)},
		{h.Sum(), halves(2048, 1, 1, 1), tensor.ScalarOf(graph.HalfOf(2052))}, // 2051 in float32 rounds to 2052
		{h.CumSum(0), halves(2048, 1, 1, 1), halves(2048, 2048, 2050, 2052)},
		{h.ArgMax(), one, tensor.ScalarOf(int32(2))},
		{h.MatMul(h), halves(100, 200, 300, 5), tensor.ScalarOf(graph.HalfOf(inf))},
		{h.Cast(graph.Uint16), halves(-1, 0.9, 65504, inf), words(0, 0, 65504, 65535)},
		{h.Bitcast(graph.Uint16), halves(1, -2, 0, inf), words(0x3c00, 0xc000, 0, 0x7c00)},
		{brain.Add(1), brains(1, 257, -3, 0x1p-133), brains(2, 256, -2, 1)}, // 257 rounds to 256
		{brain.Mul(brain), brains(16.125, 0x1.8p-67, 0x1p70, 0), brains(260, 0x1p-133, inf, 0)},
		{brain.Sum(), brains(256, 1, 1, 1), tensor.ScalarOf(graph.BFloatOf(260))}, // 259 in float32 rounds to 260
		{brain.Cast(graph.Int8), brains(-300, 0.9, 126.5, inf), bytes(-128, 0, 126, 127)},
		{brain.Bitcast(graph.Int16), brains(1, -2, 0, inf), graph.Of([]int16{0x3f80, -0x4000, 0, 0x7f80})},
		{i8.Add(1), small, bytes(-128, -127, 0, 8)},
		{i8.Abs(), small, bytes(127, -128, 1, 7)},
		{i8.Div(-1), small, bytes(-127, -128, 1, -7)},
		{i8.Mul(i8), small, bytes(1, 0, 1, 49)},
		{i8.Shr(1), small, bytes(63, -64, -1, 3)},
		{i8.Bitcast(graph.Uint8), small, graph.Of([]uint8{127, 128, 255, 7})},
		{i8.Cast(graph.Uint64), small, longs(127, math.MaxUint64-127, math.MaxUint64, 7)},
		{i8.AddSat(1), small, bytes(127, -127, 0, 8)},
		{i8.SubSat(100), small, bytes(27, -128, -101, -93)},
		{u.AddSat(u), many, words(65535, 2, 65535, 6)},
		{u.SubSat(2), many, words(65533, 0, 39998, 1)},
		{i8.PopCount(), small, bytes(7, 1, 8, 3)},
		{i8.LeadingZeros(), small, bytes(1, 0, 0, 5)},
		{u64.PopCount(), large, longs(64, 1, 2, 2)},
		{u64.BitLen(), large, longs(64, 64, 54, 2)},
		{u.XorBits(), many, tensor.ScalarOf(uint16(65535 ^ 1 ^ 40000 ^ 3))},
		{i8.AllBits(), bytes(7, 3, -1, 15), tensor.ScalarOf(int8(3))},
		{u64.AnyBits(), large, tensor.ScalarOf(uint64(math.MaxUint64))},
		{u64.Div(2), large, longs(math.MaxInt64, 1<<62, 1<<52, 1)},
		{u64.Mod(10), large, longs(5, 8, 3, 3)},
		{u64.Cast(graph.Float64), large, graph.Of([]float64{0x1p64, 0x1p63, 0x1p53, 3})},
		{u64.Cast(graph.BFloat16), large, brains(0x1p64, 0x1p63, 0x1p53, 3)},
		{u64.Max(), large, tensor.ScalarOf(uint64(math.MaxUint64))},
		{u64.CumMin(0), large, longs(math.MaxUint64, 1<<63, 1<<53+1, 3)},
		{u64.Gt(int64(1 << 62)), large, graph.Of([]bool{true, true, false, false})},
		{u.Add(u), many, words(65534, 2, 14464, 6)},
		{u.Sub(2), many, words(65533, 65535, 39998, 1)},
		{u.Mul(u), many, words(1, 1, 1600000000%65536, 9)},
		{u.Div(7), many, words(9362, 0, 5714, 0)},
		{u.Sum(), many, tensor.ScalarOf(uint64(65535 + 1 + 40000 + 3))},
		{u.Sum(graph.InType(graph.Uint16)), many, tensor.ScalarOf(uint16((65535 + 1 + 40000 + 3) % 65536))},
		{u.CumMin(0, exclusive), many, words(65535, 65535, 1, 1)},
		{u.CumMax(0, exclusive), many, words(0, 65535, 65535, 65535)},
		{u.Cast(graph.Float16), many, halves(inf, 1, 40000, 3)},
		{u.Add(graph.Iota(graph.Uint16, 4)), many, words(65535, 2, 40002, 6)},
	} {
		require.Equal(t, [][]uint64{elements(t, c.want)}, everyWay(t, graph.Nodes{c.y}, c.in), "case %d: %s", k, c.y)
	}
	require.Equal(t, "float16[4]\n[1.000e+00 2.048e+03 6.550e+04 5.960e-08]", one.String())
}
