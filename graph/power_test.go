package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph"
)

// TestPowersOfIntegers checks powers against repeated products, which wrap.
func TestPowersOfIntegers(t *testing.T) {
	bases := []int32{0, 1, -1, 2, -3, 7, 46341, -2147483648, 2147483647}
	exponents := []int32{0, 1, 2, 3, 5, 31, 32, 63, 1000, 2147483647, -1, -2, -2147483648}
	x := graph.Input("x", graph.Int32, graph.Dim("n"), 1)
	y := graph.Input("y", graph.Int32, graph.Dim("m"))
	out := everyWay(t, graph.Nodes{x.Pow(y)}, graph.Of(bases, len(bases), 1), graph.Of(exponents))
	power := func(b, k int32) int32 {
		switch {
		case k < 0 && (b == 1 || b == -1):
			k &= 1
		case k < 0:
			return 0
		}
		r := int32(1)
		for bit := 30; bit >= 0; bit-- {
			r *= r
			if k>>bit&1 != 0 {
				r *= b
			}
		}
		return r
	}
	for i, b := range bases {
		for j, k := range exponents {
			require.Equal(t, power(b, k), int32(out[0][i*len(exponents)+j]), "%d to the power %d", b, k)
			if k > 0 { // x to the power 0 needs no x
				p, err := graph.Compile(graph.Input("x", graph.Int32).Pow(k))
				require.NoError(t, err)
				one, err := p.Run(t.Context(), graph.ScalarOf(b))
				require.NoError(t, err)
				require.True(t, graph.Equal(graph.ScalarOf(power(b, k)), one), "%d to the power of the number %d", b, k)
			}
		}
	}
	u := graph.Input("u", graph.Uint8, 3)
	bytes := everyWay(t, graph.Nodes{u.Pow(u), u.Pow(3)}, graph.Of([]uint8{3, 200, 255}))
	require.Equal(t, [][]uint64{{27, 0, 255}, {27, 0, 255}}, bytes)
	require.ErrorContains(t, x.Pow(-1).Err(), "pow: the power -1 of integers: Cast to a float type")
	require.ErrorContains(t, x.Pow(graph.Input("f", graph.Float32)).Err(), "pow: operands are int32 and float32")
	require.ErrorContains(t, x.Pow(0.5).Err(), "0.5 is not an integer")
}

// TestPowersByProducts compares powers by a number with those by computed exponents: they are adjacent numbers or equal, and the
// special cases are the same.
func TestPowersByProducts(t *testing.T) {
	inf := math.Inf(1)
	for d, spacing := range map[graph.DType]struct{ relative, least float64 }{
		graph.Float32: {0x1p-23, 0x1p-149}, graph.Float64: {0x1p-52, 0x1p-1074}, graph.Float16: {0x1p-10, 0x1p-24}, graph.BFloat16: {0x1p-7, 0x1p-133},
	} {
		r := rand.New(rand.NewPCG(1, 2))
		values := []float64{0, math.Copysign(0, -1), 1, -1, inf, -inf, math.NaN(), 1e-45, -1e-45, 1e-38, 3e38, -3e38, 0.5, 2, -3}
		for range 500 {
			values = append(values, r.NormFloat64()*math.Exp(20*r.NormFloat64()))
		}
		x := graph.Input("x", graph.Float64, len(values)).Cast(d)
		var powers []float64
		var numbers, computed graph.Nodes
		for y := -16.5; y <= 16.5; y += 0.5 {
			powers = append(powers, y)
			numbers = append(numbers, x.Pow(y).Cast(graph.Float64))
			computed = append(computed, x.Pow(graph.Iota(d, 1).Add(y)).Cast(graph.Float64))
		}
		out := everyWay(t, append(numbers, computed...), graph.Of(values))
		for i, y := range powers {
			for j, v := range values {
				got, want := math.Float64frombits(out[i][j]), math.Float64frombits(out[len(powers)+i][j])
				if want == 0 || want-want != 0 {
					require.Equal(t, out[len(powers)+i][j], out[i][j], "%s: %v to the power %v is %v, want %v", d, v, y, got, want)
					continue
				}
				require.InDelta(t, want, got, max(spacing.least, spacing.relative*math.Abs(want)), "%s: %v to the power %v", d, v, y)
			}
		}
	}
	x := graph.Input("x", graph.Float32, 3)
	for _, y := range []any{2, -0.5, -7, graph.Scalar(graph.Float32, 3), graph.Scalar(graph.Int64, 2).Cast(graph.Float32), graph.Fill(graph.Float32, 0.5, 1)} {
		p, err := graph.Compile(x.Pow(y))
		require.NoError(t, err)
		require.NotContains(t, p.Explain(), "= pow")
	}
	y := x.Unsqueeze(-1).Pow(graph.Fill(graph.Float32, 2, 1, 4))
	require.NoError(t, y.Err())
	require.Equal(t, "[3,4]", fmt.Sprint(y.Shape()), "an exponent that repeats x")
}
