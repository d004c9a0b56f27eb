package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph"
)

// TestExtentsAsNumbers: a symbolic size is a bound, an index and an operand.
func TestExtentsAsNumbers(t *testing.T) {
	n := graph.Dim("n")
	x := graph.Input("x", graph.Int32, n)
	half := graph.Dim("n/2")
	ys := graph.Nodes{
		x.SliceAxis(0, half, n, 1), x.SliceAxis(0, 0, half, 1), x.SliceAxis(0, half, 0, -1), x.Index(0, half),
		x.Sum().Div(n), x.Add(half), graph.Iota(graph.Int32, graph.Dim("n+n/2")),
	}
	out := everyWay(t, ys, graph.Of([]int32{10, 20, 30, 40, 50}))
	require.Equal(t, [][]uint64{{30, 40, 50}, {10, 20}, {30, 20}, {30}, {30}, {12, 22, 32, 42, 52}, {0, 1, 2, 3, 4, 5, 6}}, out)

	for want, y := range map[string]graph.Node{
		`no input tells the size "m" of the number m`: x.Add(graph.Dim("m")),
		`no input tells the size "k" of the slice`:    x.SliceAxis(0, 0, graph.Dim("k"), 1),
		`no input tells the size "i" of the number i`: x.Index(0, graph.Dim("i")),
		`no input tells the size "j" of shape [j]`:    x.Sum().Add(graph.Iota(graph.Int32, graph.Dim("j"))),
	} {
		_, err := graph.Compile(y)
		require.ErrorContains(t, err, want)
	}
	require.ErrorContains(t, x.Add(graph.Dim("n n")).Err(), `add: extent "n n": unexpected "n"`)
	require.ErrorContains(t, x.SliceAxis(0, "1", 2, 1).Err(), "sliceaxis: a bound is an int or a Dim, not string")
	require.ErrorContains(t, x.Index(0, nil).Err(), "index: an index is an int or a Dim, not nil")
	p, err := graph.Compile(x.Index(0, graph.Dim("2*n")))
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.Of([]int32{1, 2}))
	require.ErrorContains(t, err, "extent_test.go:")
}

// TestUnsqueezeTakesSlices: several axes may be given in the same forms as one.
func TestUnsqueezeTakesSlices(t *testing.T) {
	x := graph.Input("x", graph.Int32, 2)
	require.Equal(t, "[1,2,1]", x.Unsqueeze([]int{0, -1}).Shape().String())
	require.Equal(t, "[2]", x.Unsqueeze([]int{}).Shape().String())
	require.ErrorContains(t, x.Unsqueeze("row").Err(), "unsqueeze: an axis of the result is an int, not string")
	require.Equal(t, "[]", x.Unsqueeze(0).Sum([]any{0, []int{-1}}).Shape().String())
}
