package graph_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestProfile checks the bytes and operations of steps, counted by hand.
func TestProfile(t *testing.T) {
	const n, m = 64, 256
	x, y := f32("x", n, m), f32("y", n, m)
	p, err := graph.Compile(x.Softmax(1), x.MatMul(x.T()), y.Cast(graph.Float64).Sqrt(), x.Sort(1), graph.WithProfile())
	require.NoError(t, err)
	require.Nil(t, p.Profile(), "before any run")
	require.NotContains(t, p.Explain(), "\n  profile")
	in := graph.Full(graph.Float32, 0.5, n, m)
	for range 3 {
		_, err := p.RunAll(context.Background(), in, in)
		require.NoError(t, err)
	}
	q := p.Profile()
	require.Equal(t, 3, q.Runs)
	next, seen := 0, map[float64]graph.StepProfile{}
	for _, s := range q.Steps {
		require.Equal(t, next, s.First)
		next = s.Last + 1
		require.GreaterOrEqual(t, q.Time, s.Time)
		seen[s.Ops] = s
	}
	require.Contains(t, seen, float64(2*n*m*n), "the product")
	require.Contains(t, seen, 0.0, "the sort")
	require.Equal(t, n*m*(4+8), seen[n*m].Bytes, "the roots")
	require.Equal(t, graph.Float64, seen[n*m].DType)
	require.Positive(t, seen[n*m].GBPerSecond())

	l := q.Limits
	require.Positive(t, l.MemoryGB)
	require.Positive(t, l.Float32GFLOPs)
	require.Positive(t, l.Float64GFLOPs)
	require.Equal(t, l, p.Profile().Limits, "measured once")
	require.Contains(t, p.Explain(), "\n  profile 3 runs, the first of ")
	require.Regexp(t, " of its limit|far from every ", p.Explain())
	require.Contains(t, p.Explain(), p.Profile().String())
}

// TestProfileOfGroup: the steps of a row group have times of their own, which Explain's parts of the run follow.
func TestProfileOfGroup(t *testing.T) {
	p, err := graph.Compile(f32("x", 512, 1000).Softmax(1), graph.WithProfile(), graph.WithWorkers(1))
	require.NoError(t, err)
	for range 2 { // a median of one run
		_, err = p.RunAll(context.Background(), graph.Full(graph.Float32, 0.5, 512, 1000))
		require.NoError(t, err)
	}
	q := p.Profile()
	require.Len(t, q.Steps, 1)
	group, sum := q.Steps[0], time.Duration(0)
	require.Len(t, group.Steps, 4)
	for i, s := range group.Steps {
		require.Equal(t, i, s.First)
		require.Positive(t, s.Time)
		sum += s.Time
	}
	require.InDelta(t, float64(group.Time), float64(sum), 4, "nanoseconds are rounded down")
	exp := group.Steps[1]
	require.Equal(t, 4*(512*1000+2*512), exp.Local, "the exponentials, and for each row a maximum and a sum")
	require.Positive(t, exp.Calls)
	require.Contains(t, q.String(), "\n            step 1: ")
	require.NotContains(t, p.Explain(), "~")
}

