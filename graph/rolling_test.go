package graph_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
)

// TestRolling compares with reductions of windows, along any axis, of fixed and symbolic sizes: bit for bit where nothing is
// rounded, else within the error of adding the elements of a window one by one.
func TestRolling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]int{1, 2, 17, 64, 65, 66, 90}).Draw(t, "size")
		shape := rapid.SliceOfN(rapid.IntRange(1, 3), 0, 2).Draw(t, "shape")
		axis := rapid.IntRange(0, len(shape)).Draw(t, "axis")
		n := rapid.IntRange(size, 3*size+2).Draw(t, "n")
		shape = append(append(append([]int{}, shape[:axis]...), n), shape[axis:]...)
		in := graph.Normal(graph.Float64, rapid.Uint64().Draw(t, "seed"), rapid.SampledFrom([]float64{0, 1e6}).Draw(t, "mean"), 1, shape...)
		extents := make([]any, len(shape))
		for k := range shape {
			extents[k] = shape[k]
		}
		if rapid.Bool().Draw(t, "symbolic") {
			extents[axis] = graph.Dim("n")
		}
		x := graph.Input("x", graph.Float64, extents...)
		ints := x.Mul(100).Cast(graph.Int32)
		r, w := x.Rolling(axis, size), x.Window(axis, size, 1, 1)
		p, err := graph.Compile(r.Min().Eq(w.Min(-1)).All(), r.Max().Eq(w.Max(-1)).All(), ints.Rolling(axis, size).Sum().Eq(ints.Window(axis, size, 1, 1).Sum(-1)).All(),
			r.Mean().Sub(w.Mean(-1)).Abs().Le(w.Abs().Mean(-1).Mul(2*float64(size)*0x1p-52)).All(),
			r.Var(0).Sub(w.Var(-1)).Abs().Le(w.Var(-1).Add(x.Var()).Mul(10*float64(size)*0x1p-52).Add(w.Abs().Max(-1).Mul(0x1p-52).Square())).All())
		require.NoError(t, err)
		outs, err := p.RunAll(t.Context(), in)
		require.NoError(t, err)
		for i, out := range outs {
			ok, err := graph.At[bool](out)
			require.NoError(t, err)
			require.True(t, ok, "statistic %d", i)
		}
	})
}

// TestRollingSums compares sums of positive and negative numbers with exact ones: the error is below size * 2^-53 of the sum of
// magnitudes, however long the line.
func TestRollingSums(t *testing.T) {
	const n, size = 10_000, 300
	in := graph.Normal(graph.Float64, 1, 0, 1, n)
	data, err := graph.Data[float64](in)
	require.NoError(t, err)
	got, err := graph.Data[float64](run(t, graph.Const(in).Rolling(0, size).Sum()))
	require.NoError(t, err)
	require.Len(t, got, n-size+1)
	for i := 0; i < len(got); i += 37 {
		sum, magnitudes := new(big.Float).SetPrec(500), 0.
		for _, v := range data[i : i+size] {
			sum.Add(sum, big.NewFloat(v))
			magnitudes += math.Abs(v)
		}
		want, _ := sum.Float64()
		require.InDelta(t, want, got[i], size*0x1p-53*magnitudes)
	}
}

// TestRollingInfinities: an infinity or NaN is in the windows that contain it alone.
func TestRollingInfinities(t *testing.T) {
	const n, size = 300, 70
	in := graph.Ones(graph.Float32, n)
	require.NoError(t, graph.Set(in, float32(math.NaN()), 100))
	require.NoError(t, graph.Set(in, float32(math.Inf(1)), 200))
	r := graph.Const(in).Rolling(0, size)
	for name, y := range map[string]graph.Node{"sum": r.Sum(), "max": r.Max(), "var": r.Var(1)} {
		got, err := graph.Data[float32](run(t, y))
		require.NoError(t, err)
		for i, v := range got {
			nan, inf := i > 100-size && i <= 100, i > 200-size && i <= 200
			switch {
			case nan, inf && name == "var":
				require.NotEqual(t, v, v, "%s %d", name, i)
			case inf:
				require.True(t, math.IsInf(float64(v), 1), "%s %d", name, i)
			default:
				require.Equal(t, map[string]float32{"sum": size, "max": 1, "var": 0}[name], v, "%s %d", name, i)
			}
		}
	}
}

// TestRollingOutliers: a window without an outlier has the variance of its own elements, however large the outlier beside
// it in its block.
func TestRollingOutliers(t *testing.T) {
	const n, size = 400, 100
	for _, outlier := range []float64{1e6, 1e15, 1e200, math.NaN(), math.Inf(-1)} {
		for _, at := range []int{0, 17, 99, 100, 170, 199, 200} {
			data := make([]float64, n)
			for i := range data {
				data[i] = 1e8 + float64(i%2)
			}
			data[at] = outlier
			got, err := graph.Data[float64](run(t, graph.Const(graph.Of(data)).Rolling(0, size).Var(0)))
			require.NoError(t, err)
			for i, v := range got {
				if at < i || at >= i+size {
					require.InDelta(t, 0.25, v, 1e-6, "%v at %d: window %d", outlier, at, i)
				}
			}
		}
	}
}

// TestRollingMistakes lists messages, and runs that are too short.
func TestRollingMistakes(t *testing.T) {
	x := graph.Input("x", graph.Float32, 5)
	require.ErrorContains(t, x.Rolling(0, 6).Sum().Err(), "rolling: ")
	require.ErrorContains(t, x.Rolling(1, 2).Mean().Err(), "rolling: ")
	require.ErrorContains(t, x.Rolling(0, 0).Var(0).Err(), "rolling: ")
	require.ErrorContains(t, x.Cast(graph.Int32).Rolling(0, 3).Mean().Err(), "does not take int32: Cast to float32 or float64")
	p, err := graph.Compile(graph.Input("x", graph.Float32, graph.Dim("n")).Rolling(0, 70).Sum())
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.Ones(graph.Float32, 60))
	require.Error(t, err)
	out, err := p.Run(t.Context(), graph.Ones(graph.Float32, 70))
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]float32{70}), out))
}
