package graph_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	goruntime "runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/jit"
)

// assembles skips a test where no kernels are assembled.
func assembles(t *testing.T) {
	if off := jit.Off(); off != nil {
		t.Skip(off)
	}
	if p, err := graph.Compile(odd(graph.Input("x", graph.Float32, 8)), graph.WithAssembledKernels()); err != nil || !strings.Contains(p.Explain(), "one assembled") {
		t.Skip("the processor has no assembly, or STRIDEFUSE_CPU excludes it")
	}
}

// waits skips a test of programs that begin with tilings if the environment has all kernels assembled at once.
func waits(t *testing.T) {
	if assembles(t); os.Getenv(jit.Env) == "prepared" {
		t.Skip(jit.Env + "=prepared")
	}
}

// TestAssembledLater runs a formula without a generated kernel, on several goroutines and as a Call, until its tiling is replaced. All
// results have the same bits, and Explain, Missing, Record and the page tell of it.
func TestAssembledLater(t *testing.T) {
	waits(t)
	const n = 10_000
	var lock bytes.Buffer
	x := graph.Input("x", graph.Float32, n)
	p, err := graph.Compile(odd(x).Sqrt(), graph.Record(&lock))
	require.NoError(t, err)
	require.Regexp(t, `jit +kernels for 1 tiling are assembled when the runs' tilings have taken \d\S+ by estimate; so far 0s`, p.Explain())
	in := graph.Uniform(graph.Float32, 1, -2, 2, n)
	want, err := p.Run(t.Context(), in)
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			out := graph.Zeros(graph.Float32, n)
			call, err := p.Bind([]*graph.Tensor{out}, in)
			if err != nil {
				t.Error(err)
				return
			}
			for i, end := 0, time.Now().Add(20*time.Second); time.Now().Before(end); i++ {
				if i%2 == 0 {
					err = call.Run(t.Context())
				} else {
					err = p.RunInto(t.Context(), []*graph.Tensor{out}, in)
				}
				if err != nil {
					t.Error(err)
					return
				}
				if i%16 == 0 && strings.Contains(p.Explain(), "one assembled") && i > 100 {
					break
				}
			}
			require.Equal(t, elements(t, want), elements(t, out))
		})
	}
	all.Wait()
	text := p.Explain()
	require.Regexp(t, `jit +1 kernel, \d.* KiB, assembled at run time in .*, after about .* of tilings: generated kernels spare both`, text)
	require.Contains(t, text, "elementwise/whole, one assembled "+abi.Best().String())
	require.Len(t, p.Missing(), 1, "it was not generated")
	require.Contains(t, p.Kernels(), p.Missing()[0])
	var page bytes.Buffer
	require.NoError(t, p.WriteHTML(&page))
	require.Contains(t, page.String(), "one assembled "+abi.Best().String())
	require.Contains(t, lock.String(), p.Missing()[0])
	lock.Reset()
	for range 1 << 12 {
		require.NoError(t, p.RunInto(t.Context(), []*graph.Tensor{want}, in))
		if lock.Len() > 0 {
			break
		}
	}
	require.Contains(t, lock.String(), p.Missing()[0], "generating it spares the assembling of the next process")
}

// TestAssembledSizes runs a program with sizes that change: what one size has assembled, others use at once.
func TestAssembledSizes(t *testing.T) {
	waits(t)
	x := graph.Input("x", graph.Float32, graph.Dim("n"))
	p, err := graph.Compile(odd(x).Abs().Log())
	require.NoError(t, err)
	plain, err := graph.Compile(odd(x).Abs().Log(), graph.WithoutAssembledKernels())
	require.NoError(t, err)
	n := 20_000
	require.Eventually(t, func() bool { // no size runs twice
		for range 20 {
			n++
			ins := graph.Uniform(graph.Float32, 2, -2, 2, n)
			want, err := plain.Run(t.Context(), ins)
			require.NoError(t, err)
			got, err := p.Run(t.Context(), ins)
			require.NoError(t, err)
			require.True(t, graph.Equal(want, got))
		}
		return strings.Contains(p.Explain(), "one assembled")
	}, 2*time.Minute, time.Millisecond)
	require.Contains(t, plain.Explain(), "elementwise/tiling")
	require.NotContains(t, plain.Explain(), "jit")
}

