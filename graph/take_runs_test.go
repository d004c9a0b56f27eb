package graph_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
)

// TestTakeRuns: elements at indices computed by counting equal those at the same indices given as an input; so do
// errors.
func TestTakeRuns(t *testing.T) {
	sliced, kept := 0, 0
	checkUntil(t, func() bool { return sliced > 0 && kept > 0 }, func(rt *rapid.T) {
		n, dtype := rapid.IntRange(0, 12).Draw(rt, "n"), rapid.SampledFrom([]graph.DType{graph.Int32, graph.Int64, graph.Uint8}).Draw(rt, "dtype")
		extent := graph.Dim("n")
		at := graph.Iota(dtype, extent)
		for range rapid.IntRange(0, 6).Draw(rt, "ops") {
			by := rapid.IntRange(0, 15).Draw(rt, "by")
			switch {
			case dtype == graph.Int32 && rapid.IntRange(0, 5).Draw(rt, "far") == 0:
				by = 1<<29 - 1
			case dtype != graph.Uint8:
				by -= 5
			}
			switch rapid.IntRange(0, 6).Draw(rt, "op") {
			case 0:
				at = at.Add(by)
			case 1:
				at = at.Sub(by)
			case 2:
				at = at.Mod(by)
			case 3:
				at = at.Maximum(by)
			case 4:
				at = graph.Scalar(at.DType(), by).Minimum(at)
			case 5:
				at = at.Mul(by)
			case 6:
				at = at.WrapIndex(extent)
			}
		}
		shape := rapid.SampledFrom([][]int{{n}, {3, n}, {n, 4}, {2, n, 3}, {1, n, 1}, {n, 1}}).Draw(rt, "shape")
		axis := slices.Index(shape, n)
		dims := make([]any, len(shape))
		for k, e := range shape {
			dims[k] = e
		}
		dims[axis] = extent
		x, values := graph.Input("x", graph.Float32, dims...), fractions(shape...)
		take := func(at graph.Node) graph.Node { return x.Take(axis, at) }
		if rapid.Bool().Draw(rt, "along") {
			take = func(at graph.Node) graph.Node {
				lined := slices.Repeat([]any{1}, len(shape))
				lined[axis] = extent
				return x.TakeAlong(axis, at.Reshape(lined...))
			}
		}
		p, err := graph.Compile(graph.Nodes{at.Cast(graph.Int64), x})
		require.NoError(rt, err)
		outs, err := p.RunAll(context.Background(), values)
		require.NoError(rt, err)
		p, err = graph.Compile(take(graph.Input("at", graph.Int64, extent)))
		require.NoError(rt, err)
		want, wrong := p.Run(context.Background(), values, outs[0])
		p, err = graph.Compile(take(at), graph.WithDebug(graph.Verify))
		require.NoError(rt, err)
		got, err := p.Run(context.Background(), values)
		if wrong != nil {
			require.Error(rt, err)
			return
		}
		require.NoError(rt, err)
		require.Equal(rt, elements(t, want), elements(t, got))
		if n > 0 {
			if strings.Contains(stage(t, p, "simplify"), "gather") {
				kept++
			} else {
				sliced++
			}
		}
	})
	require.Positive(t, sliced)
	require.Positive(t, kept)
}

// TestRollOfUnknownExtent: readers of arrays rolled along an axis of symbolic extent also read slices.
func TestRollOfUnknownExtent(t *testing.T) {
	step := func(x graph.Node) graph.Node {
		return x.Roll(0, 1).Add(x.Roll(0, -1)).Add(x.Roll(1, 1)).Add(x.Roll(1, -1)).Add(x.Roll(1, 1000)).Mul(0.2)
	}
	for _, shape := range [][]int{{64, 200}, {1, 1}, {3, 0}, {2, 3}} {
		values := fractions(shape...)
		want := run(t, step(graph.Input("x", graph.Float32, shape)), values)
		p, err := graph.Compile(step(graph.Input("x", graph.Float32, graph.Dim("rows"), graph.Dim("columns"))))
		require.NoError(t, err)
		got, err := p.Run(context.Background(), values)
		require.NoError(t, err)
		require.Equal(t, elements(t, want), elements(t, got))
		if shape[0] > 10 {
			require.Zero(t, p.Copies())
			require.Zero(t, p.Temporaries())
		}
	}
}
