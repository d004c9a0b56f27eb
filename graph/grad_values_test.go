package graph_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// gradAt returns the gradient of the sum of f(x) at x.
func gradAt(t *testing.T, f func(x graph.Node) graph.Node, x []float64) []float64 {
	t.Helper()
	in := graph.Input("x", graph.Float64, len(x))
	p, err := graph.Compile(graph.Grad(f(in), in), graph.WithInputs(in))
	require.NoError(t, err)
	out, err := p.Run(t.Context(), graph.Of(x))
	require.NoError(t, err)
	data, err := graph.Data[float64](out)
	require.NoError(t, err)
	return data
}

// TestGradAtSpecialValues is the table of conventions of docs/gradients.md: kinks, ties, ends of domains, and branches
// of Where that are not taken.
func TestGradAtSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	zeroOut := func(f func(x graph.Node) graph.Node) func(x graph.Node) graph.Node {
		return func(x graph.Node) graph.Node { return graph.Where(x.Gt(0), f(x), 0) }
	}
	for name, c := range map[string]struct {
		f       func(x graph.Node) graph.Node
		x, want []float64
	}{
		"abs":               {graph.Node.Abs, []float64{-2, 0, 3}, []float64{-1, 0, 1}},
		"relu":              {graph.Node.ReLU, []float64{-2, 0, 3, nan}, []float64{0, 0, 1, 0}},
		"leaky relu":        {func(x graph.Node) graph.Node { return x.LeakyReLU(0.1) }, []float64{-2, 0, 3}, []float64{0.1, 1, 1}},
		"elu":               {func(x graph.Node) graph.Node { return x.ELU(0.5) }, []float64{0, 1000}, []float64{0.5, 1}},
		"celu":              {func(x graph.Node) graph.Node { return x.CELU(0.5) }, []float64{0, 1000}, []float64{1, 1}},
		"copysign":          {func(x graph.Node) graph.Node { return x.CopySign(1) }, []float64{-2, 0, 3}, []float64{-1, 1, 1}},
		"median":            {func(x graph.Node) graph.Node { return x.Median() }, []float64{9, 3, 1, 4}, []float64{0, 0.5, 0, 0.5}},
		"median of equals":  {func(x graph.Node) graph.Node { return x.Median() }, []float64{9, 3, 1, 3}, []float64{0, 0.5, 0, 0.5}},
		"clip of NaN":       {func(x graph.Node) graph.Node { return x.Clip(0, 2) }, []float64{nan}, []float64{0}},
		"hardswish":         {graph.Node.HardSwish, []float64{-4, -3, 0, 3, 4}, []float64{0, 0, 0.5, 1, 1}},
		"maximum of a tie":  {func(x graph.Node) graph.Node { return x.Maximum(1) }, []float64{0, 1, 2}, []float64{0, 0.5, 1}},
		"minimum of a tie":  {func(x graph.Node) graph.Node { return x.Minimum(1) }, []float64{0, 1, 2}, []float64{1, 0.5, 0}},
		"clip":              {func(x graph.Node) graph.Node { return x.Clip(0, 2) }, []float64{-1, 0, 1, 2, 3}, []float64{0, 0.5, 1, 0.5, 0}},
		"max":               {func(x graph.Node) graph.Node { return x.Max() }, []float64{1, 5, 5, 2}, []float64{0, 0.5, 0.5, 0}},
		"min of NaN":        {func(x graph.Node) graph.Node { return x.Min() }, []float64{1, nan}, []float64{0, 0}},
		"cummax":            {func(x graph.Node) graph.Node { return x.CumMax(0) }, []float64{1, 3, 3, 2}, []float64{1, 1 + 0.5 + 0.5, 0.5 + 0.5, 0}},
		"cummax of NaN":     {func(x graph.Node) graph.Node { return x.CumMax(0).Index(0, 0) }, []float64{1, 2, nan}, []float64{1, 0, 0}},
		"cummin before NaN": {func(x graph.Node) graph.Node { return x.CumMin(0) }, []float64{2, 1, nan, 0}, []float64{1, 1, 0, 0}},
		"silu":              {graph.Node.SiLU, []float64{-inf, -1e300, 0, 1e300, inf}, []float64{0, 0, 0.5, 1, 1}},
		"mish":              {graph.Node.Mish, []float64{-inf, -1e300, 0, 1e300, inf}, []float64{0, 0, 0.6, 1, 1}},
		"gelu":              {graph.Node.GELU, []float64{-inf, -1e300, 0, 1e300, inf}, []float64{0, 0, 0.5, 1, 1}},
		"gelu by tanh":      {graph.Node.GELUTanh, []float64{-inf, -1e300, 0, 1e300, inf}, []float64{0, 0, 0.5, 1, 1}},
		"maxpool": {func(x graph.Node) graph.Node {
			return x.Reshape(1, 1, 6).MaxPool(graph.PoolOptions{Size: []int{3}, Strides: []int{3}})
		}, []float64{2, 2, 2, 0, 1, 1}, []float64{1. / 3, 1. / 3, 1. / 3, 0, 0.5, 0.5}},
		"sort":              {func(x graph.Node) graph.Node { return x.Sort(0).Mul(graph.Of([]float64{1, 2, 3})) }, []float64{5, 1, 5}, []float64{2, 1, 3}},
		"prod of zeros":     {func(x graph.Node) graph.Node { return x.Prod() }, []float64{2, 0, 3}, []float64{0, 6, 0}},
		"prod of two zeros": {func(x graph.Node) graph.Node { return x.Prod() }, []float64{2, 0, 0}, []float64{0, 0, 0}},
		"cumprod of zeros":  {func(x graph.Node) graph.Node { return x.CumProd(0) }, []float64{2, 0, 3}, []float64{1, 2 + 6, 0}},
		"sqrt at 0":         {graph.Node.Sqrt, []float64{0, 4}, []float64{inf, 0.25}},
		"norm2 at 0":        {func(x graph.Node) graph.Node { return x.Norm2() }, []float64{0, 0}, []float64{0, 0}},
		"std of equals":     {func(x graph.Node) graph.Node { return x.Std() }, []float64{3, 3}, []float64{0, 0}},
		"nanstd of equals":  {func(x graph.Node) graph.Node { return x.NanStd() }, []float64{3, nan, 3}, []float64{0, 0, 0}},
		"group std of equals": {func(x graph.Node) graph.Node {
			return x.GroupBy(graph.Const(graph.Of([]int64{0, 0, 1, 1})), 2).Std(1)
		}, []float64{3, 3, 1, 2}, []float64{0, 0, -1 / math.Sqrt2, 1 / math.Sqrt2}},
		"rolling std of equals":         {func(x graph.Node) graph.Node { return x.Rolling(0, 2).Std(1) }, []float64{3, 3}, []float64{0, 0}},
		"rolling std without NaN":       {func(x graph.Node) graph.Node { return x.Rolling(0, 3).MinPeriods(2).Std(1) }, []float64{3, nan, 3}, []float64{0, 0, 0}},
		"rolling std of equals, longer": {func(x graph.Node) graph.Node { return x.Rolling(0, 70).Std(1) }, make([]float64, 70), make([]float64, 70)},
		"weighted std of equals": {func(x graph.Node) graph.Node {
			return x.ExpWeighted(0, 0.5).Std().SliceAxis(0, 1, 3, 1)
		}, []float64{3, 3, 3}, []float64{0, 0, 0}},
		"hypot at infinity": {func(x graph.Node) graph.Node { return x.Hypot(3) }, []float64{-inf, inf, 4}, []float64{-1, 1, 0.8}},
		"hypot by infinity": {func(x graph.Node) graph.Node { return x.Hypot(inf) }, []float64{0, 4, inf}, []float64{0, 0, 1}},
		"atan2 at infinity": {func(x graph.Node) graph.Node { return x.Atan2(1) }, []float64{-inf, inf}, []float64{0, 0}},
		"hypot at 0":        {func(x graph.Node) graph.Node { return x.Hypot(0) }, []float64{0, 2}, []float64{0, 1}},
		"atan2 at 0":        {func(x graph.Node) graph.Node { return x.Atan2(0) }, []float64{0, 2}, []float64{0, 0}},
		"pow 0 of 0":        {func(x graph.Node) graph.Node { return x.Pow(0) }, []float64{0, 2}, []float64{0, 0}},
		"pow by exponent":   {func(x graph.Node) graph.Node { return x.Scalar(0).Pow(x) }, []float64{0, 2}, []float64{0, 0}},
		"logsumexp":         {func(x graph.Node) graph.Node { return x.LogSumExp() }, []float64{-inf, 0, 0}, []float64{0, 0.5, 0.5}},
		"logsumexp of -inf": {func(x graph.Node) graph.Node { return x.LogSumExp() }, []float64{-inf, -inf}, []float64{0, 0}},
		"logaddexp of -inf": {func(x graph.Node) graph.Node { return x.LogAddExp(-inf) }, []float64{-inf, 0}, []float64{0.5, 1}},
		"logaddexp of inf":  {func(x graph.Node) graph.Node { return x.LogAddExp(0) }, []float64{inf, -inf}, []float64{1, 0}},
		"softplus":          {graph.Node.Softplus, []float64{-inf, -800, 800, inf}, []float64{0, 0, 1, 1}},
		"rounding":          {func(x graph.Node) graph.Node { return x.Floor().Add(x.Round()).Add(x.Sign()) }, []float64{0.5, 2}, []float64{0, 0}},
		"through integers":  {func(x graph.Node) graph.Node { return x.Cast(graph.Int32).Cast(graph.Float64) }, []float64{0.5, 2}, []float64{0, 0}},
		"through float16":   {func(x graph.Node) graph.Node { return x.Cast(graph.Float16).Cast(graph.Float64).Mul(3) }, []float64{0.5, 2}, []float64{3, 3}},
		"through float8":    {func(x graph.Node) graph.Node { return x.Cast(graph.Float8E4M3FN).Cast(graph.Float64).Mul(3) }, []float64{0.5, 2}, []float64{3, 3}},
		"stop":              {func(x graph.Node) graph.Node { return graph.StopGradient(x).Mul(x) }, []float64{3, 4}, []float64{3, 4}},
		"quantized": {func(x graph.Node) graph.Node {
			q := graph.Linear(graph.Int8, 0.5, 3)
			return x.Cast(graph.Float32).Quantize(q).Reshape(-1).Dequantize(q).Cast(graph.Float64).Mul(2)
		}, []float64{-1000, 1.3, 7}, []float64{0, 2, 2}},

		"where and sqrt":           {zeroOut(graph.Node.Sqrt), []float64{-1, 0, 4}, []float64{0, 0, 0.25}},
		"where and log":            {zeroOut(graph.Node.Log), []float64{-1, 0, 4}, []float64{0, 0, 0.25}},
		"where and div":            {zeroOut(func(x graph.Node) graph.Node { return x.Scalar(1).Div(x) }), []float64{-1, 0, 4}, []float64{0, 0, -1. / 16}},
		"where and pow":            {zeroOut(func(x graph.Node) graph.Node { return x.Pow(0.5) }), []float64{-1, 0, 4}, []float64{0, 0, 0.25}},
		"where and mul":            {zeroOut(func(x graph.Node) graph.Node { return x.Mul(x.Log()) }), []float64{-1, 0, 1}, []float64{0, 0, 1}},
		"where and exp":            {func(x graph.Node) graph.Node { return graph.Where(x.Lt(100), x.Exp(), 0) }, []float64{0, 1000}, []float64{1, 0}},
		"where and cumprod":        {func(x graph.Node) graph.Node { return graph.Where(x.IsFinite(), x.CumProd(0), 0) }, []float64{2, 3, inf}, []float64{4, 2, 0}},
		"where and cumprod of NaN": {func(x graph.Node) graph.Node { return graph.Where(x.Eq(5), x.CumProd(0), 0) }, []float64{2, 5, nan, 1}, []float64{5, 2, 0, 0}},
		"where and recurrence": {func(x graph.Node) graph.Node {
			return graph.Where(x.Eq(5), x.Recurrence(0, x), 0)
		}, []float64{2, 5, nan, 1}, []float64{5, 3, 0, 0}},
		"where and norm": {func(x graph.Node) graph.Node { n := x.Norm2(); return graph.Where(n.Gt(0), n.Log(), 0) }, []float64{0, 0}, []float64{0, 0}},
	} {
		got := gradAt(t, c.f, c.x)
		for i, want := range c.want {
			if math.IsInf(want, 0) {
				require.Equal(t, want, got[i], name)
			} else {
				require.InDelta(t, want, got[i], 1e-6, "%s at %v: %v", name, c.x[i], got)
			}
		}
	}
}

