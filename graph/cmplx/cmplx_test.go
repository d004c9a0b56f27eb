package cmplx_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	stdcmplx "math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
)

func Example() {
	z := cmplx.Input("z", graph.Float32, graph.Dim("n"))
	w := z.Mul(z).Add(1i).Sqrt()
	p, err := graph.Compile(w.Interleaved(), w.Abs())
	if err != nil {
		panic(err)
	}
	outs, err := p.RunAll(context.Background(), cmplx.Of([]complex64{0, 2, 1i}))
	if err != nil {
		panic(err)
	}
	roots, err := cmplx.Data[complex64](outs[0])
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.4f\n%v\n", roots, outs[1])
	// Output:
	// [(0.7071+0.7071i) (2.0153+0.2481i) (0.4551+1.0987i)]
	// float32[3]
	// [1.        2.030543  1.1892071]
}

// run computes an array of n numbers from others.
func run(t *testing.T, f func(z, w cmplx.Node) cmplx.Node, z, w []complex128) []complex128 {
	t.Helper()
	x := cmplx.Input("z", graph.Float64, graph.Dim("n"))
	y := cmplx.Input("w", graph.Float64, graph.Dim("n"))
	p, err := graph.Compile(f(x, y).Interleaved())
	if err == nil && len(p.Inputs()) == 1 {
		out, err := p.Run(t.Context(), cmplx.Of(z))
		require.NoError(t, err)
		data, err := cmplx.Data[complex128](out)
		require.NoError(t, err)
		return data
	}
	require.NoError(t, err)
	out, err := p.Run(t.Context(), cmplx.Of(z), cmplx.Of(w))
	require.NoError(t, err)
	data, err := cmplx.Data[complex128](out)
	require.NoError(t, err)
	return data
}

// TestFunctions compares with package math/cmplx, of numbers of many magnitudes: the
// distance is a few rounding errors of the magnitude of the result.
func TestFunctions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	number := func(spread float64) float64 { return rng.NormFloat64() * math.Exp2(spread*(2*rng.Float64()-1)) }
	for _, c := range []struct {
		name   string
		f      func(z, w cmplx.Node) cmplx.Node
		want   func(z, w complex128) complex128
		spread float64 // of the exponents of the parts
		bound  float64 // in 2^-53 of the result's magnitude
	}{
		{"add", func(z, w cmplx.Node) cmplx.Node { return z.Add(w) }, func(z, w complex128) complex128 { return z + w }, 100, 0},
		{"sub", func(z, w cmplx.Node) cmplx.Node { return z.Sub(w) }, func(z, w complex128) complex128 { return z - w }, 100, 0},
		{"mul", func(z, w cmplx.Node) cmplx.Node { return z.Mul(w) }, func(z, w complex128) complex128 { return z * w }, 100, 4},
		{"div", func(z, w cmplx.Node) cmplx.Node { return z.Div(w) }, func(z, w complex128) complex128 { return z / w }, 100, 8},
		{"conj", func(z, _ cmplx.Node) cmplx.Node { return z.Conj().Neg() }, func(z, _ complex128) complex128 { return -stdcmplx.Conj(z) }, 100, 0},
		{"exp", func(z, _ cmplx.Node) cmplx.Node { return z.Exp() }, func(z, _ complex128) complex128 { return stdcmplx.Exp(z) }, 4, 8},
		{"log", func(z, _ cmplx.Node) cmplx.Node { return z.Log() }, func(z, _ complex128) complex128 { return stdcmplx.Log(z) }, 300, 8},
		{"sqrt", func(z, _ cmplx.Node) cmplx.Node { return z.Sqrt() }, func(z, _ complex128) complex128 { return stdcmplx.Sqrt(z) }, 300, 8},
		{"sin", func(z, _ cmplx.Node) cmplx.Node { return z.Sin() }, func(z, _ complex128) complex128 { return stdcmplx.Sin(z) }, 3, 16},
		{"cos", func(z, _ cmplx.Node) cmplx.Node { return z.Cos() }, func(z, _ complex128) complex128 { return stdcmplx.Cos(z) }, 3, 16},
		{"sinh", func(z, _ cmplx.Node) cmplx.Node { return z.Sinh() }, func(z, _ complex128) complex128 { return stdcmplx.Sinh(z) }, 3, 16},
		{"cosh", func(z, _ cmplx.Node) cmplx.Node { return z.Cosh() }, func(z, _ complex128) complex128 { return stdcmplx.Cosh(z) }, 3, 16},
		{"tanh", func(z, _ cmplx.Node) cmplx.Node { return z.Tanh() }, func(z, _ complex128) complex128 { return stdcmplx.Tanh(z) }, 3, 512},
		{"pow", func(z, w cmplx.Node) cmplx.Node { return z.Pow(w) }, func(z, w complex128) complex128 { return stdcmplx.Pow(z, w) }, 1, 256},
		{"cube", func(z, _ cmplx.Node) cmplx.Node { return z.Pow(3) }, func(z, _ complex128) complex128 { return z * z * z }, 30, 16},
		{"polar", func(z, _ cmplx.Node) cmplx.Node { return cmplx.Polar(z.Abs(), z.Arg()) }, func(z, _ complex128) complex128 { return z }, 30, 16},
	} {
		z, w := make([]complex128, 2000), make([]complex128, 2000)
		for i := range z {
			z[i], w[i] = complex(number(c.spread), number(c.spread)), complex(number(c.spread), number(c.spread))
		}
		for i, got := range run(t, c.f, z, w) {
			want := c.want(z[i], w[i])
			require.LessOrEqual(t, stdcmplx.Abs(got-want), c.bound*0x1p-53*stdcmplx.Abs(want), "%s of %v and %v: %v, want %v", c.name, z[i], w[i], got, want)
		}
	}
}