// TestProfileVerdict: what binds a step of a microsecond on a machine of 10 GB/s and 100 GFLOP/s.
func TestProfileVerdict(t *testing.T) {
	limits := graph.Limits{Workers: 1, MemoryGB: 10, Float32GFLOPs: 100, Float64GFLOPs: 50}
	for _, c := range []struct {
		step graph.StepProfile
		by   graph.Bound
		want string
	}{
		{graph.StepProfile{Bytes: 9_000, Ops: 5_000}, graph.ByMemory, "bound by memory, 90% of its limit; 9 GB/s, 5 GFLOP/s"},
		{graph.StepProfile{Bytes: 14_000, Ops: 15_000}, graph.ByMemory, "bound by memory, 140% of its limit, arithmetic 15%; 14 GB/s, 15 GFLOP/s"},
		{graph.StepProfile{Bytes: 47_900, Ops: 60_000, Calls: 5}, graph.ByArithmetic, "in the caches, bound by arithmetic, 60% of its limit, calls 12%; 47.9 GB/s, 60 GFLOP/s"},
		{graph.StepProfile{Bytes: 47_900, Calls: 20}, graph.ByCalls, "in the caches, bound by calls, 50% of its limit; 47.9 GB/s"},
		{graph.StepProfile{Bytes: 47_900, Ops: 15_000}, graph.ByArithmetic, "in the caches, far from every other limit (arithmetic 15%); 47.9 GB/s, 15 GFLOP/s"},
		{graph.StepProfile{Bytes: 1_100}, graph.ByMemory, "far from every limit (memory 11%): elements wait for one another, or goroutines for the processor; 1.1 GB/s"},
		{graph.StepProfile{Bytes: 900}, graph.ByMemory, "far from every limit: elements wait for one another, or goroutines for the processor; 0.9 GB/s"},
		{graph.StepProfile{Ops: 20_000, DType: graph.Float64}, graph.ByArithmetic, "bound by arithmetic, 40% of its limit; 0 GB/s, 20 GFLOP/s"},
	} {
		c.step.Time = time.Microsecond
		by, _ := c.step.Bound(limits)
		require.Equal(t, c.by, by, c.want)
		require.Contains(t, (&graph.Profile{Runs: 1, Steps: []graph.StepProfile{c.step}, Limits: limits}).String(), "step 0: 1µs, 100% of the run; "+c.want+"\n")
	}
}

// TestProfileOfConstants: Explain tells how long the values of constants took, once a run has computed them.
func TestProfileOfConstants(t *testing.T) {
	w := graph.Const(graph.Full(graph.Float32, 0.5, 512, 512))
	p, err := graph.Compile(f32("x", 64, 512).MatMul(w), graph.WithProfile())
	require.NoError(t, err)
	require.Regexp(t, `once .* of constants, for all runs: .* kept; of const0\n`, p.Explain())
	_, err = p.Run(context.Background(), graph.Ones(graph.Float32, 64, 512))
	require.NoError(t, err)
	require.Regexp(t, `once .* of constants, for all runs: .* kept, computed in \S+s by the first run; of const0\n`, p.Explain())
}

// TestProfileOfSizes: each size has its own times, and failed runs have none.
func TestProfileOfSizes(t *testing.T) {
	p, err := graph.Compile(f32("x", graph.Dim("n")).Exp(), graph.WithProfile())
	require.NoError(t, err)
	run := func(ctx context.Context, n int) error {
		_, err := p.Run(ctx, graph.Zeros(graph.Float32, n))
		return err
	}
	ctx := context.Background()
	require.NoError(t, run(ctx, 10))
	require.NoError(t, run(ctx, 10))
	require.Equal(t, 2, p.Profile().Runs)
	require.NoError(t, run(ctx, 20))
	require.Equal(t, 1, p.Profile().Runs)
	over, cancel := context.WithCancel(ctx)
	cancel()
	require.Error(t, run(over, 20))
	require.Equal(t, 1, p.Profile().Runs)

	var none *graph.Program
	require.Nil(t, none.Profile())
	q, err := graph.Compile(f32("x", 4).Exp())
	require.NoError(t, err)
	_, err = q.Run(ctx, graph.Zeros(graph.Float32, 4))
	require.NoError(t, err)
	require.Nil(t, q.Profile(), "without WithProfile")
}

