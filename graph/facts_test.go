package graph_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestLimits: the limits are those that Go's constants have, and those of NumPy's finfo for the other types.
func TestLimits(t *testing.T) {
	type ints struct {
		bits     int
		least    int64
		greatest uint64
	}
	for dt, want := range map[graph.DType]ints{
		graph.Int8: {8, math.MinInt8, math.MaxInt8}, graph.Int16: {16, math.MinInt16, math.MaxInt16}, graph.Int32: {32, math.MinInt32, math.MaxInt32},
		graph.Int64: {64, math.MinInt64, math.MaxInt64}, graph.Uint8: {8, 0, math.MaxUint8}, graph.Uint16: {16, 0, math.MaxUint16},
		graph.Uint32: {32, 0, math.MaxUint32}, graph.Uint64: {64, 0, math.MaxUint64}, graph.Int4: {4, -8, 7}, graph.Uint2: {2, 0, 3},
	} {
		got, ok := dt.IntLimits()
		require.True(t, ok)
		require.Equal(t, want, ints{got.Bits, got.Least, got.Greatest}, dt.String())
	}
	type floats struct {
		bits                                             int
		greatest, epsilon, smallestNormal, leastPositive float64
	}
	for dt, want := range map[graph.DType]floats{
		graph.Float16: {16, 65504, 0x1p-10, 0x1p-14, 0x1p-24}, graph.BFloat16: {16, 0x1.fep127, 0x1p-7, 0x1p-126, 0x1p-133},
		graph.Float32: {32, math.MaxFloat32, 0x1p-23, 0x1p-126, math.SmallestNonzeroFloat32},
		graph.Float64: {64, math.MaxFloat64, 0x1p-52, 0x1p-1022, math.SmallestNonzeroFloat64},
	} {
		got, ok := dt.FloatLimits()
		require.True(t, ok)
		require.Equal(t, want, floats{got.Bits, got.Greatest, got.Epsilon, got.SmallestNormal, got.SmallestSubnormal}, dt.String())
	}
	_, ok := graph.Bool.IntLimits()
	require.False(t, ok)
	_, ok = graph.Int8.FloatLimits()
	require.False(t, ok)
}

// TestResultType: promotion commutes, is associative but for the pairs that NumPy also has, and follows the standard's table.
func TestResultType(t *testing.T) {
	types := append(graph.Bools.List(), append(graph.Integers.List(), graph.Floats.List()...)...)
	for _, a := range types {
		require.True(t, graph.CanCast(a, a))
		for _, b := range types {
			ab, err := graph.ResultType(a, b)
			require.NoError(t, err)
			ba, err := graph.ResultType(b, a)
			require.NoError(t, err)
			require.Equal(t, ab, ba)
			require.Equal(t, ab == b, graph.CanCast(a, b))
			aab, err := graph.ResultType(a, a, b)
			require.NoError(t, err)
			require.Equal(t, ab, aab)
			if wide := max(a.Size(), b.Size()); graph.SignedIntegers.Has(a) && graph.SignedIntegers.Has(b) || graph.UnsignedIntegers.Has(a) && graph.UnsignedIntegers.Has(b) {
				require.Equal(t, wide, ab.Size())
			}
		}
	}
	for _, c := range [][3]graph.DType{
		{graph.Int8, graph.Uint8, graph.Int16}, {graph.Uint16, graph.Int8, graph.Int32}, {graph.Int64, graph.Uint32, graph.Int64}, {graph.Int32, graph.Uint32, graph.Int64},
		{graph.Uint64, graph.Int8, graph.Float64}, {graph.Float32, graph.Float64, graph.Float64}, {graph.Bool, graph.Int16, graph.Int16}, {graph.Int32, graph.Float32, graph.Float64},
	} {
		got, err := graph.ResultType(c[0], c[1])
		require.NoError(t, err)
		require.Equal(t, c[2], got, "%s and %s", c[0], c[1])
	}
	_, err := graph.ResultType(graph.Float8E5M2, graph.Float32)
	require.ErrorContains(t, err, "no type holds the elements of float8e5m2 and float32")
}

// TestResultTypeHolds: extremes of either type keep their value in the result type, for all pairs.
func TestResultTypeHolds(t *testing.T) {
	extremes := func(dt graph.DType) []float64 {
		if l, ok := dt.IntLimits(); ok {
			return []float64{float64(l.Least), float64(l.Greatest)}
		}
		if l, ok := dt.FloatLimits(); ok {
			return []float64{l.Greatest, -l.Greatest, l.SmallestSubnormal, 1 + l.Epsilon, math.Inf(1), math.Inf(-1), math.NaN()}
		}
		if dt == graph.Fixed16x16 {
			return []float64{-1 << 15, 1<<15 - 0x1p-16, 0x1p-16}
		}
		return []float64{0, 1} // bools
	}
	types := append(graph.Bools.List(), graph.Numeric.List()...)
	for _, from := range types {
		x := graph.Const(graph.Of(extremes(from))).Cast(from)
		var kept graph.Nodes
		for _, with := range types {
			to, err := graph.ResultType(from, with)
			require.NoError(t, err)
			back, err := graph.ResultType(with, from)
			require.NoError(t, err)
			require.Equal(t, to, back)
			kept = append(kept, x.Cast(to).Cast(graph.Float64))
		}
		want := run(t, x.Cast(graph.Float64)).String()
		for i, with := range types {
			require.Equal(t, want, run(t, kept[i]).String(), "%s with %s", from, with)
		}
	}
}

// TestInitial: the results of a scan follow that of no elements.
func TestInitial(t *testing.T) {
	x := graph.Const(graph.Of([]float32{1, 2, 4}))
	for _, c := range []struct {
		y    graph.Node
		want string
	}{
		{x.CumSum(0, graph.Initial), "float32[4] [0. 1. 3. 7.]"},
		{x.CumSum(0, graph.Initial, graph.Reverse), "float32[4] [7. 6. 4. 0.]"},
		{x.CumProd(-1, graph.Initial), "float32[4] [1. 1. 2. 8.]"},
		{x.Reshape(3, 1).CumSum(1, graph.Initial), "float32[3,2] [[0. 1.] [0. 2.] [0. 4.]]"},
		{x.SliceAxis(0, 0, 0, 1).CumProd(0, graph.Initial), "float32[1] [1.]"},
	} {
		require.Equal(t, c.want, strings.Join(strings.Fields(run(t, c.y).String()), " "))
	}
	require.ErrorContains(t, x.CumSum(0, graph.Initial, graph.Exclusive).Err(), "cumsum: with Exclusive the total is left out")
}

// TestLogAddExp: no overflow, infinities of both signs, and NaN.
func TestLogAddExp(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	a, b := graph.Of([]float64{0, 1000, -1000, inf, -inf, -inf, inf, nan, 3}), graph.Of([]float64{0, 1000, -1001, inf, -inf, 2, -inf, 1, nan})
	got, err := graph.Data[float64](run(t, graph.Const(a).LogAddExp(b)))
	require.NoError(t, err)
	want := []float64{math.Ln2, 1000 + math.Ln2, -1000 + math.Log1p(math.Exp(-1)), inf, -inf, 2, inf, nan, nan}
	for i, w := range want {
		if w != w || math.IsInf(w, 0) {
			require.True(t, w == got[i] || w != w && got[i] != got[i], "%d: %v, want %v", i, got[i], w)
			continue
		}
		require.InEpsilon(t, w, got[i], 1e-15)
	}
}
