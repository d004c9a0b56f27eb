package runtime_test

import (
	"context"
	"io"
	goruntime "runtime"
	"runtime/trace"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// TestShortPrograms runs programs of a few short calls, some with scratch memory and temporaries. Runs call the kernels
// with the frames of the state's list. These forget the tensors of a run, a call that panics is an error of its kernel, and
// the next run is as good as any. Of longer programs, and those whose work is shared, no run is a list of calls.
func TestShortPrograms(t *testing.T) {
	ctx := context.Background()
	for _, graph := range []string{"chain", "softmax", "reductions", "scans", "product", "views"} {
		var signatures []string
		var frames []*abi.Frame
		panics := -1
		e := with(before(func(signature string, f *abi.Frame) {
			if len(signatures) == panics {
				panic("oh")
			}
			signatures, frames = append(signatures, signature), append(frames, f)
		}), &runtime.Executor{Workers: 1})
		p := lowered(t, sized(graphs[graph], "N", 1, "M", 16))
		l := linked(t, e, p)
		inputs := randomInputs(p.Buffers)
		want, err := eval.Plan(p, inputs)
		require.NoError(t, err)
		checkRuns(t, l, p.Buffers, inputs, want, graph)
		require.True(t, l.Short(), graph)
		outs, _ := guarded(t, p.Buffers)
		ins := tensorsOf(t, p.Buffers, inputs)
		frames = nil
		require.NoError(t, l.Run(ctx, outs, ins))
		require.True(t, slices.Equal(l.Frames(), frames), "%s: a run is no list of calls", graph)
		for _, f := range frames {
			for _, x := range slices.Concat(outs, ins) {
				require.NotContains(t, f.Ptr[:], addr(x, 0), graph)
			}
		}
		b, err := l.Bind(outs, ins)
		require.NoError(t, err)
		listed := map[string][]*abi.Frame{"run": l.Frames(), "bound": b.Frames()}
		for how, run := range map[string]func() error{
			"run":   func() error { return l.Run(ctx, outs, ins) },
			"bound": func() error { return b.Run(ctx) },
		} {
			signatures, frames, panics = nil, nil, -1
			require.NoError(t, run())
			require.True(t, slices.Equal(listed[how], frames), "%s, %s: a run is no list of calls", graph, how)
			for at, signature := range signatures {
				signatures, panics = nil, at
				require.ErrorContains(t, run(), "run: "+signature+": oh", how)
			}
			signatures, panics = nil, -1
			require.NoError(t, run())
			require.Empty(t, irtest.Diff(want, arraysOf(outs)), "%s, %s", graph, how)
		}
	}
	p := lowered(t, sized(graphs["chain"], "N", 100, "M", 5000))
	require.False(t, linked(t, &runtime.Executor{Workers: 1}, p).Short())
	p = lowered(t, sized(graphs["chain"], "N", 10, "M", 100))
	require.False(t, linked(t, &runtime.Executor{Workers: 2, Tuning: irtest.Machine(10)}, p).Short())
}

// TestShortFences runs short programs one task of which stores past the caches: behind its calls, and after a call that
// panics, each run calls the fence, for no rows.
func TestShortFences(t *testing.T) {
	const n = 64
	neg, fence := single(ir.OpNeg, unit), kernel.CopyNT
	for _, past := range []int{0, 1} {
		var m maker
		x, y, z := m.param(n), m.result(n), m.result(n)
		want := []string{neg.Signature(), neg.Signature()}
		for task, out := range []nest.Slot{y, z} {
			item := callOf(neg, nest.Fixed(1), nest.Fixed(n), at(0, 0, 0), at(1, 0, 0))
			item.Call.NonTemporal = task == past
			m.task(n, []nest.Slot{x, out}, nest.Nest{Items: []nest.Item{item}})
		}
		want = slices.Insert(want, past+1, fence.Signature())
		var signatures []string
		var frames []*abi.Frame
		panics := -1
		e := with(before(func(signature string, f *abi.Frame) {
			signatures, frames = append(signatures, signature), append(frames, f)
			if len(signatures) == panics {
				panic("oh")
			}
		}), &runtime.Executor{Workers: 1})
		l, err := e.Link(requireValid(t, &m.p))
		require.NoError(t, err)
		require.True(t, l.Short())
		outs, ins := operands(t, m.p.Buffers)
		b, err := l.Bind(outs, ins)
		require.NoError(t, err)
		for how, run := range map[string]func() error{
			"run":   func() error { return l.Run(context.Background(), outs, ins) },
			"bound": func() error { return b.Run(context.Background()) },
		} {
			for range 2 {
				signatures, frames = nil, nil
				require.NoError(t, run())
				require.Equal(t, want, signatures, how)
				require.Zero(t, frames[past+1].Rows, how)
				requireResults(t, &m.p, outs, ins)
			}
			require.True(t, slices.Equal(b.Frames(), frames) || slices.Equal(l.Frames(), frames), how)
			for at, signature := range want {
				if signature != fence.Signature() {
					signatures, panics = nil, at+1
					require.ErrorContains(t, run(), "oh", how)
					require.Equal(t, append(slices.Clone(want[:at+1]), fence.Signature()), signatures, how)
				}
			}
			panics = -1
		}
	}
}

// TestShortRunsBetweenOthers changes between runs of a short program that are a list of calls and such as are observed or
// traced: all have the same results, and frames of their own.
func TestShortRunsBetweenOthers(t *testing.T) {
	if trace.IsEnabled() {
		t.Skip("the tests themselves are traced")
	}
	for _, graph := range []string{"chain", "softmax", "reductions", "scans"} {
		var frames []*abi.Frame
		e := with(before(func(_ string, f *abi.Frame) { frames = append(frames, f) }), &runtime.Executor{Workers: 1})
		p := lowered(t, sized(graphs[graph], "N", 1, "M", 16))
		l := linked(t, e, p)
		inputs := randomInputs(p.Buffers)
		want, err := eval.Plan(p, inputs)
		require.NoError(t, err)
		outs, ins := operands(t, p.Buffers)
		b, err := l.Bind(outs, ins)
		require.NoError(t, err)
		for round, how := range []string{"direct", "observed", "direct", "traced", "traced", "direct", "observed", "traced", "direct", "direct"} {
			switch how {
			case "observed":
				l.Observe(&runtime.Observer{Progress: func(context.Context, runtime.Progress) {}})
			case "traced":
				require.NoError(t, trace.Start(io.Discard))
			}
			overwrite(outs)
			frames = nil
			err := b.Run(context.Background())
			l.Observe(nil)
			trace.Stop()
			require.NoError(t, err)
			require.Empty(t, irtest.Diff(want, arraysOf(outs)), "%s, run %d: %s", graph, round, how)
			require.Equal(t, how == "direct", slices.Equal(b.Frames(), frames), "%s, run %d: %s", graph, round, how)
		}
	}
}

// overwrite makes the elements of row-major tensors what no run has computed.
func overwrite(tensors []*tensor.Tensor) {
	for _, x := range tensors {
		bytes := unsafe.Slice((*byte)(addr(x, 0)), x.Bytes())
		for i := range bytes {
			bytes[i] = unwritten
		}
	}
}

// TestShortRunEndsGoroutine has each kernel of a short program end the goroutine: no tensor stays in the frames of the run, and the
// next one is as good as any.
func TestShortRunEndsGoroutine(t *testing.T) {
	var ends, calls int
	e := with(before(func(string, *abi.Frame) {
		if calls++; calls == ends {
			goruntime.Goexit()
		}
	}), &runtime.Executor{Workers: 1})
	p := lowered(t, sized(graphs["reductions"], "N", 1, "M", 16))
	l := linked(t, e, p)
	outs, ins := operands(t, p.Buffers)
	want, err := eval.Plan(p, arraysOf(ins))
	require.NoError(t, err)
	b, err := l.Bind(outs, ins)
	require.NoError(t, err)
	require.NoError(t, l.Run(context.Background(), outs, ins))
	require.Greater(t, len(l.Frames()), 1)
	for at := range l.Frames() {
		for how, run := range map[string]func() error{
			"run":   func() error { return l.Run(context.Background(), outs, ins) },
			"bound": func() error { return b.Run(context.Background()) },
		} {
			calls, ends = 0, at+1
			ended := make(chan bool)
			go func() {
				returned := false
				defer func() { ended <- !returned }()
				_ = run()
				returned = true
			}()
			require.True(t, <-ended, "%s: call %d did not end the goroutine", how, at)
			require.Equal(t, ends, calls)
			for _, f := range l.Frames() {
				for _, x := range slices.Concat(outs, ins) {
					require.NotContains(t, f.Ptr[:], addr(x, 0), how)
				}
			}
			ends = 0
			overwrite(outs)
			require.NoError(t, run())
			require.Empty(t, irtest.Diff(want, arraysOf(outs)), "%s after call %d", how, at)
		}
	}
}

// TestShortRunsInPlace runs a short program that copies a param and negates it. Where the copy is the param itself, runs call
// no kernel for it.
func TestShortRunsInPlace(t *testing.T) {
	const n = 16
	copies, neg := single(ir.OpCopy, unit), single(ir.OpNeg, unit)
	var m maker
	x, y, z := m.param(n), m.result(n), m.result(n)
	for i, code := range []kernel.Code{copies, neg} {
		m.task(n, []nest.Slot{x, []nest.Slot{y, z}[i]}, nest.Nest{Items: []nest.Item{callOf(code, nest.Fixed(1), nest.Fixed(n), at(0, 0, 0), at(1, 0, 0))}})
	}
	var signatures []string
	e := with(before(func(signature string, _ *abi.Frame) { signatures = append(signatures, signature) }), &runtime.Executor{Workers: 1})
	l, err := e.Link(requireValid(t, &m.p))
	require.NoError(t, err)
	require.True(t, l.Short())
	l.InPlace(func() (*nest.Program, error) { return &m.p, nil })
	outs, ins := operands(t, m.p.Buffers)
	require.NoError(t, l.Run(context.Background(), outs, ins))
	require.Equal(t, []string{copies.Signature(), neg.Signature()}, signatures)
	outs[0], signatures = ins[0], nil
	require.NoError(t, l.Run(context.Background(), outs, ins))
	require.Equal(t, []string{neg.Signature()}, signatures)
	requireResults(t, &m.p, outs, ins)
}

// TestShortLimit finds how long a call may be of a program that is short, by Executor.Tuning: a program of two such calls is not.
func TestShortLimit(t *testing.T) {
	const n = 512
	programs := make([]maker, 2)
	for i := range programs {
		m := &programs[i]
		x := m.param(n)
		for range i + 1 {
			m.task(n, []nest.Slot{x, m.result(n)}, nest.Nest{Items: []nest.Item{callOf(single(ir.OpNeg, unit), nest.Fixed(1), nest.Fixed(n), at(0, 0, 0), at(1, 0, 0))}})
		}
	}
	machine := *tuning.Default(1)
	short := func(i int) bool {
		l, err := (&runtime.Executor{Workers: 1, Tuning: &machine}).Link(requireValid(t, &programs[i].p))
		require.NoError(t, err)
		return l.Short()
	}
	require.True(t, short(1))
	for machine.CallNanos = 1; !short(0); machine.CallNanos++ {
	}
	require.Greater(t, machine.CallNanos, 2)
	require.False(t, short(1))
}