// TestWithProgress observes Run, RunInto and Call.Run with the context of each.
func TestWithProgress(t *testing.T) {
	type key struct{}
	var told []graph.Progress
	var from []any
	x := f32("x", 100)
	p, err := graph.Compile(x.CumSum(0), x.Sort(0), graph.WithName("two"), graph.WithProgress(func(ctx context.Context, p graph.Progress) {
		told, from = append(told, p), append(from, ctx.Value(key{}))
	}))
	require.NoError(t, err)
	in := graph.Zeros(graph.Float32, 100)
	outs, err := p.RunAll(context.WithValue(context.Background(), key{}, "all"), in)
	require.NoError(t, err)
	require.NoError(t, p.RunInto(context.WithValue(context.Background(), key{}, "into"), outs, in))
	c, err := p.Bind(outs, in)
	require.NoError(t, err)
	require.NoError(t, c.Run(context.WithValue(context.Background(), key{}, "call")))
	require.Contains(t, from, "all")
	require.Contains(t, from, "into")
	last := told[len(told)-1]
	require.Equal(t, graph.Progress{Program: "two", Done: 2, Steps: 2, Fraction: 1, Elapsed: last.Elapsed}, last)
	require.Equal(t, "call", from[len(from)-1])

	p, err = graph.Compile(x.Exp(), graph.WithProgress(func(context.Context, graph.Progress) { panic("oops") }))
	require.NoError(t, err)
	_, err = p.Run(context.Background(), in)
	require.ErrorContains(t, err, "the observer of its progress panics: oops")
}

// TestProgressOfConstants observes the first run of a program that packs a constant, and the second, which does not.
func TestProgressOfConstants(t *testing.T) {
	var told []bool
	x := graph.Input("x", graph.Float32, 256, 300)
	w := graph.Uniform(graph.Float32, 1, -1, 1, 300, 200)
	p, err := graph.Compile(x.MatMul(graph.Const(w)), graph.WithProgress(func(_ context.Context, p graph.Progress) {
		if p.Fraction == 1 {
			told = append(told, p.Constants)
		}
	}))
	require.NoError(t, err)
	in := graph.Zeros(graph.Float32, 256, 300)
	for range 2 {
		_, err := p.Run(context.Background(), in)
		require.NoError(t, err)
	}
	require.Equal(t, []bool{true, false, false}, told)
}

// TestProfileOfTable: a body that a table has for all bytes counts the operations of the table's entries, not of the elements.
func TestProfileOfTable(t *testing.T) {
	x := graph.Input("x", graph.Uint8, 400, 300)
	p, err := graph.Compile(x.Cast(graph.Float32).Div(255).Pow(2.2), graph.WithProfile(), graph.WithWorkers(1))
	require.NoError(t, err)
	_, err = p.Run(context.Background(), graph.Zeros(graph.Uint8, 400, 300))
	require.NoError(t, err)
	require.Contains(t, p.Explain(), ": table ")
	s := p.Profile().Steps[0]
	require.Positive(t, s.Ops)
	require.Less(t, s.Ops, 400*300.0, "fewer than one for each element")
	require.Regexp(t, `^profile_test\.go:\d+$`, s.Line)
	var page strings.Builder
	require.NoError(t, p.WriteHTML(&page))
	require.Contains(t, page.String(), "<small>"+s.Line+"</small>", "in the table of steps")
}

// TestProfileLines: the parts of a run by source line, of steps and of the steps of row groups.
func TestProfileLines(t *testing.T) {
	step := func(i int, took time.Duration, at string) graph.StepProfile {
		return graph.StepProfile{First: i, Last: i, Time: took, Line: at}
	}
	group := graph.StepProfile{First: 1, Last: 2, Time: 60, Line: "m.go:5", Steps: []graph.StepProfile{step(1, 20, "m.go:5"), step(2, 40, "m.go:9")}}
	q := &graph.Profile{Runs: 2, Steps: []graph.StepProfile{step(0, 30, "m.go:5"), group, step(3, 9, "m.go:9"), step(4, 1, "m.go:7")}}
	text := q.String()
	require.Contains(t, text, "parts are of 100ns, the sum of the steps' medians")
	require.Contains(t, text, "\n          m.go:5: 50% of the run, steps 0 and 1\n          m.go:9: 49% of the run, steps 2 and 3\n")
	require.NotContains(t, text, "m.go:7: ", "too little")
	q.Steps = q.Steps[:1]
	require.NotContains(t, q.String(), "m.go:5: ", "there is one line")
}
