package graph_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/builtin/portable"
)

func init() { portable.Register() } // a program with assembly does not link these loops

// ways are the options that must not change a bit.
func ways() [][]graph.Item {
	list := [][]graph.Item{
		{graph.WithDebug(graph.Verify)}, {graph.WithDebug(graph.NoFusion)}, {graph.WithDebug(graph.Portable)}, {graph.WithDebug(graph.TilingOnly)},
	}
	for _, n := range []int{1, 2, 3, 8} {
		list = append(list, []graph.Item{graph.WithWorkers(n), graph.ChunkElems(37 * n)})
	}
	return list
}

// everyWay runs a graph in all ways, requires that they give the same bits, and returns the bits.
func everyWay(t *testing.T, ys graph.Nodes, ins ...*graph.Tensor) [][]uint64 {
	t.Helper()
	var first [][]uint64
	for i, way := range ways() {
		p, err := graph.Compile(append(way, ys)...)
		require.NoError(t, err)
		outs, err := p.RunAll(context.Background(), ins...)
		require.NoError(t, err)
		var got [][]uint64
		for _, out := range outs {
			got = append(got, elements(t, out))
		}
		if i == 0 {
			first = got
		}
		require.Equal(t, first, got, "way %d\n%s", i, explaining{p})
	}
	return first
}

// explaining is the message of a test that fails: Explain takes as long as compiling, so it is told only then.
type explaining struct{ p *graph.Program }

func (e explaining) String() string { return e.p.Explain() }

// elements returns the bits of a tensor's elements in row-major order, with the same bits for all NaNs.
func elements(t *testing.T, x *graph.Tensor) []uint64 {
	t.Helper()
	dt := x.DType()
	if ir.Stored.Has(dt) {
		x, dt = x.Bitcast(graph.Uint8), graph.Uint8
	}
	out := rawBits(t, x)
	for i, b := range out {
		if ir.IsNaN(dt, b) {
			out[i] = math.MaxUint64
		}
	}
	return out
}

// rawBits returns the bits of a tensor's elements in row-major order.
func rawBits(t require.TestingT, x *graph.Tensor) []uint64 {
	bits, ok := bitsBy[x.DType()]
	require.True(t, ok, x.DType())
	return bits(t, x)
}

var bitsBy = map[graph.DType]func(t require.TestingT, x *graph.Tensor) []uint64{
	graph.Bool: bitsAs[bool], graph.Int8: bitsAs[int8], graph.Int16: bitsAs[int16],
	graph.Int32: bitsAs[int32], graph.Int64: bitsAs[int64],
	graph.Uint8: bitsAs[uint8], graph.Uint16: bitsAs[uint16],
	graph.Uint32: bitsAs[uint32], graph.Uint64: bitsAs[uint64],
	graph.Float16: bitsAs[graph.Half], graph.BFloat16: bitsAs[graph.BFloat], graph.Fixed16x16: bitsAs[graph.Fixed],
	graph.Float32: bitsAs[float32], graph.Float64: bitsAs[float64],
}

func bitsAs[T graph.Element](t require.TestingT, x *graph.Tensor) []uint64 {
	all, err := graph.All[T](x)
	require.NoError(t, err)
	out := make([]uint64, 0, x.Size())
	for v := range all {
		out = append(out, bitsOf(v))
	}
	return out
}

// floats returns bits of Float32 as numbers.
func floats(bits []uint64) []float64 {
	out := make([]float64, len(bits))
	for i, b := range bits {
		out[i] = float64(math.Float32frombits(uint32(b)))
	}
	return out
}

// lying returns a [3,4,5] array in several layouts: of small integers, or of numbers whose sums are rounded.
func lying(whole bool) []*graph.Tensor {
	fill := func(shape ...int) *graph.Tensor {
		n := 1
		for _, e := range shape {
			n *= e
		}
		data := make([]float32, n)
		for i := range data {
			if data[i] = float32(i*7%11 - 5); !whole {
				data[i] /= 7
			}
		}
		return graph.Of(data, shape...)
	}
	return []*graph.Tensor{
		fill(3, 4, 5), fill(5, 4, 3).T(), fill(4, 3, 5).Permute(1, 0, 2), fill(6, 4, 15).Slice("::2, :, 1::3"),
		fill(3, 4, 5).Flip(), fill(3, 4, 5).Flip(1), fill(3, 1, 5).Expand(3, 4, 5), fill(4, 1).Expand(3, 4, 5),
		fill(5, 3).Flip(0).T().Reshape(3, 1, 5).Expand(3, 4, 5), fill(7, 9, 11).Slice("5:2:-1, 1:8:2, 9::-2"),
	}
}
