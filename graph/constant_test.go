package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph"
)

// TestConstantsArePackedOnce: the right matrix of a product is packed into panels at compile time, for all numbers of
// rows, and no run copies it.
func TestConstantsArePackedOnce(t *testing.T) {
	const k, cols = 100, 131 // several panels, the last one partial
	w := graph.Normal(graph.Float32, 1, 0, 1, k, cols)
	right := graph.Input("w", graph.Float32, k, cols)
	x := graph.Input("x", graph.Float32, graph.Dim("n"), k)
	for name, c := range map[string]struct{ constant, given graph.Node }{
		"as it is":   {x.MatMul(w), x.MatMul(right)},
		"transposed": {x.MatMul(graph.Const(w.T().Clone()).T()), x.MatMul(right)},
		"computed":   {x.MatMul(graph.Const(w).Tanh()), x.MatMul(right.Tanh())},
		"epilogue":   {x.MatMul(w).Add(w.Slice("0")).Maximum(0), x.MatMul(right).Add(right.Index(0, 0)).Maximum(0)},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := graph.Compile(c.constant, graph.WithDebug(graph.Verify))
			require.NoError(t, err)
			q, err := graph.Compile(c.given, graph.WithInputs(x, right), graph.WithDebug(graph.Verify))
			require.NoError(t, err)
			var packs int
			for i, n := range []int{1, 2, 3, 40, 200} {
				in := graph.Normal(graph.Float32, uint64(n), 0, 1, n, k)
				out, err := p.Run(t.Context(), in)
				require.NoError(t, err)
				want, err := q.Run(t.Context(), in, w)
				require.NoError(t, err)
				require.True(t, graph.Equal(want, out), "%d rows", n)
				require.Zero(t, p.Copies(), explaining{p})
				if i == 2 {
					packs = p.Kept()
				}
			}
			require.Positive(t, packs)
			require.Equal(t, packs, p.Kept(), "one packed matrix serves all sizes")
		})
	}
}

// TestConstantsArePackedForAllProducts: the steps of a recurrent layer share panels. Other columns of the weights have
// their own panels.
func TestConstantsArePackedForAllProducts(t *testing.T) {
	const size, rows = 96, 2
	steps := func(h, w graph.Node) graph.Node {
		for range 3 {
			h = h.MatMul(w.SliceAxis(1, 0, size, 1)).Tanh()
			h = h.MatMul(w.SliceAxis(1, size, 2*size, 1)).Tanh()
		}
		return h
	}
	w := graph.Normal(graph.Float32, 1, 0, 0.1, size, 2*size)
	h, given := graph.Input("h", graph.Float32, rows, size), graph.Input("w", graph.Float32, size, 2*size)
	p, err := graph.Compile(steps(h, graph.Const(w)), graph.WithDebug(graph.Verify))
	require.NoError(t, err)
	q, err := graph.Compile(steps(h, given), graph.WithInputs(h, given), graph.WithDebug(graph.Verify))
	require.NoError(t, err)
	in := graph.Normal(graph.Float32, 2, 0, 1, rows, size)
	out, err := p.Run(t.Context(), in)
	require.NoError(t, err)
	want, err := q.Run(t.Context(), in, w)
	require.NoError(t, err)
	require.True(t, graph.Equal(want, out))
	require.Contains(t, p.Explain(), "2 steps of constants, for all runs: 72 KiB kept")
}

// TestPanelsOfTwoWidths: products of windows and of plain operands read panels of different widths of one constant.
func TestPanelsOfTwoWidths(t *testing.T) {
	x, y := graph.Input("x", graph.Float32, 40, 16, 9), graph.Input("y", graph.Float32, 200, 144)
	windows := x.Window(0, 3, 1, 1).Window(2, 3, 1, 1).Permute(0, 2, 1, 3, 4).Reshape(38*7, 144)
	for _, cols := range []int{16, 64, 72, 100, 144} {
		weights, given := graph.Normal(graph.Float32, 1, 0, 1, 144, cols), graph.Input("w", graph.Float32, 144, cols)
		for _, both := range [][2]graph.Node{{windows, y}, {y, windows}} {
			w := graph.Const(weights)
			p, err := graph.Compile(both[0].MatMul(w), both[1].MatMul(w), graph.WithInputs(x, y), graph.WithDebug(graph.Verify))
			require.NoError(t, err)
			q, err := graph.Compile(both[0].MatMul(given), both[1].MatMul(given), graph.WithInputs(x, y, given), graph.WithDebug(graph.Verify))
			require.NoError(t, err)
			ins := []*graph.Tensor{graph.Normal(graph.Float32, 3, 0, 1, 40, 16, 9), graph.Normal(graph.Float32, 4, 0, 1, 200, 144)}
			got, err := p.RunAll(t.Context(), ins...)
			require.NoError(t, err)
			want, err := q.RunAll(t.Context(), append(ins, weights)...)
			require.NoError(t, err)
			for i := range want {
				require.True(t, graph.Equal(want[i], got[i]), "%d columns, result %d", cols, i)
			}
		}
	}
}

