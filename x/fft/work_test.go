package fft

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/fft/internal/kernel"
)

// TestEachEnds: after an error of one call the other workers begin no more.
func TestEachEnds(t *testing.T) {
	const n = 2000
	failed, broken := make(chan struct{}), errors.New("broken")
	var calls atomic.Int64
	err := each(context.Background(), 2, n, new(work[float64]), func(i int, _ *work[float64]) error {
		calls.Add(1)
		if i == 0 {
			close(failed)
			return broken
		}
		<-failed
		time.Sleep(time.Millisecond)
		return nil
	})
	require.ErrorIs(t, err, broken)
	require.Less(t, calls.Load(), int64(n/2))
}

// TestPlansAreKeptOnce: a plan that goroutines need at once is kept once.
func TestPlansAreKeptOnce(t *testing.T) {
	for range 20 {
		var all plans[float64]
		begin := make(chan struct{})
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				<-begin
				_, err := all.of(5040)
				assert.NoError(t, err)
			})
		}
		close(begin)
		wg.Wait()
		require.Len(t, all.kept, 1)
	}
}

// TestLargePlansAreNotKept: a plan whose tables pass the bound is returned only.
func TestLargePlansAreNotKept(t *testing.T) {
	var all plans[float32]
	_, err := all.of(100)
	require.NoError(t, err)
	p, err := all.of(mostKept)
	require.NoError(t, err)
	require.Equal(t, mostKept, p.n)
	require.Len(t, all.kept, 1)
	require.Equal(t, 100, all.kept[0].n)
}

// TestIdleMemory: a worker keeps no memory of long lines.
func TestIdleMemory(t *testing.T) {
	ctx, w := context.Background(), new(work[float64])
	for _, n := range []int{100_003, 531_441, 1 << 18} { // a prime, a matrix with odd rows, and one with whole vectors
		p, err := newPlan[float64](n, kernel.Of[float64])
		require.NoError(t, err)
		z, numbers := make([]float64, 4*n), make([]float64, 2*n+2)
		l := lines[float64]{dst: z[:2*n], src: numbers, dstStep: 2 * n, srcStep: 2*n + 2, outer: 1, inner: 1, n: n, inverse: true, scale: 1, real: p.mirror()}
		require.NoError(t, p.whole(ctx, l, 0, w, 1))
		l = lines[float64]{dst: z, src: z, dstStep: 4 * n, srcStep: 4 * n, outer: 1, inner: 2, n: n, scale: 1}
		require.NoError(t, p.apart(ctx, l, 0, 0, 2, w))
	}
	x := graph.New(graph.Float64, 1<<19)
	_, err := Convolve(ctx, x, graph.New(graph.Float64, 1<<10), ConvolveOptions{Method: Transform})
	require.NoError(t, err)
	own := getWork[float64]()
	for _, w := range []*work[float64]{w, own} {
		for _, r := range []room[float64]{w.a, w.b, w.columns, w.middle, w.line, w.apart, w.chirp, w.joined, w.block} {
			require.LessOrEqual(t, len(r), mostIdle)
		}
	}
	own.put()
}

// TestSpans: all elements are in one span, and rows in one segment each.
func TestSpans(t *testing.T) {
	for _, n := range []int{0, 1, mostCalled, mostCalled + 1, 5*mostCalled + 3} {
		seen := make([]int32, n)
		err := spans(context.Background(), 3, n, new(work[float64]), func(begin, end int, _ *work[float64]) {
			assert.LessOrEqual(t, end-begin, mostCalled)
			segments(begin, end, 7, func(row, column, count int) {
				assert.LessOrEqual(t, column+count, 7)
				for i := range count {
					seen[7*row+column+i]++
				}
			})
		})
		require.NoError(t, err)
		for _, count := range seen {
			require.Equal(t, int32(1), count)
		}
	}
}
