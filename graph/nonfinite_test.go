package graph_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// TestNonFinite asserts that the first op that makes a NaN is found, fused or not.
func TestNonFinite(t *testing.T) {
	x := f32("x", graph.Dim("n"))
	bad, at := x.Sub(1).Log(), here()
	y := bad.Mul(2).Add(1).Max()
	p, err := graph.Compile(y, graph.WithDebug(graph.NonFinite))
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.Of([]float32{2, 3, 4}))
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.Of([]float32{2, 1, 0}))
	var found *graph.NonFiniteError
	require.True(t, errors.As(err, &found), "%v", err)
	require.Equal(t, ir.OpLog, found.Op)
	require.Equal(t, []int{1}, found.Index)
	require.EqualError(t, err, at+": log made a NaN or an infinity at index [1]")
	plain, err := graph.Compile(y)
	require.NoError(t, err)
	require.NoError(t, plain.FindNonFinite(t.Context(), graph.Of([]float32{5, 6})))
}

// findNonFinite returns the op and the index that a run of x finds.
func findNonFinite(t *testing.T, x graph.Node, ins ...*graph.Tensor) (op string, index []int) {
	p, err := graph.Compile(x, graph.WithDebug(graph.NonFinite, graph.Verify))
	require.NoError(t, err)
	_, err = p.Run(t.Context(), ins...)
	var found *graph.NonFiniteError
	if errors.As(err, &found) {
		return found.Op.Method(), found.Index
	}
	require.NoError(t, err)
	return "", nil
}

// TestNonFiniteRuns asserts that every way to run finds a NaN.
func TestNonFiniteRuns(t *testing.T) {
	p, err := graph.Compile(f32("x", 2).Log(), graph.WithDebug(graph.NonFinite))
	require.NoError(t, err)
	in, out := graph.Of([]float32{1, 2}), graph.New(graph.Float32, 2)
	call, err := p.Bind([]*graph.Tensor{out}, in)
	require.NoError(t, err)
	ways := map[string]func(context.Context) error{
		"Run":      func(ctx context.Context) error { _, err := p.Run(ctx, in); return err },
		"RunAll":   func(ctx context.Context) error { _, err := p.RunAll(ctx, in); return err },
		"RunInto":  func(ctx context.Context) error { return p.RunInto(ctx, []*graph.Tensor{out}, in) },
		"RunNamed": func(ctx context.Context) error { _, err := p.RunNamed(ctx, graph.Feeds{"x": in}); return err },
		"Call":     call.Run,
	}
	for name, way := range ways {
		require.NoError(t, graph.Set(in, float32(2), 1), name)
		require.NoError(t, way(t.Context()), name)
		require.NoError(t, graph.Set(in, float32(0), 1), name)
		var found *graph.NonFiniteError
		require.ErrorAs(t, way(t.Context()), &found, name)
		require.Equal(t, []int{1}, found.Index, name)
	}
}

// TestNonFiniteOfConstants asserts that ops on constants are checked, whether or not they were computed at compile
// time.
func TestNonFiniteOfConstants(t *testing.T) {
	x, in := f32("x", 2), graph.Of([]float32{5, 6})
	data := graph.Of([]float32{0, 1})
	for _, c := range []graph.Node{graph.Const(data), graph.Variable(data)} {
		op, index := findNonFinite(t, c.Log().Add(x), in)
		require.Equal(t, "log", op)
		require.Equal(t, []int{0}, index)
	}
	op, index := findNonFinite(t, graph.Const(data).Add(1).Log().Add(x.Add(graph.Const(data).Exp())).Sub(6).Log(), in)
	require.Equal(t, "log", op, "behind constants")
	require.Equal(t, []int{0}, index)
	op, _ = findNonFinite(t, graph.Const(data).Log())
	require.Equal(t, "log", op, "nothing but constants")
}

