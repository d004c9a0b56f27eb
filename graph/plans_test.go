package graph_test

import (
	"math"
	"math/rand/v2"
	goruntime "runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/irtest"
)

// TestSizesInTurns: runs of known sizes allocate nothing, in any order.
func TestSizesInTurns(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	p, ins, outs := network(t)
	ins, outs = ins[:40], outs[:40]
	order := rand.New(rand.NewPCG(1, 2))
	run := func() {
		for range 100 {
			i := order.IntN(len(ins))
			if err := p.RunInto(t.Context(), outs[i], ins[i]...); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range ins {
		require.NoError(t, p.RunInto(t.Context(), outs[i], ins[i]...))
	}
	require.Zero(t, irtest.Allocations(20, run))
	require.Equal(t, graph.PlanStats{Made: 40, Kept: 40}, p.Plans())
}

// TestPlansAreKept checks the counters, the limit, and that prepared plans are not made again.
func TestPlansAreKept(t *testing.T) {
	x := graph.Input("x", graph.Int32, graph.Dim("n"), graph.Dim("m"))
	y := graph.Input("y", graph.Int32, graph.Dim("n/2"))
	p, err := graph.Compile(x.Sum().Add(y), graph.WithPlans(3))
	require.NoError(t, err)
	run := func(n, m int) {
		out, err := p.Run(t.Context(), graph.Ones(graph.Int32, n, m), graph.Zeros(graph.Int32, n/2))
		require.NoError(t, err)
		require.True(t, graph.Equal(graph.Full(graph.Int32, n*m, n/2), out), "%v", out)
	}
	require.NoError(t, p.Prepare(t.Context(), map[string]int{"n": 4, "m": 5}))
	require.Equal(t, graph.PlanStats{Made: 1, Kept: 1}, p.Plans())
	run(4, 5)
	require.Equal(t, 1, p.Plans().Made)
	for n := 2; n < 12; n++ {
		run(n, 3)
		run(2, 3)
		run(n, 3)
	}
	require.Equal(t, graph.PlanStats{Made: 11, Kept: 3, Dropped: 8}, p.Plans(), "what is used often stays")

	require.EqualError(t, p.Prepare(t.Context(), map[string]int{"n": 4}), here2(0)+`: prepare: input x: extent m: the size "m" is not bound`)
	require.ErrorContains(t, p.Prepare(t.Context(), map[string]int{"n": 4, "m": 5, "k": 6}), `there is no size "k": the program has n, m`)
	//lint:ignore SA1012 that is what is tested
	require.ErrorContains(t, p.Prepare(nil, nil), "the context is nil")
	require.Error(t, p.Prepare(t.Context(), map[string]int{"n": 4, "m": -1}))
	_, err = graph.Compile(x, graph.WithPlans(0))
	require.ErrorContains(t, err, "compile: 0 plans: a program keeps 1 or more")
	require.Zero(t, (*graph.Program)(nil).Plans())
	require.ErrorContains(t, (*graph.Program)(nil).Prepare(t.Context(), nil), "there is no program")
}

// TestPlansOfManyGoroutines: goroutines that run random sizes, more than are kept, get the right results.
func TestPlansOfManyGoroutines(t *testing.T) {
	x := graph.Input("x", graph.Int32, graph.Dim("n"))
	p, err := graph.Compile(x.CumSum(0), graph.WithPlans(5))
	require.NoError(t, err)
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			order := rand.New(rand.NewPCG(3, uint64(g)))
			for range 100 {
				n := 1 + order.IntN(9)
				out, err := p.Run(t.Context(), graph.Ones(graph.Int32, n))
				last, err2 := graph.At[int32](out, -1)
				if err != nil || err2 != nil || int(last) != n {
					t.Errorf("%d ones: %v %v %v", n, out, err, err2)
					return
				}
			}
		})
	}
	wait.Wait()
	require.Equal(t, 5, p.Plans().Kept)
}

// TestManyPlans: WithPlans accepts any number.
func TestManyPlans(t *testing.T) {
	for _, n := range []int{math.MaxInt, math.MaxInt/2 + 1, math.MaxInt / 2} {
		p, err := graph.Compile(graph.Input("x", graph.Float32, graph.Dim("n")).Add(1), graph.WithPlans(n))
		require.NoError(t, err)
		for k := range 40 {
			_, err = p.Run(t.Context(), graph.Ones(graph.Float32, k))
			require.NoError(t, err)
		}
	}
}

// TestRefusedRunKeepsState: a run that is refused for lack of memory does not affect later runs.
func TestRefusedRunKeepsState(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	x := graph.Input("x", graph.Float32, 1<<23)
	p, err := graph.Compile(x.Sub(x.Sum()))
	require.NoError(t, err)
	in, out := graph.Ones(graph.Float32, 1<<23), graph.New(graph.Float32, 1<<23)
	allocations := func() float64 {
		return irtest.Allocations(1, func() {
			goruntime.GC() // frees garbage
			goruntime.GC()
			require.NoError(t, p.RunInto(t.Context(), []*graph.Tensor{out}, in))
		})
	}
	before := allocations()
	func() {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 20))
		_, err := p.Run(t.Context(), in)
		require.ErrorContains(t, err, "memory")
	}()
	require.LessOrEqual(t, allocations(), before+4) // a new state takes 11 allocations
}