// TestGradOfLargeActivations: squares and cubes of narrow types do not overflow, and a NaN stays one.
func TestGradOfLargeActivations(t *testing.T) {
	for name, f := range map[string]func(graph.Node) graph.Node{
		"silu": graph.Node.SiLU, "mish": graph.Node.Mish, "gelu": graph.Node.GELU, "gelu by tanh": graph.Node.GELUTanh,
	} {
		for _, dt := range []graph.DType{graph.Float16, graph.BFloat16, graph.Float32} {
			for _, size := range []float64{300, 6e4, 1e20, math.Inf(1)} {
				got := gradAt(t, func(x graph.Node) graph.Node { return f(x.Cast(dt)).Cast(graph.Float64) }, []float64{-size, size})
				require.Equal(t, []float64{0, 1}, got, "%s of %s at %v", name, dt, size)
			}
		}
		require.True(t, math.IsNaN(gradAt(t, f, []float64{math.NaN()})[0]), name)
	}
}

// TestSecondGradAtZeroCotangent: a cotangent that happens to be 0, as at the minimum of squared residuals, does not
// hide a second derivative.
func TestSecondGradAtZeroCotangent(t *testing.T) {
	for name, c := range map[string]struct {
		f       func(x graph.Node) graph.Node
		x, want float64
	}{
		"sqrt":    {func(x graph.Node) graph.Node { return x.Sqrt().Sub(1).Square().Mul(0.5) }, 1, 0.25},
		"log":     {func(x graph.Node) graph.Node { return x.Log().Square().Mul(0.5) }, 1, 1},
		"div":     {func(x graph.Node) graph.Node { return x.Scalar(1).Div(x).Sub(1).Square() }, 1, 2},
		"guarded": {func(x graph.Node) graph.Node { return graph.Where(x.Gt(0), x.Log(), x).Square() }, 1, 2},
	} {
		got := gradAt(t, func(x graph.Node) graph.Node { return graph.Grad(c.f(x), x)[0] }, []float64{c.x})
		require.InDelta(t, c.want, got[0], 1e-12, name)
	}
}
