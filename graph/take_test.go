package graph_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

func TestTake(t *testing.T) {
	m := graph.Const(numbered(3, 4))
	at := func(i ...int64) graph.Node { return graph.Const(graph.Of(i)) }
	cube := graph.Const(numbered(2, 2, 2))
	vec := graph.Const(graph.Of([]float32{1, 2, 3, 4}))
	for _, c := range []struct {
		node graph.Node
		want string
	}{
		{m.Take(0, at(2, 0, 2)), "int32[3,4] [[ 8 9 10 11] [ 0 1 2 3] [ 8 9 10 11]]"},
		{m.Take(1, at(3, 0)), "int32[3,2] [[ 3 0] [ 7 4] [11 8]]"},
		{m.T().Take(0, at(1)), "int32[1,3] [[1 5 9]]"},
		{m.Take(-1, graph.Const(graph.Of([]int32{0, 3, 1, 2}, 2, 2))).Slice("1"), "int32[2,2] [[4 7] [5 6]]"},
		{m.Take(0, graph.Scalar(graph.Int64, 1)), "int32[4] [4 5 6 7]"},
		{m.Take(1, at(-1, 4).WrapIndex(4)).Slice("0"), "int32[2] [3 0]"},
		{m.Take(1, at(-7, 9).ClampIndex(4)).Slice("0"), "int32[2] [0 3]"},
		{m.Take(0, at(-1).FromEnd(3)), "int32[1,4] [[ 8 9 10 11]]"},
		{m.TakeAlong(1, m.ArgSortDescending(1)).Slice("2"), "int32[4] [11 10 9 8]"},
		{cube.GatherND(graph.Const(graph.Of([]int64{0, 1, 1, 0}, 2, 2)), 0), "int32[2,2] [[2 3] [4 5]]"},
		{cube.GatherND(graph.Const(graph.Of([]int64{1, 0}, 2, 1)), 1), "int32[2,2] [[2 3] [4 5]]"},
		{cube.GatherND(graph.Const(graph.Of([]int64{1, 0, 1}, 1, 3)), 0), "int32[1] [5]"},
		{vec.Scatter(0, at(1, 1, 3), graph.Const(graph.Of([]float32{10, 20, 30})), graph.ScatterSet), "float32[4] [ 1. 20. 3. 30.]"},
		{vec.Scatter(0, at(1, 1, 3), graph.Const(graph.Of([]float32{10, 20, 30})), graph.ScatterAdd), "float32[4] [ 1. 32. 3. 34.]"},
		{vec.Scatter(0, at(1, 1), graph.Const(graph.Of([]float32{10, 0})), graph.ScatterMax), "float32[4] [ 1. 10. 3. 4.]"},
		{m.Scatter(0, graph.Const(graph.Of([]int64{2, 0, 1, 2}, 1, 4)), graph.Scalar(graph.Int32, -1), graph.ScatterSet), "int32[3,4] [[ 0 -1 2 3] [ 4 5 -1 7] [-1 9 10 -1]]"},
		{cube.ScatterND(graph.Const(graph.Of([]int64{1, 0}, 1, 2)), graph.Const(graph.Of([]int32{7, 8}, 1, 2)), graph.ScatterSet), "int32[2,2,2] [[[0 1] [2 3]] [[7 8] [6 7]]]"},
		{m.SegmentSum(at(1, 0, 1), 3), "int32[3,4] [[ 4 5 6 7] [ 8 10 12 14] [ 0 0 0 0]]"},
		{vec.SegmentMax(at(1, 0, 1, 0), 2), "float32[2] [4. 3.]"},
		{graph.Const(graph.Of([]uint8{3, 1, 3, 3})).BinCount(5), "int64[5] [0 1 0 3 0]"},
		{graph.Const(graph.Of([]float64{-1, 0, 0.5, 1, 2.5, 3, 3.1, math.NaN()})).Histogram(graph.Of([]float64{0, 1, 2, 3})), "int64[3] [2 1 2]"},
		{graph.Const(graph.Of([]int16{5, 1, 2, 2, 9, 4}, 2, 3)).Histogram(graph.Of([]int16{1, 2, 2})), "int64[2] [1 2]"},
		{graph.Const(graph.Arange(graph.Float32, 0, 1000.5, 0.5)).Histogram(graph.Arange(graph.Float32, 0, 1001, 10)).Slice("::33"), "int64[4] [20 20 20 21]"},
		{graph.Const(graph.Of([]float32{1, 2, 2, 4})).SearchSorted(graph.Const(graph.Of([]float32{0, 2, 9})), false), "int64[3] [0 1 4]"},
		{graph.Const(graph.Of([]float32{1, 2, 2, 4})).SearchSorted(graph.Const(graph.Of([]float32{0, 2, 9})), true), "int64[3] [0 3 4]"},
	} {
		require.NoError(t, c.node.Err())
		require.Equal(t, c.want, shown(run(t, c.node)))
	}
}

