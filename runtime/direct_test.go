package runtime_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestShortPrograms runs programs of a few short calls, some with scratch memory and temporaries. Their
// frames forget the tensors of a run, a call that panics is an error of its kernel, and the next run is
// as good as any. Of longer programs, and those whose work is shared, no run is a list of calls.
func TestShortPrograms(t *testing.T) {
	ctx := context.Background()
	for _, graph := range []string{"chain", "softmax", "reductions", "scans", "product", "views"} {
		var signatures []string
		seen, panics := map[*abi.Frame]bool{}, -1
		e := with(before(func(signature string, f *abi.Frame) {
			if len(signatures) == panics {
				panic("oh")
			}
			signatures, seen[f] = append(signatures, signature), true
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
		require.NoError(t, l.Run(ctx, outs, ins))
		for f := range seen {
			for _, x := range slices.Concat(outs, ins) {
				require.NotContains(t, f.Ptr[:], addr(x, 0), graph)
			}
		}
		b, err := l.Bind(outs, ins)
		require.NoError(t, err)
		for how, run := range map[string]func() error{
			"run":   func() error { return l.Run(ctx, outs, ins) },
			"bound": func() error { return b.Run(ctx) },
		} {
			signatures, panics = nil, -1
			require.NoError(t, run())
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
