package fft

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/fft/internal/kernel"
)

// ending is a context that ends after some calls of Err.
type ending struct {
	context.Context
	left atomic.Int64
}

func (e *ending) Err() error {
	if e.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func endingAfter(calls int64) *ending {
	e := &ending{Context: context.Background()}
	e.left.Store(calls)
	return e
}

// TestDirectEnds: one sum of very many products ends with its context.
func TestDirectEnds(t *testing.T) {
	const m = 1_000_000
	x, taps := graph.Ones(graph.Float64, m), graph.Ones(graph.Float64, m)
	_, err := Convolve(endingAfter(m/mostCalled+10), x, taps, ConvolveOptions{Overlap: graph.OverlapValid, Method: Direct})
	require.ErrorIs(t, err, context.Canceled)
}

// TestDirectParts: the bits of sums of many products are those of one multiplication and addition after the other.
func TestDirectParts(t *testing.T) {
	const n, m = 17_037, 17_000
	x, taps := graph.Normal(graph.Float64, 1, 0, 1, n), graph.Normal(graph.Float64, 2, 0, 1, m)
	y, err := Convolve(context.Background(), x, taps, ConvolveOptions{Method: Direct})
	require.NoError(t, err)
	xs, _ := graph.Data[float64](x)
	by, _ := graph.Data[float64](taps)
	got, _ := graph.Data[float64](y)
	for i := 0; i < len(got); i += 53 {
		sum := 0.0
		for j := max(0, i-m+1); j <= min(i, n-1); j++ {
			sum = math.FMA(xs[j], by[i-j], sum)
		}
		require.Equal(t, sum, got[i], i)
	}
}

// TestRealEnds: an ended context stops real lines before the first one is copied.
func TestRealEnds(t *testing.T) {
	const n, inner = 100, 1000
	for _, n := range []int{n, n + 1} {
		numbers := make([]float64, (n/2+1)*inner*2)
		reals := make([]float64, n*inner)
		for i := range reals {
			reals[i] = 1
		}
		require.ErrorIs(t, realLines[float64]{reals, numbers, 1, n, inner, 1}.forward(endingAfter(0)), context.Canceled)
		require.False(t, slices.Contains(numbers, 1))
	}
}

// TestCallsAreShort: kernels get at most mostCalled numbers where rows have fewer, and not before each page of a new result
// was written to.
func TestCallsAreShort(t *testing.T) {
	const n = 1 << 18
	dst, src := make([]float64, 2*(n+1)), make([]float64, 2*n)
	for i := range dst {
		dst[i] = 1
	}
	var first sync.Once
	find := func(radix int, form kernel.Form) func(*kernel.Frame) {
		f := kernel.Of[float64](radix, form)
		return func(frame *kernel.Frame) {
			first.Do(func() {
				for at := 0; at+512 <= len(dst); at += 512 {
					assert.True(t, slices.Contains(dst[at:at+512], 0))
				}
			})
			numbers := frame.Rows * frame.Cols * max(1, radix)
			switch form {
			case kernel.Divide, kernel.Join:
				numbers *= 2
			case kernel.Turned, kernel.TurnedTwice:
				numbers *= kernel.Lanes[float64]()
			}
			assert.LessOrEqual(t, numbers, mostCalled, "radix %d form %d", radix, form)
			f(frame)
		}
	}
	p, err := newPlan[float64](n, find)
	require.NoError(t, err)
	l := lines[float64]{dst: dst, src: src, dstStep: 2 * (n + 1), srcStep: 2 * n, outer: 1, inner: 1, n: n, scale: 1, real: p.mirror()}
	ctx := context.Background()
	require.NoError(t, p.transform(ctx, l))
	l = lines[float64]{dst: src, src: dst, dstStep: 2 * n, srcStep: 2 * (n + 1), outer: 1, inner: 1, n: n, scale: 1, inverse: true, real: p.mirror()}
	require.NoError(t, p.transform(ctx, l))
}
