package graph_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// shown returns a tensor's type and elements in one line.
func shown(x *graph.Tensor) string { return strings.Join(strings.Fields(x.String()), " ") }

// TestArrange has the examples of NumPy's and ONNX's documentation.
func TestArrange(t *testing.T) {
	v := graph.Const(graph.Of([]int32{0, 1, 2}))
	m := graph.Const(graph.Of([]int32{1, 2, 3, 4}, 2, 2))
	nine := graph.Const(graph.Of([]int32{1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3))
	pixels := graph.Const(numbered(1, 4, 1, 2))
	grid := graph.Meshgrid(v, graph.Const(graph.Of([]int32{5, 6})))
	for _, c := range []struct {
		node graph.Node
		want string
	}{
		{v.Tile(2), "int32[6] [0 1 2 0 1 2]"},
		{v.Tile(2, 2), "int32[2,6] [[0 1 2 0 1 2] [0 1 2 0 1 2]]"},
		{m.Tile(2), "int32[2,4] [[1 2 1 2] [3 4 3 4]]"},
		{m.Tile(2, 1), "int32[4,2] [[1 2] [3 4] [1 2] [3 4]]"},
		{m.Repeat(0, 2), "int32[4,2] [[1 2] [1 2] [3 4] [3 4]]"},
		{m.Repeat(-1, 3), "int32[2,6] [[1 1 1 2 2 2] [3 3 3 4 4 4]]"},
		{m.Repeat(-1, []int{3, 1}), "int32[2,4] [[1 1 1 2] [3 3 3 4]]"},
		{m.Repeat(0, []int{0, 2}), "int32[2,2] [[3 4] [3 4]]"},
		{grid[0], "int32[3,2] [[0 0] [1 1] [2 2]]"},
		{grid[1], "int32[3,2] [[5 6] [5 6] [5 6]]"},
		{nine.Triu(0), "int32[3,3] [[1 2 3] [0 5 6] [0 0 9]]"},
		{nine.Triu(-1), "int32[3,3] [[1 2 3] [4 5 6] [0 8 9]]"},
		{nine.Tril(1), "int32[3,3] [[1 2 0] [4 5 6] [7 8 9]]"},
		{nine.Tril(math.MaxInt), "int32[3,3] [[1 2 3] [4 5 6] [7 8 9]]"},
		{nine.Triu(math.MaxInt), "int32[3,3] [[0 0 0] [0 0 0] [0 0 0]]"},
		{nine.Triu(math.MinInt), "int32[3,3] [[1 2 3] [4 5 6] [7 8 9]]"},
		{nine.EyeLike(graph.Int32, 1), "int32[3,3] [[0 1 0] [0 0 1] [0 0 0]]"},
		{v.Sub(1).OneHot(graph.Float32, 3, -1), "float32[3,3] [[0. 0. 1.] [1. 0. 0.] [0. 1. 0.]]"},
		{v.Mul(2).OneHot(graph.Int32, 3, 0), "int32[3,3] [[1 0 0] [0 0 0] [0 1 0]]"},
		{graph.Range(graph.Int32, 2, 9, 3), "int32[3] [2 5 8]"},
		{graph.Range(graph.Float32, 1, 0, -0.25), "float32[4] [1. 0.75 0.5 0.25]"},
		{graph.Range(graph.Int64, 3, 3, 1), "int64[0] []"},
		{pixels, "int32[1,4,1,2] [[[[0 1]] [[2 3]] [[4 5]] [[6 7]]]]"},
		{pixels.DepthToSpace(2), "int32[1,1,2,4] [[[[0 2 1 3] [4 6 5 7]]]]"},
		{pixels.DepthToSpace(2).SpaceToDepth(2), "int32[1,4,1,2] [[[[0 1]] [[2 3]] [[4 5]] [[6 7]]]]"},
		{graph.Const(numbered(1, 8, 1, 1)).DepthToSpace(2), "int32[1,2,2,2] [[[[0 2] [4 6]] [[1 3] [5 7]]]]"},
		{graph.Const(numbered(1, 8, 1, 1)).PixelShuffle(2), "int32[1,2,2,2] [[[[0 1] [2 3]] [[4 5] [6 7]]]]"},
		{nine.Split(0, 1, 2)[1], "int32[2,3] [[4 5 6] [7 8 9]]"},
		{nine.Chunk(1, 2)[1], "int32[3,1] [[3] [6] [9]]"},
		{nine.Unstack(1)[2], "int32[3] [3 6 9]"},
	} {
		require.NoError(t, c.node.Err())
		require.Equal(t, c.want, shown(run(t, c.node)))
	}
}

// TestArrangeCopiesNothing asserts that a reader of a rearranged array reads the operand.
func TestArrangeCopiesNothing(t *testing.T) {
	x := f32("x", 8, 6)
	for _, y := range []graph.Node{
		x.Tile(2, 3).Mul(f32("y", 16, 18)),
		x.Repeat(1, 4).Add(f32("y", 8, 24)),
		x.Triu(1).Mul(2),
		x.Chunk(0, 2)[1].Exp(),
		f32("i", 2, 12, 4, 4).DepthToSpace(2).Add(1).SpaceToDepth(2),
	} {
		requireNoCopies(t, y)
	}
}

func TestArrangeErrors(t *testing.T) {
	x := f32("x", 4, 6)
	for _, c := range []struct {
		node graph.Node
		want string
	}{
		{x.Tile(-1), "tile: -1 repeats: give 0 or more"},
		{x.Repeat(2, 1), "repeat: axis 2 is outside rank 2: allowed are -2 to 1"},
		{x.Repeat(0, -1), "repeat: -1 times: give 0 or more"},
		{f32("x", 1).Repeat(0, []int{math.MaxInt}), fmt.Sprintf("repeat: %d times for element 0, after 0: give at most 268435456 in all", math.MaxInt)},
		{f32("x", 2).Repeat(0, []int{1, 1 << 28}), "repeat: 268435456 times for element 1, after 1: give at most 268435456 in all"},
		{x.Repeat(1, []int{1, 2}), "repeat: 2 numbers of times for the "},
		{x.Repeat(1, 1.5), "repeat: times are float64: give an int, or a []int with one for each element"},
		{graph.Meshgrid(x)[0], "meshgrid: operand 0 is float32[4,6]: it must have one axis"},
		{f32("x", 3).Triu(0), "triu: float32[3] has no matrices: it takes two axes or more"},
		{f32("x").EyeLike(graph.Float32, 0), "eyelike: float32[] has no matrices: it takes two axes or more"},
		{x.OneHot(graph.Int32, 3, 0), "onehot: does not take float32: Cast to an integer type"},
		{x.Cast(graph.Int32).OneHot(graph.Int32, 3, 4), "onehot: axis 4 is outside rank 3: allowed are -3 to 2"},
		{graph.Range(graph.Float32, 0, 1, 0), "range: the step is 0: it must be positive or negative"},
		{graph.Range(graph.Int32, 0, 1, 0.5), "range: start 0 and step 0.5 must be integers for dtype int32"},
		{x.DepthToSpace(2), "depthtospace: float32[4,6] is no batch of images: it takes the axes n, c, h, w"},
		{f32("i", 1, 3, 2, 2).DepthToSpace(2), "depthtospace: float32[1,3,2,2] has 3 channels, no multiple of 4"},
		{f32("i", 1, 3, 2, 2).SpaceToDepth(0), "spacetodepth: blocks of 0 pixels: give 1 to 32768"},
		{f32("i", 1, 6, 2, 2).DepthToSpace(math.MaxInt/2 + 1), "give 1 to 32768"},
		{f32("i", 1, 6, 2, 2).PixelShuffle(1 << 16), "give 1 to 32768"},
		{x.Split(0, 1, 2)[0], "split: sizes [1 2] add up to 3, and axis 0 of float32[4,6] has 4 elements"},
		{x.Split(0, 5, -1)[0], "split: sizes [5 -1] of axis 0 of float32[4,6], which has 4 elements"},
		{f32("x", graph.Dim("n")).Unstack(0)[0], "unstack: the extent of axis 0 of float32[n] is not known before the program runs"},
		{x.Chunk(0, 0)[0], "chunk: 0 parts: give 1 or more"},
	} {
		require.ErrorContains(t, c.node.Err(), "arrange_test.go:")
		require.ErrorContains(t, c.node.Err(), ": "+c.want)
	}
}

// TestMistakesOfSeveral asserts that a mistake returns as many poisoned Nodes as there would be results.
func TestMistakesOfSeveral(t *testing.T) {
	x, any := f32("x", 4, 6), f32("x", graph.Dim("n"))
	bad := x.Split(0, 1, 2)[1]
	for _, c := range []struct {
		parts graph.Nodes
		count int
		want  string
	}{
		{x.Split(0, 1, 2), 2, "add up to 3"},
		{x.Split(0, 5, -1, 0), 3, "sizes [5 -1 0]"},
		{x.Split(2, 1, 2), 2, "axis 2 is outside"},
		{x.Split(0), 1, "add up to 0"},
		{any.Split(0, 1, 2), 2, "not known"},
		{bad.Split(1, 3, 3), 2, "add up to 3"},
		{x.Chunk(0, -1), 1, "-1 parts"},
		{x.Chunk(2, 3), 3, "axis 2 is outside"},
		{any.Chunk(0, 3), 3, "not known"},
		{bad.Chunk(0, 3), 3, "add up to 3"},
		{bad.Chunk(0, math.MaxInt), 1 << 16, "add up to 3"},
		{bad.Unstack(0), 1, "add up to 3"},
		{any.Unstack(0), 1, "not known"},
		{graph.Meshgrid(any, x, any), 3, "operand 1"},
		{graph.Meshgrid(any, bad), 2, "add up to 3"},
	} {
		require.Len(t, c.parts, c.count, c.want)
		for _, part := range c.parts {
			require.ErrorContains(t, part.Err(), c.want)
		}
	}
}
