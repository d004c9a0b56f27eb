package graph_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestSmallSums: LogSumExp keeps terms so small beside the greatest that they would vanish in a sum with 1.
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

// TestVarianceOfGreatMeans: the rounding of the mean does not matter, and equal elements have variance 0.
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

// TestVarianceOverflows: squares that pass the greatest number give +Inf, also where the sum of the distances does; NaN and infinite
// elements give NaN.
func TestVarianceOverflows(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		x    []float32
		want float64
	}{
		{[]float32{1.4061e+38, -5.5003e+36, 9.9729e+36, 1.3677e+38, -6.5232e+37}, inf},
		{[]float32{3e38, -3e38}, inf},
		{[]float32{3e38, 3e38, 3e38}, inf}, // the sum overflows, and with it the mean
		{[]float32{1e20, -1e20, 1e19}, inf},
		{[]float32{1e18, -1e18}, 1e36},
		{[]float32{1, float32(inf)}, math.NaN()},
		{[]float32{1, float32(math.NaN())}, math.NaN()},
	} {
		x := graph.Const(graph.Of(c.x))
		for k, y := range []graph.Node{x.Var(), x.Reshape(-1, 1).Var(0), x.Std().Square(), x.NanVar()} {
			p, err := graph.Compile(y.Flatten())
			require.NoError(t, err)
			out, err := p.Run(t.Context())
			require.NoError(t, err)
			switch got := float64(at[float32](t, out, 0)); {
			case math.IsNaN(c.want) && k == 3: // of the elements that are numbers
			case math.IsNaN(c.want):
				require.True(t, math.IsNaN(got), "%v: %v", c.x, got)
			case math.IsInf(c.want, 1):
				require.Equal(t, c.want, got, "%v", c.x)
			default:
				require.InEpsilon(t, c.want, got, 1e-6, "%v", c.x)
			}
		}
	}
}

// TestProductsOfExtremes: large and small factors balance each other, wherever they are.
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

// TestProductsOfShortFloats: products of narrow types, including zeros, infinities, NaN and subnormal numbers, equal
// those of the same numbers in float64, which have other kernels.
func TestProductsOfShortFloats(t *testing.T) {
	const rows, cols = 1100, 70
	r := rand.New(rand.NewPCG(7, 8))
	data := make([]float32, rows*cols)
	for i := range data {
		data[i] = float32(math.Ldexp(1+r.Float64(), r.IntN(5)-2))
		switch { // special elements in some columns and rows
		case i%cols == 3 && i/cols%7 == 0:
			data[i] = math.Float32frombits(r.Uint32() >> 9)
		case i%cols == 5 && i/cols == 40:
			data[i] = 0
		case i%cols == 6 && i/cols == 900:
			data[i] = float32(math.Inf(-1))
		case i%cols == 7 && i/cols == 1099:
			data[i] = float32(math.NaN())
		case i%cols == 9:
			data[i] = float32(math.Ldexp(-1, r.IntN(20)-10))
		}
	}
	x := graph.Input("x", graph.Float32, rows, cols)
	for _, d := range []graph.DType{graph.Float32, graph.Float16, graph.BFloat16, graph.Fixed16x16, graph.Float64} {
		narrow := x.Cast(graph.Float64).Mul(1.1).Cast(d) // numbers with more bits than float32
		stored, err := graph.Compile(narrow, narrow.Cast(graph.Float64))
		require.NoError(t, err)
		in, err := stored.RunAll(t.Context(), graph.Of(data, rows, cols))
		require.NoError(t, err)
		short, double := graph.Input("short", d, rows, cols), graph.Input("double", graph.Float64, rows, cols)
		for _, axes := range [][]any{{}, {0}, {1}} {
			p, err := graph.Compile(short.Cast(d).Prod(axes...).Cast(graph.Float64), double.Prod(axes...).Cast(d).Cast(graph.Float64))
			require.NoError(t, err)
			out, err := p.RunAll(t.Context(), in...)
			require.NoError(t, err)
			got, err := graph.Data[float64](out[0])
			require.NoError(t, err)
			want, err := graph.Data[float64](out[1])
			require.NoError(t, err)
			for i := range want {
				same := math.Float64bits(want[i]) == math.Float64bits(got[i]) || want[i] != want[i] && got[i] != got[i]
				require.True(t, same, "%s %v %d: %x, not %x", d, axes, i, got[i], want[i])
			}
		}
	}
	fixed := graph.Input("fixed", graph.Float64, 2).Cast(graph.Fixed16x16)
	p, err := graph.Compile(fixed.Prod().Cast(graph.Float64))
	require.NoError(t, err)
	out, err := p.Run(t.Context(), graph.Of([]float64{30000 + 0x1p-16, 1}))
	require.NoError(t, err)
	require.Equal(t, 30000+0x1p-16, at[float64](t, out, 0))
}

// TestLdexpOfExtremes: numbers times any power of 2 are rounded once, and zeros stay zeros.
func TestLdexpOfExtremes(t *testing.T) {
	inf, none := math.Inf(1), math.NaN()
	numbers := []float64{0, math.Copysign(0, -1), 1, -1.5, 0x1.fffffffffffffp0, 0x1p-1074, -0x1.8p-1073, 0x1.0000000000001p-1022, math.MaxFloat64, inf, -inf, none}
	powers := []float64{0, 1, -1, .5, 1.5, -.5, -1.5, 52, -52, -1022, -1023, -1073, -1074, -1075, -1076, 1023, 1024, 2097, 2098, -2098, -2099, -2100, 5000, -5000, 1e300, -1e300, inf, -inf, none}
	var x, y, want []float64
	for _, n := range numbers {
		for _, e := range powers {
			z := math.Ldexp(n, int(min(max(math.RoundToEven(e), -9999), 9999)))
			if e != e {
				z = none
			}
			x, y, want = append(x, n), append(y, e), append(want, z)
		}
	}
	p, err := graph.Compile(graph.Input("x", graph.Float64, len(x)).Ldexp(graph.Input("y", graph.Float64, len(x))))
	require.NoError(t, err)
	out, err := p.Run(t.Context(), graph.Of(x), graph.Of(y))
	require.NoError(t, err)
	for i, z := range want {
		got := at[float64](t, out, i)
		require.True(t, math.Float64bits(z) == math.Float64bits(got) || z != z && got != got, "%x %g: %x, not %x", x[i], y[i], got, z)
	}
}

func at[T float32 | float64](t *testing.T, x *graph.Tensor, i int) T {
	data, err := graph.Data[T](x)
	require.NoError(t, err)
	return data[i]
}

// TestMatMulUnderflow: a product below the normal range is off by at most one least subnormal per term.
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