// TestDivIsAccurate compares each part of quotients with the exact one, of operands whose parts
// are of any magnitude from 2^-500 to 2^500, and small ones of 2^-40 to 2^40.
func TestDivIsAccurate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, spread := range []float64{40, 500} {
		part := func() float64 { return rng.NormFloat64() * math.Exp2(math.Round(spread*(2*rng.Float64()-1))) }
		z, w := make([]complex128, 3000), make([]complex128, 3000)
		for i := range z {
			z[i], w[i] = complex(part(), part()), complex(part(), part())
		}
		for i, got := range run(t, func(z, w cmplx.Node) cmplx.Node { return z.Div(w) }, z, w) {
			a, b, c, d := exact(real(z[i])), exact(imag(z[i])), exact(real(w[i])), exact(imag(w[i]))
			square := add(mul(c, c), mul(d, d))
			re := new(big.Float).Quo(add(mul(a, c), mul(b, d)), square)
			im := new(big.Float).Quo(add(mul(b, c), mul(a.Neg(a), d)), square)
			require.LessOrEqual(t, ulps(real(got), re), 4., "%v / %v: %v", z[i], w[i], got)
			require.LessOrEqual(t, ulps(imag(got), im), 4., "%v / %v: %v", z[i], w[i], got)
		}
	}
}

func exact(x float64) *big.Float     { return new(big.Float).SetPrec(5000).SetFloat64(x) }
func add(x, y *big.Float) *big.Float { return exact(0).Add(x, y) }
func mul(x, y *big.Float) *big.Float { return exact(0).Mul(x, y) }

// ulps returns the error of got in units in the last place of want.
func ulps(got float64, want *big.Float) float64 {
	w, _ := want.Float64()
	unit := math.Nextafter(math.Abs(w), math.Inf(1)) - math.Abs(w)
	distance, _ := new(big.Float).Quo(exact(0).Sub(exact(got), want), exact(unit)).Float64()
	return math.Abs(distance)
}