// TestGatherTuples asserts that rows at tuples of indices are processed in blocks: for tuples of one index nothing is
// stored, for longer ones only the combined indices.
func TestGatherTuples(t *testing.T) {
	const n, width = 3000, 64
	for depth, shape := range [][]int{1: {600, width}, 2: {20, 30, width}, 3: {5, 4, 30, width}} {
		if depth == 0 {
			continue
		}
		var dims []any
		for _, n := range shape {
			dims = append(dims, n)
		}
		x := graph.Input("x", graph.Float32, dims...)
		y := x.GatherND(graph.Input("j", graph.Int64, n, depth), 0).Exp()
		p, err := graph.Compile(y)
		require.NoError(t, err)
		require.LessOrEqual(t, p.Temporaries(), min(1, depth-1)*n*8, explaining{p})
		j := make([]int64, n*depth)
		for i := range j {
			j[i] = int64(i*i+i/7) % int64(shape[i%depth])
		}
		everyWay(t, graph.Nodes{y}, graph.Normal(graph.Float32, 1, 0, 1, shape...), graph.Of(j, n, depth))
	}
}

// TestIndexOutside asserts that an index outside its axis is an error that names it.
func TestIndexOutside(t *testing.T) {
	x, i := graph.Input("x", graph.Float32, 5, 3), graph.Input("i", graph.Int64, 2)
	for _, y := range []graph.Node{
		x.Take(0, i), x.Take(0, i).Exp().Sum(1), x.T().Take(1, i),
		x.Scatter(0, i.Unsqueeze(1).BroadcastTo(2, 3), x.Slice(":2"), graph.ScatterAdd), x.GatherND(i.Unsqueeze(1), 0),
	} {
		p, err := graph.Compile(y)
		require.NoError(t, err)
		_, err = p.Run(t.Context(), graph.Ones(graph.Float32, 5, 3), graph.Of([]int64{4, 0}))
		require.NoError(t, err)
		for _, bad := range []int64{5, -1, 1 << 40} {
			_, err = p.Run(t.Context(), graph.Ones(graph.Float32, 5, 3), graph.Of([]int64{0, bad}))
			require.Regexp(t, `^take_test\.go:\d+: run: \w+: index -?\d+ at \[1(,0)?\] of the indices i int64\[2(,1)?\] is outside (axis \d of \w* ?float32\[\d,\d\]|an axis of 5 elements): allowed are 0 to 4(, and by FromEnd those that count from the end)?$`, err.Error())
			require.NotContains(t, err.Error(), here2(-2), "the line is that of the op")
		}
	}
}

// TestTupleOutside asserts that an index outside its own axis is an error that names it and the axis, even if the tuple
// leads to an element of the array.
func TestTupleOutside(t *testing.T) {
	x, i := graph.Input("x", graph.Int8, 3, 4), graph.Input("i", graph.Int64, 1, 2)
	for _, c := range []struct {
		bad  []int64
		want string
	}{
		{[]int64{0, 4}, "nd: index 4 at [0,1] of the indices i int64[1,2] is outside an axis of 4 elements"},
		{[]int64{1, -1}, "nd: index -1 at [0,1] of the indices i int64[1,2] is outside an axis of 4 elements"},
		{[]int64{-1, 7}, "nd: index -1 at [0,0] of the indices i int64[1,2] is outside an axis of 3 elements"},
		{[]int64{1 << 62, 0}, "nd: index 4611686018427387904 at [0,0] of the indices i int64[1,2] is outside an axis of 3 elements"},
	} {
		for _, y := range []graph.Node{x.GatherND(i, 0), x.ScatterND(i, graph.Scalar(graph.Int8, 1).BroadcastTo(1), graph.ScatterSet)} {
			p, err := graph.Compile(y)
			require.NoError(t, err)
			_, err = p.Run(t.Context(), graph.Ones(graph.Int8, 3, 4), graph.Of(c.bad, 1, 2))
			require.ErrorContains(t, err, c.want)
		}
	}
}

