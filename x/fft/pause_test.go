package fft

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestDirectEnds: a direct convolution with very many taps ends soon after its context does.
func TestDirectEnds(t *testing.T) {
	const m = 5_000_000
	x, taps := graph.Ones(graph.Float64, m+500), graph.Ones(graph.Float64, m)
	ctx, cancel := context.WithCancel(context.Background())
	var cancelled time.Time
	time.AfterFunc(10*time.Millisecond, func() {
		cancelled = time.Now()
		cancel()
	})
	_, err := Convolve(ctx, x, taps, ConvolveOptions{Overlap: graph.OverlapValid, Method: Direct})
	late := time.Since(cancelled)
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, late, 100*time.Millisecond)
}

// TestDirectParts: the bits of sums of many taps are those of one multiplication and addition after the other.
func TestDirectParts(t *testing.T) {
	const m, count = 40_000, 37
	x, taps := graph.Normal(graph.Float64, 1, 0, 1, m+count-1), graph.Normal(graph.Float64, 2, 0, 1, m)
	y, err := Convolve(context.Background(), x, taps, ConvolveOptions{Overlap: graph.OverlapValid, Method: Direct})
	require.NoError(t, err)
	xs, _ := graph.Data[float64](x)
	by, _ := graph.Data[float64](taps)
	got, _ := graph.Data[float64](y)
	for i, v := range got {
		sum := 0.0
		for k := range by {
			sum = math.FMA(xs[i+k], by[m-1-k], sum)
		}
		require.Equal(t, sum, v, i)
	}
}