// TestNonFiniteElements asserts that a NaN or an infinity hides others only in elements computed from it.
func TestNonFiniteElements(t *testing.T) {
	nan, inf, big := float32(math.NaN()), float32(math.Inf(1)), float32(3e38)
	x := f32("x", 4)
	m := x.Reshape(2, 2)
	index := graph.Const(graph.Of([]int64{0, 0, 1, 1}))
	cases := []struct {
		name string
		y    graph.Node
		in   []float32
		op   string
		at   []int
	}{
		{"elementwise", x.Log(), []float32{nan, 0, 2, 3}, "log", []int{1}},
		{"of the same element", x.Log().Add(1).Exp(), []float32{nan, inf, 2, 3}, "", nil},
		{"an infinite constant", x.Add(graph.Scalar(graph.Float32, math.Inf(1))), []float32{1, 2, 3, 4}, "", nil},
		{"NaN of infinities", x.Sub(graph.Scalar(graph.Float32, math.Inf(1))), []float32{1, 2, inf, 4}, "sub", []int{2}},
		{"broadcast", m.Mul(m.Slice("0")), []float32{nan, big, 2, 3}, "mul", []int{0, 1}},
		{"where", graph.Where(x.Gt(0), x, math.Inf(-1)), []float32{1, 2, nan, inf}, "", nil},
		{"masked", graph.Where(x.Gt(0), x, math.Inf(-1)).Softmax(0), []float32{1, 2, -1, -1}, "", nil},
		{"all masked", graph.Where(x.Gt(0), x, math.Inf(-1)).Softmax(0), []float32{-1, -1, -1, -1}, "sub", []int{0}},
		{"sum", m.Sum(1), []float32{nan, 0, big, big}, "sum", []int{1}},
		{"sum of its line", m.Sum(1), []float32{1, 0, inf, big}, "", nil},
		{"sum of infinities", m.Sum(0), []float32{1, inf, 2, -inf}, "sum", []int{1}},
		{"sum of all", x.Sum(), []float32{big, big, 0, 0}, "sum", []int{}},
		{"scan", x.CumSum(0), []float32{big, big, nan, 1}, "cumsum", []int{1}},
		{"scan behind a NaN", x.CumSum(0), []float32{1, nan, big, big}, "", nil},
		{"product", m.MatMul(m), []float32{1, nan, big, 10}, "matmul", []int{1, 0}},
		{"product of its lines", m.MatMul(m), []float32{nan, 1, 2, nan}, "", nil},
		{"concat", graph.Concat(0, x, x), []float32{nan, inf, 0, 1}, "", nil},
		{"sort", x.Sort(0), []float32{nan, inf, 0, 1}, "", nil},
		{"take", x.Take(0, index), []float32{nan, inf, 0, 1}, "", nil},
		{"scatter", graph.Fill(graph.Float32, 0, 4).Scatter(0, index, x, graph.ScatterAdd), []float32{big, big, 0, 1}, "scatter", []int{0}},
		{"fp8", x.Cast(graph.Float8E4M3FN), []float32{nan, 1, 1e9, 1}, "cast", []int{2}},
		{"to fp8 and back", x.Cast(graph.Float8E5M2).Cast(graph.Float32), []float32{0, 1, 1e9, 1}, "cast", []int{2}},
		{"half", x.Cast(graph.Float16).Mul(2), []float32{0, 60000, 1, 1}, "mul", []int{1}},
	}
	for _, c := range cases {
		op, at := findNonFinite(t, c.y, graph.Of(c.in))
		require.Equal(t, c.op, op, c.name)
		require.Equal(t, c.at, at, c.name)
	}
}

// TestNonFiniteNames asserts that errors name the method that the user called.
func TestNonFiniteNames(t *testing.T) {
	x, w := f32("x", 1, 1, 2), f32("w", 1, 1, 2)
	big := graph.Of([]float32{3e38, 3e38}, 1, 1, 2)
	for want, y := range map[string]graph.Node{
		"conv made a NaN or an infinity at index [0 0 0]": x.Conv(w, graph.ConvOptions{}),
		"einsum: matmul made":                             graph.Einsum("abc,abd->acd", x, w),
		"softmax: sub made":                               graph.Where(x.Lt(0), x, math.Inf(-1)).Softmax(2).Add(w),
		": mul made":                                      x.Mul(w),
		"fma made":                                        x.FMA(w, w),
		"mean: sum made":                                  x.Mean().Add(w),
	} {
		p, err := graph.Compile(y, graph.WithDebug(graph.NonFinite), graph.WithInputs(x, w))
		require.NoError(t, err)
		_, err = p.Run(t.Context(), big, big)
		require.ErrorContains(t, err, want)
	}
}

// TestNonFiniteOfEveryKind asserts that ops of every kind are checked, and that no op is named if the NaN was given.
func TestNonFiniteOfEveryKind(t *testing.T) {
	x := f32("x", graph.Dim("n"), 4)
	y := graph.Concat(0, x, x.Mul(2)).Softmax(1).Add(1)
	offsets, rows := graph.Const(graph.Of([]int64{0, 2, 4})), graph.Const(graph.Of([]int64{0, 1, 0}))
	p, err := graph.Compile(graph.Nodes{
		y, y.Recurrence(1, y), y.CumSum(0), y.CumProd(1, graph.Exclusive), y.Sort(1), x.T().RaggedSum(offsets), y.MatMul(y.T()),
		graph.Einsum("ij,kj->ik", y, y), y.Std(1), y.Var(), y.Median(1), y.ArgMax(1), y.NanMax(0), y.Take(0, rows), y.Take(0, rows).Sum(0),
		y.Unsqueeze(0).MaxPool(graph.PoolOptions{Size: []int{2}, Before: []int{1}}), y.Unsqueeze(0).Conv(graph.Const(graph.Ones(graph.Float32, 3, 4, 1)), graph.ConvOptions{ChannelsLast: true}),
		y.LayerNorm(graph.Ones(graph.Float32, 4), 0.0, 1e-5), y.Cast(graph.Float16).Sum(0), y.Cast(graph.Float8E8M0), y.Pow(-0.5), y.IsNaN(),
	}, graph.WithDebug(graph.NonFinite, graph.Verify))
	require.NoError(t, err)
	for _, n := range []int{1, 3, 300} {
		in := graph.Uniform(graph.Float32, 1, -1, 1, n, 4)
		_, err := p.RunAll(t.Context(), in)
		require.NoError(t, err, n)
		require.NoError(t, graph.Set(in, float32(math.NaN()), 0, 1))
		_, err = p.RunAll(t.Context(), in)
		require.NoError(t, err, n)
	}
}
