package graph_test

import (
	"context"
	goruntime "runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// Assembly can't be interrupted, so no call of it is long, and between calls Go's
// runtime can stop the world. A program whose loops had no such point would hold it
// up until its end, for seconds: the bound is far from both, so that a busy machine
// does not matter.
func TestLongProgramsLetTheWorldStop(t *testing.T) {
	n := 1200
	x := f32("x", n, n)
	chain := x
	for range 40 {
		chain = chain.Tanh()
	}
	p, err := graph.Compile(x.MatMul(x), x.Softmax(1), x.CumSum(0), x.CumSum(1), x.Sum(), x.T().ArgMax(1), chain)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var busy sync.WaitGroup
	for range goruntime.GOMAXPROCS(0) + 1 {
		busy.Go(func() {
			for ctx.Err() == nil {
				if _, err := p.RunAll(ctx, graph.Ones(graph.Float32, n, n)); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	longest := time.Duration(0)
	var stats goruntime.MemStats
	for begin := time.Now(); time.Since(begin) < time.Second; {
		at := time.Now()
		goruntime.ReadMemStats(&stats) // stops the world
		longest = max(longest, time.Since(at))
	}
	cancel()
	busy.Wait()
	t.Logf("the longest stop took %v", longest)
	require.Less(t, longest, 2*time.Second)
}
