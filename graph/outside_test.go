package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// TestIndexErrorsNameThePlace: the error of an index outside its axis names the call and its line, both arrays with their sizes, the axis, and the
// index and its place in the array that the user gave.
func TestIndexErrorsNameThePlace(t *testing.T) {
	n := graph.Dim("n")
	x, i := graph.Input("x", graph.Float32, n, 4), graph.Input("i", graph.Int32, 2, 3)
	bad := graph.Of([]int32{0, 1, 2, 0, 7, 1}, 2, 3)
	column := i.Reshape(-1).Unsqueeze(1).BroadcastTo(6, 4)
	for want, y := range map[string]graph.Node{
		"take: index 7 at [1,1] of the indices i int32[2,3] is outside axis 0 of x float32[5,4]: allowed are 0 to 4":     x.Take(0, i),
		"take: index 7 at [1,1] of the indices i int32[2,3] is outside axis 1 of float32[4,5]: allowed are 0 to 4":       x.T().Take(1, i.Permute(1, 0)).Exp().Sum(1),
		"take: index 14 at [1,1] of the indices int32[2,3] is outside axis 0 of x float32[5,4]: allowed are 0 to 4":      x.Take(0, i.Mul(2)),
		"takealong: index 7 at [1,1] of the indices i int32[2,3] is outside axis 1 of float32[2,4]: allowed are 0 to 3":  x.Slice(":2").TakeAlong(1, i),
		"scatter: index 7 at [1,1] of the indices i int32[2,3] is outside axis 0 of x float32[5,4]: allowed are 0 to 4":  x.Scatter(0, column, graph.Scalar(graph.Float32, 1), graph.ScatterSet),
		"segmentsum: index 7 at [1,1] of the indices i int32[2,3] is outside an axis of 3 elements: allowed are 0 to 2":  x.Index(0, 0).Index(0, 0).BroadcastTo(6).SegmentSum(i.Reshape(-1), 3),
		"gathernd: index 7 at [1,1] of the indices i int32[2,3] is outside an axis of 4 elements: allowed are 0 to 3":    x.Unsqueeze(2).BroadcastTo(n, 4, 3).GatherND(i, 0),
		"take: index 7 at [1,1] of the indices i int32[2,3] is outside axis 0 of float32[5]: allowed are 0 to 4":         x.Sum(1).Take(0, x.Sum(1).Take(0, i).Cast(graph.Int32).Mod(2)),
		"bincount: element 4, in row-major order, is 7: 5 bins count the numbers 0 to 4: give more bins, or ClampIndex ": i.BinCount(5),
	} {
		p, err := graph.Compile(y, graph.WithInputs(x, i))
		require.NoError(t, err)
		data := graph.Ones(graph.Float32, 5, 4)
		_, err = p.Run(t.Context(), data, bad)
		require.ErrorContains(t, err, "outside_test.go:")
		require.ErrorContains(t, err, ": run: "+want)
		var index *ir.IndexError
		require.ErrorAs(t, err, &index)

		out, again := p.Run(t.Context(), data, graph.Zeros(graph.Int32, 2, 3))
		require.NoError(t, again)
		call, again := p.Bind([]*graph.Tensor{out}, data, bad)
		require.NoError(t, again)
		require.EqualError(t, call.Run(t.Context()), err.Error())
		require.EqualError(t, p.RunInto(t.Context(), []*graph.Tensor{out}, data, bad), err.Error())
	}
}

// TestIndexErrorsWithoutAPlace: where the indices can't be computed once more, the error names the rest.
func TestIndexErrorsWithoutAPlace(t *testing.T) {
	x, i := graph.Input("x", graph.Float32, 5), graph.Input("i", graph.Int64, 5)
	p, err := graph.Compile(x.Take(0, i))
	require.NoError(t, err)
	data, bad := graph.Ones(graph.Float32, 5), graph.Of([]int64{0, 1, -1, 3, 4})
	err = p.RunInto(t.Context(), []*graph.Tensor{data}, data, bad) // x may have been overwritten
	require.ErrorContains(t, err, "run: take: index -1 of the indices i int64[5] is outside axis 0 of x float32[5]: allowed are 0 to 4, and by FromEnd those that count from the end")

	_, err = graph.Compile(graph.Const(data).Take(0, bad).Exp().Sin()) // computed at compile time
	require.ErrorContains(t, err, "outside_test.go:")
	require.ErrorContains(t, err, "run: take: index -1 of the indices int64[5] is outside axis 0 of float32[5]: allowed are 0 to 4")

	p, err = graph.Compile(x.RaggedSum(i))
	require.NoError(t, err)
	_, err = p.Run(t.Context(), data, bad)
	require.ErrorContains(t, err, "run: raggedsum: index ")
}
