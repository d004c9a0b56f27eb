package graph_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
)

// Package formula's tests compare these functions with NumPy's: here are sizes that are known when the program
// runs, and mistakes.

// numerics are functions of a vector x, of sorted coordinates of the same length, and of four taps.
var numerics = map[string]func(x, at, taps graph.Node) graph.Node{
	"diff":        func(x, _, _ graph.Node) graph.Node { return x.Diff(0, 2) },
	"gradient":    func(x, _, _ graph.Node) graph.Node { return x.Gradient(0, 0.5) },
	"coordinates": func(x, at, _ graph.Node) graph.Node { return x.Gradient(0, at) },
	"trapezoid":   func(x, at, _ graph.Node) graph.Node { return x.Trapezoid(0, at) },
	"interp":      func(x, at, _ graph.Node) graph.Node { return at.Neg().Interp(at, x) },
	"polyval":     func(x, _, taps graph.Node) graph.Node { return x.PolyVal(taps) },
	"full":        func(x, _, taps graph.Node) graph.Node { return x.Convolve(taps, graph.OverlapFull) },
	"same":        func(x, _, taps graph.Node) graph.Node { return x.Convolve(taps, graph.OverlapSame) },
	"valid":       func(x, _, taps graph.Node) graph.Node { return x.Convolve(taps, graph.OverlapValid) },
	"isin":        func(x, at, _ graph.Node) graph.Node { return x.IsIn(at) },
	"kron":        func(x, _, taps graph.Node) graph.Node { return x.Kron(taps) },
	"cross": func(x, at, _ graph.Node) graph.Node {
		return graph.Stack(1, x, at, x).Cross(graph.Stack(1, at, x, at), 1)
	},
	"median":       func(x, _, _ graph.Node) graph.Node { return x.Median(0) },
	"quantiles":    func(x, _, _ graph.Node) graph.Node { return x.Quantiles([]float64{0, 0.3, 0.5, 1}, 0, graph.KeepDims) },
	"lower":        quantilesBy("lower"),
	"higher":       quantilesBy("higher"),
	"midpoint":     quantilesBy("midpoint"),
	"nearest":      quantilesBy("nearest"),
	"inverted":     quantilesBy("inverted_cdf"),
	"averaged":     quantilesBy("averaged_inverted_cdf"),
	"closest":      quantilesBy("closest_observation"),
	"interpolated": quantilesBy("interpolated_inverted_cdf"),
	"hazen":        quantilesBy("hazen"),
	"weibull":      quantilesBy("weibull"),
	"unbiased":     quantilesBy("median_unbiased"),
	"normal":       quantilesBy("normal_unbiased"),
	"polyfit":      func(x, at, _ graph.Node) graph.Node { return at.PolyFit(x, 3) },
	"nan_quantile": func(x, _, _ graph.Node) graph.Node { return x.NanQuantile(0.3) },
	"nan_std":      func(x, _, _ graph.Node) graph.Node { return x.NanStd(graph.DDOF(1)) },
	"nan_to_num":   func(x, _, _ graph.Node) graph.Node { return x.NanToNum(1, nil, nil) },
}

// TestNumerics gives programs of symbolic sizes the same bits as those of fixed sizes.
func TestNumerics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 40).Draw(t, "n")
		data := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 {
			return rapid.SampledFrom([]float64{0, 1, -2, 3.5, math.NaN(), math.Inf(1), rapid.Float64Range(-9, 9).Draw(t, "number")}).Draw(t, "element")
		}), n, n).Draw(t, "x")
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(numerics))).Draw(t, "function")
		ins := []*graph.Tensor{graph.Of(data), graph.Arange(graph.Float64, 0, float64(n), 1), graph.Of([]float64{1, -2, .5, 3})}
		run := func(extent any) *graph.Tensor {
			x, at, taps := graph.Input("x", graph.Float64, extent), graph.Input("at", graph.Float64, extent), graph.Input("taps", graph.Float64, 4)
			p, err := graph.Compile(numerics[name](x, at, taps))
			require.NoError(t, err, name)
			var used []*graph.Tensor
			for _, in := range p.Inputs() {
				used = append(used, ins[map[string]int{"x": 0, "at": 1, "taps": 2}[in.Name]])
			}
			out, err := p.Run(t.Context(), used...)
			require.NoError(t, err, name)
			return out
		}
		fixed, symbolic := run(n), run(graph.Dim("n"))
		require.True(t, graph.Equal(fixed, symbolic), "%s\n%v\n%v", name, fixed, symbolic)
	})
}

