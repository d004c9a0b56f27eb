package graph_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestSmallSums: the terms beside the greatest count, of which the exponentials' sum
// has no digits left beside 1.
func TestSmallSums(t *testing.T) {
	data := make([]float64, 1001)
	for i := range 1000 {
		data[i] = -20
	}
	x := graph.Input("x", graph.Float64, 1001)
	p, err := graph.Compile(x.LogSumExp(), x.LogSoftmax(0))
	require.NoError(t, err)
	outs, err := p.RunAll(t.Context(), graph.Of(data))
	require.NoError(t, err)
	want := math.Log1p(1000 * math.Exp(-20))
	require.InEpsilon(t, want, at[float64](t, outs[0], 0), 1e-15)
	require.InEpsilon(t, -want, at[float64](t, outs[1], 1000), 1e-15)
	require.InEpsilon(t, -20-want, at[float64](t, outs[1], 0), 1e-15)
}

// TestVarianceOfGreatMeans: the rounding of the mean does not count, and elements that
// are the same have no variance.
func TestVarianceOfGreatMeans(t *testing.T) {
	same, great := make([]float64, 3000), make([]float32, 3000)
	sum, squares := 0.0, 0.0
	for i := range same {
		same[i] = 0.1
		great[i] = float32(1e8 + 1e4*math.Sin(float64(i*i)))
		sum += float64(great[i]) - 1e8
	}
	for _, v := range great {
		d := float64(v) - 1e8 - sum/3000
		squares += d * d
	}
	x, y := graph.Input("x", graph.Float64, 3000), graph.Input("y", graph.Float32, 3000)
	p, err := graph.Compile(x.Var(), x.Var(graph.DDOF(1)), x.Std(), y.Var(), y.Var(graph.DDOF(1)))
	require.NoError(t, err)
	outs, err := p.RunAll(t.Context(), graph.Of(same), graph.Of(great))
	require.NoError(t, err)
	for i := range 3 {
		require.Zero(t, at[float64](t, outs[i], 0))
	}
	require.InEpsilon(t, squares/3000, at[float32](t, outs[3], 0), 0x1p-22)
	require.InEpsilon(t, squares/2999, at[float32](t, outs[4], 0), 0x1p-22)
}

// TestProductsOfExtremes: factors make up for each other wherever they stand.
func TestProductsOfExtremes(t *testing.T) {
	data := make([]float32, 3000)
	for i := range data {
		data[i] = 1
	}
	for i := range 20 {
		data[i], data[1500+i] = 1e-3, 1e3
	}
	x := graph.Input("x", graph.Float32, 3000)
	p, err := graph.Compile(x.Prod())
	require.NoError(t, err)
	outs, err := p.RunAll(t.Context(), graph.Of(data))
	require.NoError(t, err)
	require.InDelta(t, 1, at[float32](t, outs[0], 0), 1e-6)
}

func at[T float32 | float64](t *testing.T, x *graph.Tensor, i int) T {
	data, err := graph.Data[T](x)
	require.NoError(t, err)
	return data[i]
}

// TestMatMulUnderflow: a product below the normal range is off by one least subnormal at most
// for each of the terms.
func TestMatMulUnderflow(t *testing.T) {
	x, y := graph.Input("x", graph.Float32, 2, 1), graph.Input("y", graph.Float32, 1, 2)
	p, err := graph.Compile(x.MatMul(y).Reshape(4))
	require.NoError(t, err)
	for _, v := range []float32{1e-30, 1e-22, 3e-23} {
		out, err := p.Run(t.Context(), graph.Of([]float32{v, v}, 2, 1), graph.Of([]float32{v, v}, 1, 2))
		require.NoError(t, err)
		require.InDelta(t, float64(v)*float64(v), at[float32](t, out, 0), 0x1p-149)
	}
}
