package onnx

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestPacked reads elements of 4 and 2 bits, several of which share a byte in files: raw, or in a list. The last byte
// may be partly unused.
func TestPacked(t *testing.T) {
	for _, c := range []struct {
		code int
		raw  []byte
		want []float32
	}{
		{21, []byte{0x21, 0xf8, 0x0a}, []float32{1, 2, 8, 15, 10}},   // uint4
		{22, []byte{0x21, 0xf8, 0x3a}, []float32{1, 2, -8, -1, -6}},  // int4
		{23, []byte{0x21, 0xf8, 0x0a}, []float32{0.5, 1, 0, -6, -1}}, // float4e2m1
		{25, []byte{0xe4, 0x02}, []float32{0, 1, 2, 3, 2}},           // uint2
		{26, []byte{0xe4, 0xfe}, []float32{0, 1, -2, -1, -2}},        // int2
		{17, []byte{0, 0x38, 0x7e, 0xfe, 1}, []float32{0, 1, 448, -448, 0x1p-9}},
	} {
		list := make([]uint64, len(c.raw))
		for i, b := range c.raw {
			list[i] = uint64(b)
		}
		for _, p := range []tensorProto{{raw: c.raw, isRaw: true}, {list: list, of: int32Data}} {
			p.code, p.shape = c.code, []int{5}
			x, err := p.tensor(nil)
			require.NoError(t, err, codeText(c.code))
			got, err := graph.Compile(graph.Const(x).Cast(graph.Float32))
			require.NoError(t, err)
			y, err := got.Run(t.Context())
			require.NoError(t, err)
			RequireClose(t, codeText(c.code), graph.Of(c.want), y)
		}
		for _, n := range []int{0, 40} { // sizes that do not match the data
			short := tensorProto{raw: c.raw, isRaw: true, code: c.code, shape: []int{n}}
			_, err := short.tensor(nil)
			require.ErrorContains(t, err, "bytes", codeText(c.code))
		}
	}
}

// TestPowersOfTwo rounds to float8e8m0 by each mode, with and without saturation.
func TestPowersOfTwo(t *testing.T) {
	in := []float32{0, 1, 1.25, 1.5, -3, 0x1.8p127, float32(math.Inf(1)), float32(math.NaN())}
	for _, c := range []struct {
		mode     string
		saturate int
		want     []uint8
	}{
		{"up", 1, []uint8{0, 127, 128, 128, 129, 254, 255, 255}},
		{"up", 0, []uint8{0, 127, 128, 128, 129, 255, 255, 255}},
		{"down", 1, []uint8{0, 127, 127, 127, 128, 254, 255, 255}},
		{"nearest", 1, []uint8{0, 127, 127, 128, 129, 254, 255, 255}},
		{"nearest", 0, []uint8{0, 127, 127, 128, 129, 255, 255, 255}},
	} {
		p, err := built(t, []string{"y"},
			made("Constant", attrs{"value": graph.Of(in)}, nil, "v"),
			made("Cast", attrs{"to": 24, "saturate": c.saturate, "round_mode": c.mode}, []string{"v"}, "y"))
		require.NoError(t, err)
		out, err := p.Run(t.Context(), graph.Feeds{"x": graph.New(graph.Float32, 1, 3), "mask": graph.Of([]bool{true})})
		require.NoError(t, err)
		require.True(t, graph.Equal(graph.Of(c.want), out["y"].Bitcast(graph.Uint8)), "%s %d: %s", c.mode, c.saturate, out["y"].Bitcast(graph.Uint8))
	}
	_, err := built(t, []string{"y"}, made("Cast", attrs{"to": 24, "round_mode": "odd"}, []string{"x"}, "y"))
	require.ErrorContains(t, err, `round_mode "odd": it must be up, down or nearest`)
}