// TestExtremes is a table of operands whose squares overflow or vanish, and of zeros.
func TestExtremes(t *testing.T) {
	const huge, tiny = 0x1p1023, 0x1p-1074
	minus := math.Copysign(0, -1)
	for _, c := range []struct {
		got, want []complex128
	}{
		{run(t, func(z, w cmplx.Node) cmplx.Node { return z.Div(w) },
			[]complex128{complex(huge, huge), complex(tiny, tiny), 1, complex(huge, 0), complex(4*tiny, 2*tiny)},
			[]complex128{complex(huge, huge), complex(tiny, tiny), complex(0, huge), complex(0, huge), 2}),
			[]complex128{1, 1, complex(0, -0x1p-1023), -1i, complex(2*tiny, tiny)}},
		{run(t, func(z, w cmplx.Node) cmplx.Node { return z.Div(w) },
			[]complex128{complex(huge, 0x1p-977), complex(0x1p-600, 0), complex(0, 0x1p-600), complex(tiny, huge)},
			[]complex128{1, complex(0x1p-700, 0x1p300), complex(0x1p300, 0x1p-700), complex(0, 2)}),
			[]complex128{complex(huge, 0x1p-977), complex(0, -0x1p-900), complex(0, 0x1p-900), complex(huge/2, 0)}},
		{run(t, func(z, _ cmplx.Node) cmplx.Node { return z.Exp() }, []complex128{800, complex(1e9, tiny)}, nil),
			[]complex128{complex(math.Inf(1), 0), complex(math.Inf(1), math.Inf(1))}},
		{run(t, func(z, _ cmplx.Node) cmplx.Node { return z.Add(1) }, []complex128{1}, nil), []complex128{2}},
		{run(t, func(z, _ cmplx.Node) cmplx.Node { return z.Sqrt() },
			[]complex128{complex(huge, 0), complex(-4, minus), complex(-4, 0), complex(0, 0), complex(0, huge), complex(4*tiny, 0)}, nil),
			[]complex128{complex(math.Sqrt(huge), 0), complex(0, -2), 2i, 0, complex(math.Sqrt(huge/2), math.Sqrt(huge/2)), complex(2*math.Sqrt(tiny), 0)}},
		{run(t, func(z, _ cmplx.Node) cmplx.Node { return z.Tanh() }, []complex128{1000, complex(-1000, 1), 0}, nil), []complex128{1, -1, 0}},
		{run(t, func(z, _ cmplx.Node) cmplx.Node { return z.Pow(0) }, []complex128{0, 5i}, nil), []complex128{1, 1}},
		{run(t, func(z, _ cmplx.Node) cmplx.Node { return z.Pow(2.5) }, []complex128{0}, nil), []complex128{0}},
	} {
		require.Equal(t, c.want, c.got)
	}
}

// TestReductions compares sums, products and products of matrices with loops.
func TestReductions(t *testing.T) {
	z := []complex128{1 + 2i, 3i, -1, 2 - 1i, 1i, 2}
	sum, product := complex128(0), complex128(1)
	for _, v := range z {
		sum, product = sum+v, product*v
	}
	for n := range 6 {
		want := complex128(1)
		for _, v := range z[:n] {
			want *= v
		}
		x := cmplx.Input("z", graph.Float64, n)
		p, err := graph.Compile(x.Prod(-1).Interleaved())
		require.NoError(t, err)
		out, err := p.Run(t.Context(), cmplx.Of(z[:n]))
		require.NoError(t, err)
		require.Equal(t, []complex128{want}, data(t, out))
	}
	large := run(t, func(z, _ cmplx.Node) cmplx.Node {
		return z.View(func(x graph.Node) graph.Node { return x.SliceAxis(0, 0, 6, 1) }).Prod(0)
	}, []complex128{0x1p1000, 0x1p1000i, 0x1p-1000, 0x1p-1000, complex(0x1p-600, 0x1p-600), 0x1p600}, nil)
	require.Equal(t, []complex128{-1 + 1i}, large)
	require.Equal(t, []complex128{sum}, run(t, func(z, _ cmplx.Node) cmplx.Node { return z.Sum() }, z, nil))
	require.Equal(t, []complex128{sum / 6}, run(t, func(z, _ cmplx.Node) cmplx.Node { return z.Mean(0) }, z, nil))
	require.Equal(t, z[0]+z[1], run(t, func(z, _ cmplx.Node) cmplx.Node { return z.CumSum(0) }, z, nil)[1])

	x := cmplx.Input("x", graph.Float32, 2, 3)
	y := x.View(func(x graph.Node) graph.Node { return x.T() })
	p, err := graph.Compile(x.MatMul(y).Interleaved(), cmplx.Einsum("ij,jk->ki", x, y.Conj()).Interleaved(), x.Eq(x.Add(0i)))
	require.NoError(t, err)
	outs, err := p.RunAll(t.Context(), cmplx.Of([]complex64{1, 1i, 2, 0, 1 + 1i, -1i}, 2, 3))
	require.NoError(t, err)
	products, err := cmplx.Data[complex64](outs[0])
	require.NoError(t, err)
	require.Equal(t, []complex64{4, -1 - 1i, -1 - 1i, -1 + 2i}, products)
	products, err = cmplx.Data[complex64](outs[1])
	require.NoError(t, err)
	require.Equal(t, []complex64{6, 1 - 3i, 1 + 3i, 3}, products)
	require.Equal(t, "bool[2,3]\n[[true true true]\n [true true true]]", outs[2].String())
}

