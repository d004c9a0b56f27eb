package graph_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
)

// TestMethodsRoundOnce asserts for each method that Float16, BFloat16 and Fixed16x16 are computed as a whole in their
// wide type and rounded once, so that no intermediate has few bits. Exceptions: QuantizeDynamic returns a scale of x's
// type and divides by it; FMA and HardSigmoid round the exact result once, where Float32
// would round twice; NextAfter is of the type's own numbers. Prod
// multiplies in Float64, so that is the wide type of its reference: Float32's product is already rounded.
func TestMethodsRoundOnce(t *testing.T) {
	for _, dt := range []graph.DType{graph.Float16, graph.BFloat16, graph.Fixed16x16} {
		x := graph.Input("x", graph.Float32, 4, 4, 4, 4).Cast(dt)
		var compared graph.Nodes
		var names []string
		for _, c := range calls(t) {
			y := c.of(x)
			if c.name == "FMA" || c.name == "HardSigmoid" || c.name == "NextAfter" {
				continue
			}
			if y.Err() != nil || y.DType() != dt && c.name != "Quantize" {
				continue
			}
			wide := dt.Compute()
			if c.name == "Prod" {
				wide = graph.Float64
			}
			want := c.of(x.Cast(wide)).Cast(y.DType())
			same := y.Eq(want).Or(y.Ne(y).And(want.Ne(want)))
			compared, names = append(compared, same.All()), append(names, c.name)
		}
		require.Greater(t, len(names), 100)
		p, err := graph.Compile(compared)
		require.NoError(t, err)
		rapid.Check(t, func(t *rapid.T) {
			largest := rapid.SampledFrom([]float64{0.25, 2, 300, 30_000}).Draw(t, "largest")
			in := graph.Uniform(graph.Float32, rapid.Uint64().Draw(t, "seed"), -largest/16, largest, 4, 4, 4, 4)
			outs, err := p.RunAll(t.Context(), in)
			require.NoError(t, err)
			for i, out := range outs {
				same, err := graph.At[bool](out)
				require.NoError(t, err)
				require.True(t, same, "%s of %v", names[i], dt)
			}
		})
	}
}

// TestProdRoundsOnce: 255*255*27*19 = 33,357,825 is just above the middle of the BFloat16s 254<<17 and 255<<17. Float32
// rounds it to the middle, which BFloat16 would round down to even.
func TestProdRoundsOnce(t *testing.T) {
	x := graph.Const(graph.Of([]float32{255, 255, 27, 19}))
	at := func(x graph.Node) float32 {
		v, err := graph.At[float32](run(t, x.Cast(graph.Float32)))
		require.NoError(t, err)
		return v
	}
	require.EqualValues(t, 33_357_824, at(x.Prod()))
	require.EqualValues(t, 254<<17, at(x.Prod().Cast(graph.BFloat16)))
	require.EqualValues(t, 255<<17, at(x.Cast(graph.BFloat16).Prod()))
}

// TestStatisticsOfFewBits compares statistics of Float16 and BFloat16 with those of Float64: a result must be the
// rounding of some number within Float32's error of the exact one. For Fixed16x16 they are Float64's, rounded once.
func TestStatisticsOfFewBits(t *testing.T) {
	statistics := map[string]float64{ // besides the result, errors are relative to this power of the greatest element
		"Mean": 1, "WeightedMean": 1, "Var": 2, "Std": 1, "Cov": 2, "Corr": 0, "SumSquares": 2, "Norm1": 1, "Norm2": 1, "LogSumExp": 1, "Softmax": 0,
		"LogSoftmax": 1, "L2Normalize": 0, "Median": 1, "NanMean": 1, "AvgPool": 1, "LpPool": 1, "GlobalAvgPool": 1, "Sum": 1, "Prod": 0,
	}
	for _, dt := range []graph.DType{graph.Float16, graph.BFloat16, graph.Fixed16x16} {
		x, largest := graph.Input("x", graph.Float32, 4, 4, 4, 4).Cast(dt), graph.Input("largest", graph.Float64)
		var compared graph.Nodes
		var names []string
		for _, c := range calls(t) {
			power, ok := statistics[c.name]
			if !ok {
				continue
			}
			want, slack := c.of(x.Cast(graph.Float64)), 0.0
			if dt != graph.Fixed16x16 {
				slack = 0x1p-18
			}
			bound := want.Abs().Add(largest.Pow(power)).Mul(slack)
			y := c.of(x)
			near := y.Ge(want.Sub(bound).Cast(dt)).And(y.Le(want.Add(bound).Cast(dt)))
			compared, names = append(compared, near.Or(want.IsFinite().Not()).All()), append(names, c.name)
		}
		require.Len(t, names, len(statistics))
		p, err := graph.Compile(compared)
		require.NoError(t, err)
		rapid.Check(t, func(t *rapid.T) {
			largest := rapid.SampledFrom([]float64{2, 300, 30_000}).Draw(t, "largest")
			in := graph.Uniform(graph.Float32, rapid.Uint64().Draw(t, "seed"), largest/64, largest, 4, 4, 4, 4)
			outs, err := p.RunAll(t.Context(), in, graph.ScalarOf(largest))
			require.NoError(t, err)
			for i, out := range outs {
				near, err := graph.At[bool](out)
				require.NoError(t, err)
				require.True(t, near, "%s of %v", names[i], dt)
			}
		})
	}
}

// TestTotalsOfBytes: squares and magnitudes of short integers have the type of their sums.
func TestTotalsOfBytes(t *testing.T) {
	x := graph.Const(graph.Of([]int8{-128, 127, -128}))
	require.Equal(t, "int64[] 48897", run(t, x.SumSquares()).String())
	require.Equal(t, "int64[] 383", run(t, x.Norm1()).String())
	require.Equal(t, "int32[1] [383]", strings.ReplaceAll(run(t, x.Norm1(graph.KeepDims, graph.InType(graph.Int32))).String(), "\n", " "))
	require.Equal(t, "uint64[] 130050", run(t, graph.Const(graph.Of([]uint8{255, 255})).SumSquares()).String())
}
