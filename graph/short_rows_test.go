package graph_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// Few columns do not change the bits in any way of running a graph, and the result of a row does not depend on the
// number of rows.
func TestShortRows(t *testing.T) {
	for cols := 1; cols <= 17; cols++ {
		all := pixels(1009, cols)
		whole := everyWay(t, graded(1009, cols), all...)
		for _, rows := range []int{1, 13, 101} {
			ins := append([]*graph.Tensor{all[0].Slice(fmt.Sprintf(":%d", rows)).Clone()}, all[1:]...)
			part := everyWay(t, graded(rows, cols), ins...)
			for i, bits := range part {
				require.Equal(t, whole[i][:len(bits)], bits, "%d rows of %d, output %d", rows, cols, i)
			}
		}
	}
}

// graded grades rows of pixels: by factors per channel, in both orders, by one factor per row, and in all these ways.
func graded(rows, cols int) graph.Nodes {
	x := graph.Input("x", graph.Float32, rows, cols)
	scale, offset := graph.Input("scale", graph.Float32, cols), graph.Input("offset", graph.Float32, cols)
	y := x.Mul(scale).Add(offset.Flip(0))
	first := x.Slice(":, :1")
	z := y.Sub(first).Exp().Div(first.Abs().Add(1))
	part := x.Slice(fmt.Sprintf(":, :%d", (cols+1)/2))
	return graph.Nodes{y, z, part.Mul(scale.Slice(fmt.Sprintf(":%d", (cols+1)/2))), x.Flip(1).Mul(scale),
		x.Cast(graph.Uint8).Add(scale.Cast(graph.Uint8)), x.Cast(graph.Int64).Mul(offset.Cast(graph.Int64)), x.Softmax(-1)}
}

// pixels returns inputs for graded.
func pixels(rows, cols int) []*graph.Tensor {
	fill := func(shape ...int) *graph.Tensor {
		n := 1
		for _, e := range shape {
			n *= e
		}
		data := make([]float32, n)
		for i := range data {
			data[i] = float32(i*7919%1009) / 97
		}
		return graph.Of(data, shape...)
	}
	return []*graph.Tensor{fill(rows, cols), fill(cols), fill(cols)}
}

func TestShortRowsExplained(t *testing.T) {
	x, r := graph.Input("x", graph.Float32, 1009, 3), graph.Input("r", graph.Float32, 1009, 1)
	p, err := graph.Compile(x.Sub(r))
	require.NoError(t, err)
	_, err = p.Run(context.Background(), graph.New(graph.Float32, 1009, 3), graph.New(graph.Float32, 1009, 1))
	require.NoError(t, err)
	require.Contains(t, p.Explain(), "1 operand packed")
	require.Contains(t, p.Explain(), "(u0:f32, u1:f32)")
}

// TestReductionsOfRepeatedRows: a column reduction may read the same row for each index.
func TestReductionsOfRepeatedRows(t *testing.T) {
	for _, size := range [][2]int{{2, 16}, {31, 17}, {33, 16}, {1024, 20}, {2100, 19}, {300, 64}, {70, 200},
		{127, 2}, {128, 2}, {1300, 5}, {2100, 3}, {1025, 15}} {
		x, m := graph.Input("x", graph.Float32, size[0], size[1]), graph.Input("m", graph.Float32, size[1])
		all := pixels(size[0], size[1])
		everyWay(t, graph.Nodes{x.Sub(m).Square().Mean(0), x.Mul(m.Flip(0)).Maximum(0), x.Std(0)}, all[:2]...)
		whole := everyWay(t, graph.Nodes{x.Mul(m).Sum(0)}, all[:2]...)
		full := graph.Input("m", graph.Float32, size[0], size[1])
		require.Equal(t, everyWay(t, graph.Nodes{x.Mul(full).Sum(0)}, all[0], all[1].Expand(size[0], size[1]).Clone()), whole)
	}
}
