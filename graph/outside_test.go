package graph_test

import (
	"fmt"
	"math"
	"strings"
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
		"take: index 7 at [1,1] of the indices i int32[2,3] is outside axis 0 of x float32[5,4]: allowed are 0 to 4":    x.Take(0, i),
		"take: index 7 at [1,1] of the indices i int32[2,3] is outside axis 1 of float32[4,5]: allowed are 0 to 4":      x.T().Take(1, i.Permute(1, 0)).Exp().Sum(1),
		"take: index 14 at [1,1] of the indices int32[2,3] is outside axis 0 of x float32[5,4]: allowed are 0 to 4":     x.Take(0, i.Mul(2)),
		"takealong: index 7 at [1,1] of the indices i int32[2,3] is outside axis 1 of float32[2,4]: allowed are 0 to 3": x.Slice(":2").TakeAlong(1, i),
		"scatter: index 7 at [1,1] of the indices i int32[2,3] is outside axis 0 of x float32[5,4]: allowed are 0 to 4": x.Scatter(0, column, graph.Scalar(graph.Float32, 1), graph.ScatterSet),
		"segmentsum: index 7 at [1,1] of the indices i int32[2,3] is outside an axis of 3 elements: allowed are 0 to 2": x.Index(0, 0).Index(0, 0).BroadcastTo(6).SegmentSum(i.Reshape(-1), 3),
		"gathernd: index 7 at [1,1] of the indices i int32[2,3] is outside an axis of 4 elements: allowed are 0 to 3":   x.Unsqueeze(2).BroadcastTo(n, 4, 3).GatherND(i, 0),
		"take: index 7 at [1,1] of the indices i int32[2,3] is outside axis 0 of float32[5]: allowed are 0 to 4":        x.Sum(1).Take(0, x.Sum(1).Take(0, i).Cast(graph.Int32).Mod(2)),
		"bincount: 7 at [1,1] of i int32[2,3] is outside 0 to 4: give more bins, or ClampIndex the elements":            i.BinCount(5),
		"take: index 7 at [1,1] of the indices i int32[2,3] is outside axis 0 of float32[4]: allowed are 0 to 3":        x.Index(0, 0).Take(0, i.Maximum(0)),
		"take: index 7 at [1,1] of the indices int32[2,3] is outside axis 0 of float32[4]: allowed are 0 to 3":          x.Index(0, 0).Take(0, i.Minimum(7)),
		"checkindex: 7 at [1,1] of i int32[2,3] is outside 0 to 3: use another file":                                    i.CheckIndex(4, "use another file"),
		"checkindex: 7 at [1,1] of i int32[2,3] is outside -2 to 5: no hint":                                            graph.Where(i.Eq(0), 0, i).Cast(graph.Int64).Add(2).CheckIndex(8, "no hint"),
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

// TestIndexErrorsInPlace: where the indices can't be computed once more, because the run overwrote what they are computed from, the error names
// the rest.
func TestIndexErrorsInPlace(t *testing.T) {
	x, i := graph.Input("x", graph.Int64, 5), graph.Input("i", graph.Int64, 5)
	p, err := graph.Compile(x.Take(0, i))
	require.NoError(t, err)
	data, bad := graph.Ones(graph.Int64, 5), graph.Of([]int64{0, 1, -1, 3, 4})
	for where, out := range map[string]*graph.Tensor{" at [2]": data, "": bad} {
		want := "run: take: index -1" + where + " of the indices i int64[5] is outside axis 0 of x int64[5]: allowed are 0 to 4, and by FromEnd those that count from the end"
		call, err := p.Bind([]*graph.Tensor{out}, data, bad)
		require.NoError(t, err)
		require.ErrorContains(t, call.Run(t.Context()), want)
		require.ErrorContains(t, p.RunInto(t.Context(), []*graph.Tensor{out}, data, bad), want)
	}
}

// TestIndexErrorsWithoutAPlace: where there is no program to compute the indices once more, the error names the rest.
func TestIndexErrorsWithoutAPlace(t *testing.T) {
	x, i := graph.Input("x", graph.Float32, 5), graph.Input("i", graph.Int64, 5)
	data, bad := graph.Ones(graph.Float32, 5), graph.Of([]int64{0, 1, -1, 3, 4})
	_, err := graph.Compile(graph.Const(data).Take(0, bad).Exp().Sin()) // computed at compile time
	require.ErrorContains(t, err, "outside_test.go:")
	require.ErrorContains(t, err, "run: take: index -1 of the indices int64[5] is outside axis 0 of float32[5]: allowed are 0 to 4")

	p, err := graph.Compile(x.RaggedSum(i))
	require.NoError(t, err)
	_, err = p.Run(t.Context(), data, bad)
	require.ErrorContains(t, err, "run: raggedsum: index ")
}

// TestUint64IndicesOutside: an index beyond int64 is named as it is.
func TestUint64IndicesOutside(t *testing.T) {
	x, i := graph.Input("x", graph.Float32, 5), graph.Input("i", graph.Uint64, 2)
	for _, bad := range []uint64{5, math.MaxInt64, 1 << 63, math.MaxUint64} {
		for want, y := range map[string]graph.Node{
			"take: index %d at [1] of the indices i uint64[2] is outside axis 0 of x float32[5]: allowed are 0 to 4":    x.Take(0, i),
			"scatter: index %d at [1] of the indices i uint64[2] is outside axis 0 of x float32[5]: allowed are 0 to 4": x.Scatter(0, i, 1, graph.ScatterAdd),
			"bincount: %d at [1] of i uint64[2] is outside 0 to 4: give more bins, or ClampIndex the elements":          i.BinCount(5).Add(x.Cast(graph.Int64)),
		} {
			p, err := graph.Compile(y)
			require.NoError(t, err)
			_, err = p.Run(t.Context(), graph.Ones(graph.Float32, 5), graph.Of([]uint64{0, bad}))
			require.Error(t, err)
			text := err.Error()
			require.Equal(t, fmt.Sprintf(want, bad), text[strings.Index(text, "run: ")+len("run: "):])
		}
		last, err := graph.Compile(x.Take(0, i.ClampIndex(5)))
		require.NoError(t, err)
		got, err := last.Run(t.Context(), graph.Of([]float32{1, 2, 3, 4, 5}), graph.Of([]uint64{0, bad}))
		require.NoError(t, err)
		require.Equal(t, "float32[2] [1. 5.]", shown(got))
		end, err := graph.Compile(x.Take(0, i.FromEnd(5)))
		require.NoError(t, err)
		_, err = end.Run(t.Context(), graph.Ones(graph.Float32, 5), graph.Of([]uint64{0, bad}))
		require.ErrorContains(t, err, " is outside axis 0 of x float32[5]: allowed are 0 to 4")
	}
}

// TestCheckIndex: indices inside stay as they are, as Int64.
func TestCheckIndex(t *testing.T) {
	n := graph.Dim("n")
	x, i := graph.Input("x", graph.Float32, n), graph.Input("i", graph.Uint8, 2, 2)
	p, err := graph.Compile(i.CheckIndex(n, "hint"), graph.WithInputs(x, i))
	require.NoError(t, err)
	got, err := p.Run(t.Context(), graph.Ones(graph.Float32, 5), graph.Of([]uint8{0, 4, 2, 1}, 2, 2))
	require.NoError(t, err)
	require.Equal(t, "int64[2,2] [[0 4] [2 1]]", shown(got))
	_, err = p.Run(t.Context(), graph.Ones(graph.Float32, 4), graph.Of([]uint8{0, 4, 2, 1}, 2, 2))
	require.ErrorContains(t, err, "checkindex: 4 at [0,1] of i uint8[2,2] is outside 0 to 3: hint")
	require.ErrorContains(t, x.CheckIndex(3, "").Err(), "checkindex: the indices are float32")
	require.ErrorContains(t, i.CheckIndex("n", "").Err(), "an extent is an int or a Dim")
}
