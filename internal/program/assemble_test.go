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
		t.Skip("the processor has no assembly, or STRIDEFUSE_CPU excludes it")
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

// TestAssembledAsPossible: the schedule with the assembled kernels is the one that was chosen when all that can be assembled was
// offered, also where a strategy asks for a kernel that no call needs.
func TestAssembledAsPossible(t *testing.T) {
	for _, graph := range []string{wave,
		`func columns(%x: i8[512,512], %w: i8[512,1]) {
  %0 = cast %x : i32[512,512]
  %1 = cast %w : i32[512,1]
  %2 = mul %0, %1 : i32[512,512]
  %3 = sum %2 axes=[0] : i32[512]
  return %3
}`,
		`func few(%x: f64[7,512]) {
  %0 = sqrt %x : f64[7,512]
  %1 = add %0, %x : f64[7,512]
  %2 = amax %1 axes=[0] : f64[512]
  return %2
}`,
		`func rows(%x: f32[64,512], %y: f32[512]) {
  %0 = sub %x, %y : f32[64,512]
  %1 = sqrt %0 : f32[64,512]
  %2 = sum %1 axes=[1] : f32[64]
  return %2
}`,
		`func running(%x: f64[64,512]) {
  %0 = sqrt %x : f64[64,512]
  %1 = add %0, %x : f64[64,512]
  %2 = cumsum %1 axis=0 : f64[64,512]
  return %2
}`} {
		p, b := newWave(t, graph, BeforeFirstRun, jit.Assemble)
		set, _ := b.Assembled()
		want, err := p.scheduleOn(p.possible(set), b.Plan, schedule.Options{})
		require.NoError(t, err)
		got, err := p.scheduleOn(p.library(set), b.Plan, schedule.Options{})
		require.NoError(t, err)
		require.Equal(t, want.String(), got.String())
	}
}
