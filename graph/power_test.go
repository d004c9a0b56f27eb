package graph_test

import (
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
