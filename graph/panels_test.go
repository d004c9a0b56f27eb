package graph_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestPanelsOfRuns multiplies by matrices that each run computes from bytes with scales, for several numbers of rows: whole
// numbers of panels are computed one by one, each before the product reads it.
func TestPanelsOfRuns(t *testing.T) {
	const pairs, group = 128, 64
	matrix := func(seed uint64, cols int) graph.Node {
		bytes := make([]int8, pairs*cols)
		for i := range bytes {
			bytes[i] = int8(uint64(i) * (2*seed + 37) >> 1)
		}
		scales := graph.Uniform(graph.Float32, seed, 0.001, 0.01, pairs/group, 1, cols)
		return graph.Variable(graph.Of(bytes, pairs/group, group, cols)).Cast(graph.Float32).Mul(graph.Variable(scales)).Reshape(pairs, cols)
	}
	x := graph.Input("x", graph.Float32, graph.Dim("n"), pairs)
	for _, c := range []struct {
		cols, rows, groups int
	}{{128, 2, 2}, {128, 7, 2}, {128, 40, 2}, {128, 5000, 0}, {100, 7, 1}} {
		y := x.MatMul(matrix(1, pairs)).ReLU().MatMul(matrix(3, c.cols)).Add(1)
		in := graph.Uniform(graph.Float32, 9, -1, 1, c.rows, pairs)
		want := ranWith(t, y, in, graph.WithDebug(graph.NoFusion), graph.WithWorkers(1))
		for _, options := range [][]graph.Item{{graph.WithWorkers(1)}, {graph.WithWorkers(3)}, {graph.WithDebug(graph.Verify)}, {graph.WithDebug(graph.AVX2)}, {graph.WithDebug(graph.Portable)}} {
			got := ranWith(t, y, in, options...)
			require.True(t, graph.Equal(want, got), "%+v %v", c, options)
		}
		p, err := graph.Compile(y, graph.WithWorkers(1))
		require.NoError(t, err)
		for _, rows := range []int{max(2, c.rows-1), c.rows} { // one plan, resized
			got, err := p.Run(t.Context(), graph.Uniform(graph.Float32, 9, -1, 1, rows, pairs))
			require.NoError(t, err)
			require.True(t, graph.Equal(want.SliceAxis(0, 0, rows, 1), got), "%+v", c)
		}
		var plan strings.Builder
		require.NoError(t, p.Dump(&plan, "plan"))
		require.Equal(t, c.groups, strings.Count(plan.String(), " along=[0,0] block=1 "), "%+v\n%s", c, plan.String())
	}
}

// ranWith returns what a program of one input computes with some options.
func ranWith(t *testing.T, y graph.Node, in *graph.Tensor, options ...graph.Item) *graph.Tensor {
	p, err := graph.Compile(append([]graph.Item{y}, options...)...)
	require.NoError(t, err)
	out, err := p.Run(t.Context(), in)
	require.NoError(t, err)
	return out
}
