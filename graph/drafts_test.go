package graph_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestProgramsShareDrafts compiles formulas that differ only in constants and inputs, by several goroutines at once.
// Programs of a separate executor, which share nothing, compute the same.
func TestProgramsShareDrafts(t *testing.T) {
	const programs = 12
	results := func(own ...graph.Item) [programs][]*graph.Tensor {
		var outs [programs][]*graph.Tensor
		var errs [programs]error
		var all sync.WaitGroup
		for i := range programs {
			all.Go(func() {
				c := float64(i % 5)
				x, w := f32("x", 32, 64), f32("w", 64, 64)
				y := x.Mul(c).Add(2).Softmax(1).MatMul(w).Add(c).Maximum(1 + c)
				z := x.T().Sub(c).Tanh().Mul(x.T()).Sum(0)
				p, err := graph.Compile(append([]graph.Item{y, z}, own...)...)
				if errs[i] = err; err == nil {
					outs[i], errs[i] = p.RunAll(context.Background(), graph.Ones(graph.Float32, 32, 64), graph.Ones(graph.Float32, 64, 64))
				}
			})
		}
		all.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
		return outs
	}
	want, got := results(graph.WithWorkers(2)), results()
	for i := range want {
		for k := range want[i] {
			require.Equal(t, want[i][k].String(), got[i][k].String())
		}
	}
}