// TestExplainLines asserts that Explain names the operations of steps on lines.
func TestExplainLines(t *testing.T) {
	x := graph.Input("x", graph.Float32, 4, 3)
	p, err := graph.Compile(x.Sort(0).Take(0, graph.Input("i", graph.Int64, 2)))
	require.NoError(t, err)
	require.Contains(t, p.Explain(), "a sort of lines over")
	require.Contains(t, p.Explain(), "a gather of lines over")
}

func TestTakeErrors(t *testing.T) {
	x, i := f32("x", 4, 3), graph.Input("i", graph.Int64, 2)
	for _, c := range []struct {
		node graph.Node
		want string
	}{
		{x.Take(2, i), "take: axis 2 is outside rank 2: allowed are -2 to 1"},
		{x.Take(0, x), "take: the indices are float32: Cast them to an integer type"},
		{x.TakeAlong(0, i), "takealong: indices int64[2] for float32[4,3]: they must have as many axes"},
		{x.Histogram(graph.Of([]float32{1})), "histogram: 1 edges: give two or more"},
		{x.Histogram(graph.Of([]float64{1, 2})), "histogram: "},
		{x.Histogram(graph.Of([]float32{0, 2, 1.5})), "histogram: the edges are not sorted: edge 1 is 2, and edge 2 is 1.5"},
		{x.Histogram(graph.Const(graph.Of([]float32{0, float32(math.NaN())}))), "histogram: the edges are not sorted: edge 0 is 0, and edge 1 is NaN"},
		{i.Histogram(graph.Of([]int64{1, -1})), "histogram: the edges are not sorted: edge 0 is 1, and edge 1 is -1"},
		{graph.Input("u", graph.Uint64, 3).Histogram(graph.Of([]uint64{math.MaxUint64, 1})), "histogram: the edges are not sorted: edge 0 is 18446744073709551615"},
		{graph.Input("h", graph.Float16, 3).Histogram(graph.Of([]graph.Half{graph.HalfOf(2), graph.HalfOf(1)})), "histogram: the edges are not sorted: edge 0 is 2"},
		{x.TakeAlong(0, graph.Input("j", graph.Int64, 2, 4)), "takealong: shapes [2,4] and [2,3] do not broadcast"},
		{x.Slice(":0").Take(0, i), "take: axis 0 of shape [0,3] has no elements to index"},
		{x.Scatter(0, i.Unsqueeze(1), i.Unsqueeze(1), graph.ScatterSet), "scatter: dtypes float32 and int64 differ: Cast one of them"},
		{x.Cast(graph.Bool).Scatter(0, i.Unsqueeze(1), graph.Scalar(graph.Bool, true), graph.ScatterAdd), "scatter: does not take bool"},
		{x.GatherND(graph.Input("j", graph.Int64, 2, 3), 0), "gathernd: tuples of 3 indices don't fit the axes of float32[4,3] after the first 0"},
		{x.GatherND(i, 1), "gathernd: 1 batch axes of float32[4,3] and indices int64[2] are too many"},
		{x.ScatterND(i.Unsqueeze(1), x, graph.ScatterSet), "scatternd: updates float32[4,3]: these indices want shape [2,3]"},
		{x.SegmentSum(x, 2), "segmentsum: float32[4,3] and segments float32[4,3]: the segments number the slices of the first axis"},
	} {
		require.ErrorContains(t, c.node.Err(), "take_test.go:")
		require.ErrorContains(t, c.node.Err(), ": "+c.want)
	}
	require.NoError(t, x.Histogram(graph.Variable(graph.Of([]float32{2, 1}))).Err()) // checked at run time
}
