package runtime_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// improving returns a linked program that is replaced by one with the same tensors when runs of 10 ns each have spent due, and the
// number of calls that the replacement has made. refusals is how often there is no room for it at first.
func improving(t *testing.T, p *nest.Program, due int64, refusals int) (l *runtime.Linked, made, calls *atomic.Int64) {
	made, calls = new(atomic.Int64), new(atomic.Int64)
	better := with(before(func(string, *abi.Frame) { calls.Add(1) }), &runtime.Executor{Workers: 2, Tuning: irtest.Machine(500)})
	l, err := (&runtime.Executor{Workers: 2, Tuning: irtest.Machine(500)}).Link(p)
	require.NoError(t, err)
	l.Improve(runtime.Improvement{Nanos: 10, Spent: new(atomic.Int64), Due: due, Make: func() (*runtime.Linked, bool) {
		if made.Add(1) <= int64(refusals) {
			return nil, true
		}
		to, err := better.Link(p)
		if err != nil {
			panic(err)
		}
		return to, false
	}})
	return l, made, calls
}

// TestImproveAtOnce replaces a program whose first run is worth it, before that run.
func TestImproveAtOnce(t *testing.T) {
	p := tilingNest(101, 151)
	l, made, calls := improving(t, p, 10, 0)
	outs, ins := operands(t, p.Buffers)
	for range 3 {
		before := calls.Load()
		require.NoError(t, l.Run(context.Background(), outs, ins))
		require.Greater(t, calls.Load(), before)
		requireResults(t, p, outs, ins)
	}
	require.EqualValues(t, 1, made.Load())
	require.Zero(t, irtest.Allocations(20, func() { _ = l.Run(context.Background(), outs, ins) }))
}

// TestImproveLater counts runs, of Run and of a Bound, until they are worth it. The first attempt finds no room, and is repeated when
// as much was spent again. Runs with other tensors do not count.
func TestImproveLater(t *testing.T) {
	p := tilingNest(101, 151)
	l, made, calls := improving(t, p, 95, 1)
	outs, ins := operands(t, p.Buffers)
	b, err := l.Bind(outs, ins)
	require.NoError(t, err)
	both := func(n int) {
		for range n {
			require.Error(t, l.Run(context.Background(), outs, outs[:1]))
			require.NoError(t, b.Run(context.Background()))
			require.NoError(t, l.Run(context.Background(), outs, ins))
			requireResults(t, p, outs, ins)
		}
	}
	both(4)
	require.Zero(t, made.Load(), "80 of 95")
	both(1)
	require.Eventually(t, func() bool { return made.Load() == 1 }, 10*time.Second, time.Millisecond)
	time.Sleep(time.Millisecond) // until it is due again
	both(4)
	require.EqualValues(t, 1, made.Load(), "180 of 200")
	require.Eventually(t, func() bool { both(1); return made.Load() == 2 }, 10*time.Second, time.Millisecond)
	require.Eventually(t, func() bool {
		require.NoError(t, l.Run(context.Background(), outs, ins))
		return calls.Load() > 0
	}, 10*time.Second, time.Millisecond)
	before := calls.Load()
	require.NoError(t, b.Run(context.Background()))
	require.Greater(t, calls.Load(), before, "a Bound changes too")
	requireResults(t, p, outs, ins)
	require.Zero(t, irtest.Allocations(20, func() { _ = b.Run(context.Background()) }))
}

// TestImprovePanics: a program stays as it is if making a better one panics, in a run or in a goroutine of its own.
func TestImprovePanics(t *testing.T) {
	p := tilingNest(101, 151)
	for _, due := range []int64{10, 25} {
		l, err := (&runtime.Executor{Workers: 2, Tuning: irtest.Machine(500)}).Link(p)
		require.NoError(t, err)
		var made atomic.Int64
		l.Improve(runtime.Improvement{Nanos: 10, Spent: new(atomic.Int64), Due: due, Make: func() (*runtime.Linked, bool) {
			made.Add(1)
			panic("no better program")
		}})
		outs, ins := operands(t, p.Buffers)
		for range 5 {
			require.NoError(t, l.Run(context.Background(), outs, ins))
			requireResults(t, p, outs, ins)
		}
		require.Eventually(t, func() bool { return made.Load() == 1 }, 10*time.Second, time.Millisecond)
	}
}

// TestImproveConcurrently runs a program on several goroutines while it is replaced: all results are right, and it is replaced once.
func TestImproveConcurrently(t *testing.T) {
	p := tilingNest(101, 151)
	l, made, calls := improving(t, p, 200, 0)
	var all sync.WaitGroup
	for range 8 {
		outs, ins := operands(t, p.Buffers)
		b, err := l.Bind(outs, ins)
		require.NoError(t, err)
		all.Go(func() {
			for i := range 40 {
				overwrite(outs)
				var err error
				if i%2 == 0 {
					err = b.Run(context.Background())
				} else {
					err = l.Run(context.Background(), outs, ins)
				}
				if err != nil {
					t.Error(err)
				}
			}
			requireResults(t, p, outs, ins)
		})
	}
	all.Wait()
	require.Eventually(t, func() bool { return made.Load() == 1 }, 10*time.Second, time.Millisecond)
	require.Positive(t, calls.Load())
}

// TestImproveInPlace replaces a program that computes a result in the memory of an input, as a run and as a Bound.
func TestImproveInPlace(t *testing.T) {
	p := negNest(1000, 100, 30)
	l, _, calls := improving(t, p, 30, 0)
	l.InPlace(func() (*nest.Program, error) { return p, nil })
	_, ins := operands(t, p.Buffers)
	want := arraysOf(ins)
	b, err := l.Bind(ins, ins)
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		for range 2 { // negated twice it is as before
			require.NoError(t, b.Run(context.Background()))
		}
		require.Empty(t, irtest.Diff(want, arraysOf(ins)))
		return calls.Load() > 0
	}, 10*time.Second, time.Millisecond)
}