// TestMachineOfEachEngine: programs for AVX2 only don't share the width of panels with others.
func TestMachineOfEachEngine(t *testing.T) {
	x, w := graph.Input("x", graph.Float32, 200, 144), graph.Normal(graph.Float32, 1, 0, 1, 144, 100)
	schedule := func(d graph.Debug) string {
		p, err := graph.Compile(x.MatMul(graph.Const(w)), graph.WithDebug(d))
		require.NoError(t, err)
		_, err = p.Run(t.Context(), graph.Normal(graph.Float32, 3, 0, 1, 200, 144))
		require.NoError(t, err)
		var b strings.Builder
		require.NoError(t, p.Dump(&b, "schedule"))
		return b.String()
	}
	avx2, any := schedule(graph.AVX2), schedule(0)
	require.Equal(t, avx2, schedule(graph.AVX2))
	if strings.Contains(any, "avx512") {
		require.NotEqual(t, avx2, strings.ReplaceAll(any, "avx512", "avx2"))
	} else {
		require.Equal(t, avx2, any)
	}
}

// TestConstantsAreComputedOnce: no step of a run computes a value that depends only on constants.
func TestConstantsAreComputedOnce(t *testing.T) {
	w := graph.Of([]float32{1, 2, 3})
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 3)
	p, err := graph.Compile(x.Mul(graph.Const(w).Exp().Add(1)).Add(graph.Const(w).Sum()))
	require.NoError(t, err)
	text := p.String()
	require.Contains(t, text, "%once1: f32[]")
	require.NotContains(t, text, "exp")
	require.NotContains(t, text, "sum")

	// A broadcast of a constant is larger than the constant, or cheap: no copy of it is kept.
	for _, y := range []graph.Node{graph.Const(w).Unsqueeze(1).Mul(w).Exp(), graph.Const(w).Add(1)} {
		p, err := graph.Compile(x.Sum().Add(y))
		require.NoError(t, err)
		require.Contains(t, p.String(), "add")
		require.NotContains(t, p.String(), "%once0: f32[3,3]")
	}
	// A tensor that is used as a Variable anywhere counts as one everywhere.
	v, err := graph.Compile(graph.Variable(w).Exp().Sum().Add(graph.Const(w).Exp()))
	require.NoError(t, err)
	require.NotContains(t, v.String(), "once")
	before, err := v.Run(t.Context())
	require.NoError(t, err)
	require.NoError(t, graph.Set(w, float32(0), 0))
	after, err := v.Run(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, fmt.Sprint(before), fmt.Sprint(after))

	all, err := graph.Compile(graph.Const(w).Exp(), graph.Const(w).Sum())
	require.NoError(t, err)
	outs, err := all.RunAll(t.Context())
	require.NoError(t, err)
	require.NoError(t, graph.Set(outs[0], float32(7), 0), "an output has memory of its own")
	again, err := all.RunAll(t.Context())
	require.NoError(t, err)
	one, err := graph.At[float32](again[0], 0)
	require.NoError(t, err)
	require.EqualValues(t, 1, one)
	require.Contains(t, graph.Const(nil).Err().Error(), "const: the tensor is nil")
	require.Contains(t, graph.Variable(nil).Err().Error(), "variable: the tensor is nil")
}

// TestHugeConstants: an expensive value described by a few bytes is not computed at compile time, where nothing could
// stop it.
func TestHugeConstants(t *testing.T) {
	for side, once := range map[int]bool{1 << 7: true, 1 << 10: false, 1 << 15: false} {
		p, err := graph.Compile(graph.Input("x", graph.Float32).Add(graph.Const(graph.ScalarOf[float32](1)).BroadcastTo(side, side).Exp().Sum(0, 1)))
		require.NoError(t, err)
		require.Equal(t, once, strings.Contains(p.Explain(), " once0 "), explaining{p})
	}
}