func quantilesBy(method string) func(x, _, _ graph.Node) graph.Node {
	return func(x, _, _ graph.Node) graph.Node {
		return x.Quantiles([]float64{0, 0.05, 0.25, 0.5, 0.61, 1}, 0, graph.QuantileMethod(method))
	}
}

// TestPolyFit: polynomials are found again from their values, far from 0 too.
func TestPolyFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		degree := rapid.IntRange(0, 5).Draw(t, "degree")
		want := rapid.SliceOfN(rapid.Map(rapid.IntRange(-8, 8), func(v int) float64 { return float64(v) / 4 }), degree+1, degree+1).Draw(t, "coefficients")
		offset := rapid.SampledFrom([]float64{0, 3}).Draw(t, "offset")
		x := graph.Const(graph.Linspace(graph.Float64, offset-1, offset+1, rapid.IntRange(degree+1, 40).Draw(t, "n")))
		y := x.PolyVal(graph.Of(want))
		got, err := graph.Data[float64](run(t, x.PolyFit(graph.Stack(1, y, y.Neg()), degree)))
		require.NoError(t, err)
		for i, w := range want {
			require.InDelta(t, w, got[2*i], 1e-7)
			require.InDelta(t, -w, got[2*i+1], 1e-7)
		}
	})
}

// TestNumericMistakes lists the messages of arguments that do not fit.
func TestNumericMistakes(t *testing.T) {
	x, m, n := graph.Input("x", graph.Float32, 5), graph.Input("m", graph.Float32, 2, 4), graph.Input("n", graph.Float32, graph.Dim("n"))
	for want, y := range map[string]graph.Node{
		"diff: -1 differences of differences: give from 0 to 1024":                                                    x.Diff(0, -1),
		"gradient: 4 coordinates for the 5 elements of axis 0 of float32[5]":                                          x.Gradient(0, graph.Of([]float32{1, 2, 3, 4})),
		"gradient: axis 0 of float32[1] has 1 elements: 2 or more have differences":                                   x.Slice("0:1").Gradient(0, 1),
		"trapezoid: a spacing of shape [2,4]: give a number, or a vector of coordinates":                              x.Trapezoid(0, m),
		"interp: coordinates of shape [2,4] and values of shape [5]: give two vectors of one length":                  x.Interp(m, x),
		"interp: dtypes float32 and float64 differ: Cast one of them":                                                 x.Interp(graph.Of([]float64{1}), x),
		"cross: the vectors along axis 0 of float32[5] have 5 elements: cross products are of 3":                      x.Cross(x, 0),
		"convolve: arrays of shape [5] and [2,4]: give two vectors":                                                   x.Convolve(m, graph.OverlapFull),
		"convolve: vectors of 5 and 0 elements: each must have some":                                                  x.Convolve(x.Slice("0:0"), graph.OverlapFull),
		"convolve: taps: the extent of axis 0 of float32[n] is not known before the program runs":                     x.Convolve(n, graph.OverlapFull),
		"cross: axis 0 of float32[3] and of float32[3,2] are not the same when they broadcast: count it from the end": x.Slice(":3").Cross(graph.New(graph.Float32, 3, 2), 0),
		"polyfit: a degree of 33: give one from 0 to 32":                                                              x.PolyFit(x, 33),
		"polyfit: samples of shape [5] and values of shape [2,4]":                                                     x.PolyFit(m, 1),
		"nanquantile: a part of NaN: give one from 0 to 1":                                                            x.NanQuantile(math.NaN()),
		"isin: dtypes float32 and int32 differ: Cast one of them":                                                     x.IsIn(graph.Of([]int32{1})),
	} {
		require.ErrorContains(t, y.Err(), want)
	}
}
