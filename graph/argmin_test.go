package graph_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestArgMinOfEqualElements: zeros are equal, NaNs come before all other elements, and LastIndex takes the last of
// equal ones.
func TestArgMinOfEqualElements(t *testing.T) {
	nan, minus := math.NaN(), math.Copysign(0, -1)
	x := graph.Input("x", graph.Float64, graph.Dim("n"))
	p, err := graph.Compile(x.ArgMin(0), x.ArgMin(0, graph.LastIndex), x.ArgMax(), x.ArgMax(graph.LastIndex))
	require.NoError(t, err)
	for _, c := range []struct {
		x    []float64
		want [4]int64
	}{
		{[]float64{2, 1, 3, 1, 3}, [4]int64{1, 3, 2, 4}},
		{[]float64{0, minus, 0}, [4]int64{0, 2, 0, 2}},
		{[]float64{minus, 0, -1}, [4]int64{2, 2, 0, 1}},
		{[]float64{5, nan, 1, nan, 9}, [4]int64{1, 3, 1, 3}},
		{[]float64{math.Inf(1), math.Inf(-1)}, [4]int64{1, 1, 0, 0}},
	} {
		ys, err := p.RunAll(context.Background(), graph.Of(c.x))
		require.NoError(t, err)
		for i, y := range ys {
			index, err := graph.Data[int64](y)
			require.NoError(t, err)
			require.Equal(t, c.want[i:i+1], index, "%v, result %d", c.x, i)
		}
	}
}

func TestArgMinOfLongLines(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("an int of 32 bits cannot be the length of a line that is too long")
	}
	for elems, ok := range map[int64]bool{1 << 31: true, 1<<31 + 1: false} {
		x := graph.Input("x", graph.Uint8, int(elems))
		if ok {
			require.NoError(t, x.ArgMax().Err())
			continue
		}
		require.ErrorContains(t, x.ArgMax().Err(), "argmax: a line of 2147483649 elements: it takes at most 2147483648")
		require.ErrorContains(t, x.Reshape(1, -1).ArgMin(1).Err(), "argmin: a line of")
	}
}