// TestAssembledSteady counts no allocation once a tiling has been replaced.
func TestAssembledSteady(t *testing.T) {
	assembles(t)
	p, err := graph.Compile(odd(graph.Input("x", graph.Float32, 1000)), graph.WithAssembledKernels())
	require.NoError(t, err)
	in, out := graph.Ones(graph.Float32, 1000), []*graph.Tensor{graph.Zeros(graph.Float32, 1000)}
	require.NoError(t, p.RunInto(t.Context(), out, in))
	ctx := context.Background()
	require.Zero(t, irtest.Allocations(100, func() { _ = p.RunInto(ctx, out, in) }))
}

// TestAssembledNever has programs that assemble nothing: short ones, and those whose options exclude it.
func TestAssembledNever(t *testing.T) {
	waits(t)
	x := graph.Input("x", graph.Float32, 16)
	for _, options := range [][]graph.Item{
		{}, {graph.WithoutAssembledKernels()}, {graph.WithDebug(graph.TilingOnly), graph.WithAssembledKernels()}, {graph.WithDebug(graph.Portable), graph.WithAssembledKernels()},
	} {
		p, err := graph.Compile(append(options, odd(x).Sigmoid())...)
		require.NoError(t, err)
		in := graph.Ones(graph.Float32, 16)
		for range 300 {
			_, err = p.Run(t.Context(), in)
			require.NoError(t, err)
		}
		require.NotContains(t, p.Explain(), "one assembled")
	}
}

// TestAssembledOff runs in a process of its own, which the environment keeps from assembling: Explain says why.
func TestAssembledOff(t *testing.T) {
	if os.Getenv(jit.Env) != "off" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAssembledOff$")
		cmd.Env = append(os.Environ(), jit.Env+"=off")
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("an emulated process can't start its own binary")
		}
		require.NoError(t, err, "%s", out)
		return
	}
	p, err := graph.Compile(odd(graph.Input("x", graph.Float32, 1000)), graph.WithAssembledKernels())
	require.NoError(t, err)
	if text := p.Explain(); !strings.Contains(text, "portable") {
		require.Contains(t, text, "jit     off: ")
	}
}

// TestAssembledDropped drops programs: their kernels go with them.
func TestAssembledDropped(t *testing.T) {
	assembles(t)
	before := jit.InUse()
	x := graph.Input("x", graph.Float32, 100)
	for range 20 {
		p, err := graph.Compile(x.Sub(0.5).Mul(x).Tanh().Sub(x.Sin()).Div(3), graph.WithAssembledKernels())
		require.NoError(t, err)
		_, err = p.Run(t.Context(), graph.Ones(graph.Float32, 100))
		require.NoError(t, err)
		require.Contains(t, p.Explain(), "one assembled")
	}
	require.Equal(t, before.Made+1, jit.InUse().Made, "they share one kernel")
	require.Eventually(t, func() bool {
		goruntime.GC()
		return jit.InUse().Kernels <= before.Kernels
	}, 20*time.Second, time.Millisecond)
}

// TestAssembledUnseen compares the formulas that the benchmark has no built-in kernels for: tilings, the assembled kernels of all
// targets, and Go loops give the same bits.
func TestAssembledUnseen(t *testing.T) {
	assembles(t)
	for i := range formula.Unseen {
		y := formula.UnseenGraph(i)
		one, err := graph.Compile(y, graph.WithDebug(graph.TilingOnly))
		require.NoError(t, err)
		var ins []*graph.Tensor
		for k, in := range one.Inputs() {
			cast, err := graph.Compile(graph.Const(graph.Uniform(graph.Float32, uint64(k), 0.01, 200, 1003)).Cast(in.DType))
			require.NoError(t, err)
			x, err := cast.Run(t.Context())
			require.NoError(t, err)
			ins = append(ins, x)
		}
		want, err := one.Run(t.Context(), ins...)
		require.NoError(t, err)
		for _, options := range [][]graph.Item{{}, {graph.WithDebug(graph.AVX2)}, {graph.WithDebug(graph.Verify)}, {graph.WithDebug(graph.Portable)}} {
			p, err := graph.Compile(append(options, y, graph.WithAssembledKernels())...)
			require.NoError(t, err)
			got, err := p.Run(t.Context(), ins...)
			require.NoError(t, err)
			require.Equal(t, elements(t, want), elements(t, got), "%s\n%s", formula.Unseen[i].Name, explaining{p})
			require.NotContains(t, p.Explain(), "refused")
		}
	}
}
