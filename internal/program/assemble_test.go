package program

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/jit"
)

// wave is a formula without a generated kernel.
const wave = `func wave(%x: f32[10000]) {
  %0 = sin %x : f32[10000]
  %1 = mul %0, %x : f32[10000]
  %2 = tanh %1 : f32[10000]
  %3 = sub %2, %x : f32[10000]
  return %3
}`

// newWave returns the program of a graph and its binding. by assembles its kernels.
func newWave(t *testing.T, graph string, when Assembling, by func(abi.Engine, kernel.Code) (*jit.Kernel, error)) (*Program, *Binding) {
	if off := jit.Off(); off != nil {
		t.Skip(off)
	}
	old := assembleKernel
	t.Cleanup(func() { assembleKernel = old })
	assembleKernel = by
	f, err := ir.Parse(graph)
	require.NoError(t, err)
	p, err := New(Config{Executor: runtime.DefaultExecutor(), Verify: true, Plans: 1, Assemble: when}, f, 1, nil, []bool{false}, nil)
	require.NoError(t, err)
	if !p.Assembles() {
		t.Skip("the processor has no AVX2, or STRIDEFUSE_CPU excludes it")
	}
	b, err := p.Compile(nil, nil)
	require.NoError(t, err)
	return p, b
}

// TestRefusedSettled: what the assembler refuses is tried once, also a kernel that Go loops have, and is not due again.
func TestRefusedSettled(t *testing.T) {
	tried := map[string]int{}
	p, b := newWave(t, wave, BeforeFirstRun, func(_ abi.Engine, c kernel.Code) (*jit.Kernel, error) {
		tried[c.Signature()]++
		return nil, errors.New("refused")
	})
	set, due := b.Assembled()
	require.NotEmpty(t, set.Refused())
	require.Empty(t, set.Kernels())
	require.Zero(t, due, "nothing is left to assemble")
	for sig, n := range tried {
		require.Equal(t, 1, n, sig)
		code, err := kernel.ParseCode(sig)
		require.NoError(t, err)
		require.NoError(t, p.add(set, code))
		require.Equal(t, 1, tried[sig], "a refused kernel is not tried again")
	}
}

// TestFullKeepsNothing: kernels for which the binding is not linked again, as there is no room for another, are let go.
func TestFullKeepsNothing(t *testing.T) {
	full := true
	p, b := newWave(t, wave, WhenWorth, func(on abi.Engine, c kernel.Code) (*jit.Kernel, error) {
		if full {
			return nil, jit.ErrFull
		}
		return jit.Assemble(on, c)
	})
	if p.preparing() {
		t.Skip(jit.Env + "=prepared")
	}
	nests, err := p.scheduleOn(p.library(nil), b.Plan, schedule.Options{})
	require.NoError(t, err)
	due := p.tilingsOf(b, nests, nil)
	require.NotEmpty(t, due)
	l, again := p.better(b, due)
	require.Nil(t, l)
	require.True(t, again)
	require.Nil(t, p.assembler.set.Load())
	full = false
	l, again = p.better(b, due)
	require.NotNil(t, l)
	require.False(t, again)
	require.Len(t, p.assembler.set.Load().Kernels(), 1)
}

// TestAssembleTime: long expansions take milliseconds to assemble, those of float64 more, and arithmetic takes a fraction of one.
func TestAssembleTime(t *testing.T) {
	estimate := func(graph string) float64 {
		f, err := ir.Parse(graph)
		require.NoError(t, err)
		p, err := New(Config{Executor: runtime.DefaultExecutor(), Plans: 1, Assemble: Never}, f, 1, nil, []bool{false}, nil)
		require.NoError(t, err)
		b, err := p.Compile(nil, nil)
		require.NoError(t, err)
		require.Len(t, b.Plan.Steps, 1)
		return p.Machine.AssembleTime(&b.Plan.Steps[0]) / 1e6
	}
	single := estimate(wave)
	require.Greater(t, single, 4.0)
	require.Less(t, single, 20.0)
	require.Greater(t, estimate(strings.ReplaceAll(wave, "f32", "f64")), 3*single)
	require.Less(t, estimate(strings.NewReplacer("sin", "neg", "tanh", "sqrt").Replace(wave)), 0.5)
}
