package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/runtime"
)

// TestProgress observes runs of many chunks: progress grows from step to step and
// ends with all.
func TestProgress(t *testing.T) {
	for _, workers := range []int{1, 3} {
		for _, name := range []string{"chain", "softmax", "views", "product"} {
			p := lowered(t, sized(graphs[name], "N", 64, "M", 300))
			l := linked(t, &runtime.Executor{Workers: workers, Tuning: irtest.Machine(500)}, p)
			outs, ins := operands(t, p.Buffers)
			var told []runtime.Progress
			var took []time.Duration
			l.Observe(&runtime.Observer{
				Progress: func(ctx context.Context, p runtime.Progress) { told = append(told, p) },
				Times:    func(times, _ []time.Duration) { took = times },
			})
			require.NoError(t, l.Run(context.Background(), outs, ins))
			last := told[len(told)-1]
			require.Equal(t, runtime.Progress{Program: p.Name, Done: len(p.Steps), Steps: len(p.Steps), Fraction: 1, Elapsed: last.Elapsed}, last)
			if workers == 1 { // else the others may take all chunks but one
				require.Greater(t, len(told), 2, name)
			}
			for i, b := range told[1:] {
				a := told[i]
				require.True(t, a.Done <= b.Done && a.Fraction <= b.Fraction && a.Elapsed <= b.Elapsed, "%v, then %v", a, b)
			}
			require.Len(t, took, len(p.Steps))
			require.Positive(t, took[0])

			told = nil // a time of an hour leaves the end
			l.Observe(&runtime.Observer{Progress: func(_ context.Context, p runtime.Progress) { told = append(told, p) }, Every: time.Hour})
			require.NoError(t, l.Run(context.Background(), outs, ins))
			require.Len(t, told, 1)
		}
	}
}

// TestProgressFails cancels a run from its observer, and panics there.
func TestProgressFails(t *testing.T) {
	p := lowered(t, sized(graphs["views"], "N", 64, "M", 300))
	l := linked(t, &runtime.Executor{Workers: 1, Tuning: irtest.Machine(500)}, p)
	outs, ins := operands(t, p.Buffers)
	ctx, cancel := context.WithCancel(context.Background())
	told, ended := 0, false
	l.Observe(&runtime.Observer{
		Progress: func(context.Context, runtime.Progress) { told++; cancel() },
		Times:    func(_, _ []time.Duration) { ended = true },
	})
	require.ErrorIs(t, l.Run(ctx, outs, ins), context.Canceled)
	require.Equal(t, 1, told)
	require.False(t, ended, "times of a run that failed")

	l.Observe(&runtime.Observer{Progress: func(context.Context, runtime.Progress) { panic(errors.New("oops")) }})
	require.ErrorContains(t, l.Run(context.Background(), outs, ins), "the observer of its progress panics: oops")
	l.Observe(nil)
	require.NoError(t, l.Run(context.Background(), outs, ins))
}

// TestLabels looks at the labels of the caller's goroutine in the midst of a run, which it
// computes alone, and at those of all after a run with others.
func TestLabels(t *testing.T) {
	p := lowered(t, sized(graphs["softmax"], "N", 64, "M", 300))
	l := linked(t, &runtime.Executor{Workers: 1, Tuning: irtest.Machine(500)}, p)
	outs, ins := operands(t, p.Buffers)
	var profiles bytes.Buffer
	l.Observe(&runtime.Observer{
		Progress: func(context.Context, runtime.Progress) { _ = pprof.Lookup("goroutine").WriteTo(&profiles, 1) },
		Labels:   true,
	})
	pprof.Do(context.Background(), pprof.Labels("request", "7"), func(ctx context.Context) {
		require.NoError(t, l.Run(ctx, outs, ins))
	})
	require.True(t, strings.Contains(profiles.String(), `# labels: {"program":"f", "request":"7", "step":"0-2"}`))
	l = linked(t, &runtime.Executor{Workers: 3, Tuning: irtest.Machine(500)}, p)
	l.Observe(&runtime.Observer{Labels: true})
	for range 10 {
		require.NoError(t, l.Run(context.Background(), outs, ins))
	}
	require.Eventually(t, func() bool { // a worker drops its labels when it is about to wait, which may be after the run
		var profiles bytes.Buffer
		return pprof.Lookup("goroutine").WriteTo(&profiles, 1) == nil && !strings.Contains(profiles.String(), `"step"`)
	}, 10*time.Second, time.Millisecond)
}

// TestTraceRegions finds the regions in the data of an execution trace.
func TestTraceRegions(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("the tests themselves are traced")
	}
	p := lowered(t, sized(graphs["softmax"], "N", 64, "M", 300))
	l := linked(t, &runtime.Executor{Workers: 2}, p)
	outs, ins := operands(t, p.Buffers)
	var data bytes.Buffer
	require.NoError(t, trace.Start(&data))
	err := l.Run(context.Background(), outs, ins)
	trace.Stop()
	require.NoError(t, err)
	require.True(t, strings.Contains(data.String(), "program f"))
	require.True(t, strings.Contains(data.String(), "step 0-2"))
}

// TestTimesOfSteps: the time of a row group is divided among its steps, each of which takes some; the steps of a product that copies its
// operands to where kernels read them say so.
func TestTimesOfSteps(t *testing.T) {
	for _, workers := range []int{1, 3} {
		p := lowered(t, sized(graphs["softmax"], "N", 3000, "M", 300))
		require.Len(t, p.Rows, 1)
		l := linked(t, &runtime.Executor{Workers: workers}, p)
		outs, ins := operands(t, p.Buffers)
		var took, copied []time.Duration
		l.Observe(&runtime.Observer{Times: func(all, some []time.Duration) { took, copied = all, some }})
		begun := time.Now()
		require.NoError(t, l.Run(context.Background(), outs, ins))
		sum := time.Duration(0)
		for i := range p.Steps {
			require.Positive(t, took[i], "step %d", i)
			require.Zero(t, copied[i], "step %d", i)
			sum += took[i]
		}
		require.Less(t, sum, time.Since(begun))

		p = lowered(t, sized(graphs["product"], "N", 640, "M", 300))
		l = linked(t, &runtime.Executor{Workers: workers}, p)
		outs, ins = operands(t, p.Buffers)
		l.Observe(&runtime.Observer{Times: func(all, some []time.Duration) { took, copied = all, some }})
		require.NoError(t, l.Run(context.Background(), outs, ins))
		most := time.Duration(0)
		for i := range took {
			require.LessOrEqual(t, copied[i], took[i])
			most = max(most, copied[i])
		}
		require.Positive(t, most)
	}
}
