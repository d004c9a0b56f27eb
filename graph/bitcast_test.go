package graph_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// rescaled has types of every size.
var rescaled = []graph.DType{graph.Uint8, graph.Int8, graph.Float8E5M2, graph.Int16, graph.BFloat16, graph.Float16, graph.Uint32, graph.Fixed16x16, graph.Float32, graph.Int64, graph.Uint64, graph.Float64}

// TestBitcastWidths reinterprets random bytes of one type as another: inputs in every layout, computed values and
// captured tensors give the same elements as a view of the tensor.
func TestBitcastWidths(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		from, to := rapid.SampledFrom(rescaled).Draw(rt, "from"), rapid.SampledFrom(rescaled).Draw(rt, "to")
		rows, cols := rapid.IntRange(0, 5).Draw(rt, "rows"), 8*rapid.IntRange(1, 9).Draw(rt, "cols")
		bytes := make([]uint8, rows*cols)
		for i := range bytes {
			bytes[i] = rapid.Byte().Draw(rt, "byte")
		}
		in := graph.Of(bytes, rows, cols).Clone().Bitcast(from)
		want := elements(t, in.Bitcast(to).Bitcast(graph.Uint8))
		x := graph.Input("x", from, graph.Dim("rows"), in.Shape()[1])
		if rapid.Bool().Draw(rt, "symbolic") {
			x = graph.Input("x", from, rows, graph.Dim("cols"))
		}
		for _, y := range []graph.Node{x, x.Materialize().T().Materialize().T()} { // along rows and columns
			got := everyWay(t, graph.Nodes{y.Bitcast(to).Bitcast(graph.Uint8)}, in)
			require.Equal(rt, want, got[0], "%s to %s", from, to)
		}
		got := everyWay(t, graph.Nodes{graph.Const(in).Bitcast(to).Bitcast(graph.Uint8), graph.Variable(in.T()).T().Bitcast(to).Bitcast(graph.Uint8)})
		require.Equal(rt, [][]uint64{want, want}, got, "captured %s to %s", from, to)
	})
}

// TestBitcastViews checks that a captured tensor is not copied, and that sizes that don't fit are errors.
func TestBitcastViews(t *testing.T) {
	data := graph.Of([]uint32{1, 2})
	p, err := graph.Compile(graph.Variable(data).Bitcast(graph.Uint8))
	require.NoError(t, err)
	require.NoError(t, data.Set(uint32(0x04030201), 1)) // changed after the program was made
	got, err := p.Run(context.Background())
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]uint8{1, 0, 0, 0, 1, 2, 3, 4}), got))
	f, captured := p.Func()
	require.Equal(t, []*graph.Tensor{captured[0]}, captured)
	require.Equal(t, ir.Uint8, f.Params[0].Type.DType)

	x := graph.Input("x", graph.Uint8, graph.Dim("n"))
	p, err = graph.Compile(x.Bitcast(graph.Float32))
	require.NoError(t, err)
	_, err = p.Run(context.Background(), graph.Of([]uint8{0, 0, 0, 0, 0, 0}))
	require.ErrorContains(t, err, "6")
}

// TestBitcastOfNothing: an array without elements keeps its extents.
func TestBitcastOfNothing(t *testing.T) {
	y := graph.Input("x", graph.Uint8, 0, 16).Bitcast(graph.Uint64)
	require.NoError(t, y.Err())
	require.Equal(t, "[0,2]", y.Shape().String())
}

func ExampleNode_Bitcast() {
	x := graph.Input("x", graph.Uint8, graph.Dim("n"), 4)
	p, err := graph.Compile(x.Bitcast(graph.Float32).Squeeze(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Run(context.Background(), graph.Of([]uint8{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}, 2, 4)))
	// Output:
	// float32[2]
	// [ 1. -2.] <nil>
}
