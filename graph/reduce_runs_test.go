package graph_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestOneProgramManyRuns runs one program from many goroutines at once, on inputs that are views of each other.
func TestOneProgramManyRuns(t *testing.T) {
	n := graph.Dim("n")
	x, y := f32("x", n, n), f32("y", n, n)
	ys := graph.Nodes{x.Softmax(1).Add(y.CumSum(0)), x.Sub(y).Square().Sum(), y.Standardize(1e-3, 0), x.ArgMax(1)}
	p, err := graph.Compile(ys, graph.WithWorkers(3), graph.ChunkElems(100))
	require.NoError(t, err)
	var wait sync.WaitGroup
	for k := range 8 {
		side := 30 + k%3*20
		data := graph.Normal(graph.Float32, uint64(k), 0, 1, side, side)
		a, b := data, []*graph.Tensor{data.T(), data, data.Flip(0), data.Slice("0").Expand(side, side)}[k%4]
		want := everyWay(t, ys, a, b)
		wait.Go(func() {
			for range 20 {
				outs, err := p.RunAll(context.Background(), a, b)
				if err != nil {
					t.Error(err)
					return
				}
				for i, out := range outs {
					for j, v := range elements(t, out) {
						if v != want[i][j] {
							t.Errorf("run %d, output %d, element %d: %x, not %x", k, i, j, v, want[i][j])
							return
						}
					}
				}
			}
		})
	}
	wait.Wait()
}

// TestEveryNumberOfWorkers: 1 to 8 workers give the same bits.
func TestEveryNumberOfWorkers(t *testing.T) {
	x := f32("x", 40, 1500)
	in := graph.Normal(graph.Float32, 1, 0, 1, 1500, 40).T()
	var first [][]uint64
	for n := 1; n <= 8; n++ {
		p, err := graph.Compile(graph.WithWorkers(n), graph.ChunkElems(700/n), x.Sum(), x.Sum(0), x.Sum(1), x.Softmax(1), x.Standardize(1e-3, 0), x.CumSum(1), x.CumSum(0), x.ArgMin())
		require.NoError(t, err)
		outs, err := p.RunAll(context.Background(), in)
		require.NoError(t, err)
		for i, out := range outs {
			if n == 1 {
				first = append(first, elements(t, out))
			}
			require.Equal(t, first[i], elements(t, out), "output %d of %d workers", i, n)
		}
	}
}

// TestCancelReduction: a run of a second ends soon after its context.
func TestCancelReduction(t *testing.T) {
	x := f32("x", 1)
	for name, y := range map[string]graph.Node{
		"sum":  x.Expand(1 << 30).Sin().Sum(),
		"rows": x.Expand(1<<20, 1<<10).Sin().LogSumExp(1).Max(),
		"down": x.Expand(1<<20, 1<<10).Sin().Sum(0),
		"args": x.Expand(1<<20, 1<<10).Sin().ArgMax(1).Min(),
	} {
		p, err := graph.Compile(y)
		if err != nil {
			t.Fatal(name, err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		_, err = p.Run(ctx, graph.Ones(graph.Float32, 1))
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded, name)
	}
}

// TestReduceIntoItsInput: an output overlaps the reduced input.
func TestReduceIntoItsInput(t *testing.T) {
	x := f32("x", 6, 50)
	p, err := graph.Compile(x.Softmax(1), x.Sum(1), x.CumSum(0))
	require.NoError(t, err)
	fresh := func() *graph.Tensor { return graph.Normal(graph.Float32, 1, 0, 1, 6, 50) }
	want, err := p.RunAll(context.Background(), fresh())
	require.NoError(t, err)
	in := fresh()
	require.NoError(t, p.RunInto(context.Background(), []*graph.Tensor{in, graph.New(graph.Float32, 6), graph.New(graph.Float32, 6, 50)}, in))
	require.Equal(t, elements(t, want[0]), elements(t, in))
	in = fresh()
	into := in.Slice("0, :6")
	require.NoError(t, p.RunInto(context.Background(), []*graph.Tensor{graph.New(graph.Float32, 6, 50), into, graph.New(graph.Float32, 6, 50)}, in))
	require.Equal(t, elements(t, want[1]), elements(t, into))
	in = fresh()
	require.NoError(t, p.RunInto(context.Background(), []*graph.Tensor{graph.New(graph.Float32, 6, 50), graph.New(graph.Float32, 6), in}, in))
	require.Equal(t, elements(t, want[2]), elements(t, in))
}