func data(t *testing.T, x *graph.Tensor) []complex128 {
	out, err := cmplx.Data[complex128](x)
	require.NoError(t, err)
	return out
}

func TestErrors(t *testing.T) {
	z := []complex128{1, 2}
	x := cmplx.Of(z)
	same, err := cmplx.Data[complex128](x)
	require.NoError(t, err)
	same[1] = 5
	require.Equal(t, complex128(5), z[1], "no copy")
	_, err = cmplx.Data[complex64](x)
	require.Error(t, err)
	_, err = cmplx.Data[complex128](graph.Ones(graph.Float64, 3))
	require.ErrorContains(t, err, "cmplx: shape [3] has no last axis of extent 2")
	require.Error(t, cmplx.Of(z, 3).Err())
	_, err = graph.Compile(cmplx.Input("z", graph.Float32, 3).Add("x").Interleaved())
	require.ErrorContains(t, err, "cmplx_test.go:")
	_, err = graph.Compile(cmplx.Input("z", graph.Float32, graph.Dim("n")).Prod(0).Interleaved())
	require.ErrorContains(t, err, "the extent of axis 0 of float32[n] is not known")
}

// TestTypes: parts of other types than float32 and float64 are refused where a program is compiled.
func TestTypes(t *testing.T) {
	for _, dt := range []graph.DType{graph.Int32, graph.Float16} {
		_, err := graph.Compile(cmplx.Input("z", dt, 3).Mul(cmplx.Input("w", dt, 3)).Abs())
		require.ErrorContains(t, err, "complex numbers have parts of float32 or float64, not "+dt.String())
	}
}

// TestMistakesHaveTheNameThatWasCalled: what complex operations are made of does not show in their errors.
func TestMistakesHaveTheNameThatWasCalled(t *testing.T) {
	f, i := graph.Const(graph.Of([]float32{1, 2, 3})), graph.Const(graph.Of([]int64{1, 2}))
	z := cmplx.Make(f, f)
	for want, y := range map[string]cmplx.Node{
		"cmplx.from: complex numbers have parts of float32 or float64, not int64: Cast them": cmplx.From(i),
		"cmplx.make: complex numbers have parts of float32 or float64, not int64: Cast them": cmplx.Make(i, i),
		"cmplx.view: complex numbers have parts of float32 or float64, not int64: Cast them": z.View(func(x graph.Node) graph.Node { return x.Cast(graph.Int64) }),
		"cmplx.make: dtypes float32 and float64 differ: Cast one of them":                    cmplx.Make(f, graph.Scalar(graph.Float64, 1)),
		"cmplx.add: dtypes float32 and float64 differ: Cast one of them":                     z.Add(graph.Of([]float64{1, 2, 3})),
		"cmplx.mul: x (string) is neither a number nor a bool":                               z.Mul("x"),
		"cmplx.prod: axis -3 is outside rank 1: allowed are -1 to 0":                         z.Prod(-3),
		"cmplx.sum: axis 1 is outside rank 1: allowed are -1 to 0":                           z.Sum(1),
		"cmplx.from: axis -1 of a scalar: it has none":                                       cmplx.From(graph.Scalar(graph.Float32, 1)),
	} {
		_, err := graph.Compile(y.Interleaved())
		require.ErrorContains(t, err, want)
		require.Regexp(t, `^cmplx_test.go:\d+: `, err.Error())
	}
	require.NoError(t, z.Add(graph.Of([]float32{1, 2, 3})).Abs().Err())
}
