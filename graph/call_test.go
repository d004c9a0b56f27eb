package graph_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/irtest"
)

// TestCall binds small and large programs, with captured tensors, temporaries and an output that is also an input, and
// runs them repeatedly.
func TestCall(t *testing.T) {
	ctx := context.Background()
	for _, rows := range []int{0, 1, 3, 3000} {
		data := slices.Repeat([]float32{1, 2, 3}, rows)
		x, w := graph.Of(data, rows, 3), graph.Of([]float32{4, 5, 6})
		in := graph.Input("x", graph.Float32, graph.Dim("n"), 3)
		p, err := graph.Compile(in.Add(w), in.Sub(in.Sum(1, graph.KeepDims)).Mul(w))
		require.NoError(t, err)
		outs := []*graph.Tensor{x, graph.Zeros(graph.Float32, rows, 3)}
		c, err := p.Bind(outs, x)
		require.NoError(t, err)
		for range 3 {
			before := slices.Clone(data) // the elements of x
			require.NoError(t, c.Run(ctx))
			want, err := p.RunAll(ctx, graph.Of(before, rows, 3))
			require.NoError(t, err)
			for i := range outs {
				require.Equal(t, want[i].String(), outs[i].String())
			}
		}
		require.Zero(t, irtest.Allocations(100, func() { _ = c.Run(ctx) }))
	}
}

func TestCallErrors(t *testing.T) {
	p, err := graph.Compile(graph.Input("x", graph.Float32, graph.Dim("n")).Exp())
	require.NoError(t, err)
	x, y := graph.Ones(graph.Float32, 5), graph.Zeros(graph.Float32, 5)
	for want, try := range map[string]func() (*graph.Call, error){
		"0 inputs given":        func() (*graph.Call, error) { return p.Bind([]*graph.Tensor{y}) },
		"0 outputs given":       func() (*graph.Call, error) { return p.Bind(nil, x) },
		"out0: want float32[5]": func() (*graph.Call, error) { return p.Bind([]*graph.Tensor{graph.Zeros(graph.Float32, 4)}, x) },
		"nil or zero":           func() (*graph.Call, error) { return p.Bind([]*graph.Tensor{nil}, x) },
		"there is no program":   func() (*graph.Call, error) { return (*graph.Program)(nil).Bind([]*graph.Tensor{y}, x) },
		"must be row-major":     func() (*graph.Call, error) { return p.Bind([]*graph.Tensor{y.Flip(0)}, x) },
		"the Call is nil":       func() (*graph.Call, error) { return nil, (*graph.Call)(nil).Run(context.Background()) },
		//lint:ignore SA1012 that is what is tested
		"the context is nil":   func() (*graph.Call, error) { c, _ := p.Bind([]*graph.Tensor{y}, x); return nil, c.Run(nil) },
		"context canceled":     cancelled(p, y, x),
		"want float32[n], got": func() (*graph.Call, error) { return p.Bind([]*graph.Tensor{y}, graph.Ones(graph.Uint8, 5)) },
	} {
		c, err := try()
		require.Nil(t, c, want)
		require.ErrorContains(t, err, want)
	}
}

func cancelled(p *graph.Program, y, x *graph.Tensor) func() (*graph.Call, error) {
	return func() (*graph.Call, error) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		c, err := p.Bind([]*graph.Tensor{y}, x)
		if err != nil {
			return nil, err
		}
		stopped := c.Run(ctx)
		if !errors.Is(stopped, context.Canceled) {
			return nil, stopped
		}
		if err := c.Run(context.Background()); err != nil { // it still works
			return nil, err
		}
		return nil, stopped
	}
}

// TestCallAtOnce runs one call from many goroutines: some are refused, and the others get the right result. Different
// calls of one program run concurrently.
func TestCallAtOnce(t *testing.T) {
	const n = 2000
	p, err := graph.Compile(graph.Input("x", graph.Float32, n).Mul(3))
	require.NoError(t, err)
	ctx := context.Background()
	shared := graph.Ones(graph.Float32, n)
	c, err := p.Bind([]*graph.Tensor{graph.Zeros(graph.Float32, n)}, shared)
	require.NoError(t, err)
	var g sync.WaitGroup
	for range 8 {
		g.Go(func() {
			v := rand.Float32()
			result := make([]float32, n)
			x, y := graph.Full(graph.Float32, v, n), graph.Of(result)
			own, err := p.Bind([]*graph.Tensor{y}, x)
			if err != nil {
				t.Error(err)
				return
			}
			for range 200 {
				if err := own.Run(ctx); err != nil || result[n-1] != 3*v {
					t.Error(err, result[n-1], v)
				}
				if err := c.Run(ctx); err != nil && !strings.Contains(err.Error(), "run: it is running already: each goroutine binds tensors of its own") {
					t.Error(err)
				}
			}
		})
	}
	g.Wait()
}
