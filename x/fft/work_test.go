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
