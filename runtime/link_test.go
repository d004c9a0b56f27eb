package runtime

import (
	"context"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// counted is a lookup whose kernels call a function first.
func counted(before func()) func(abi.Engine, string) (func(*abi.Frame), bool) {
	return func(e abi.Engine, sig string) (func(*abi.Frame), bool) {
		fn, ok := abi.Lookup(e, sig)
		return func(f *abi.Frame) { before(); fn(f) }, ok
	}
}

func TestProgramPanicIsAnError(t *testing.T) {
	for _, workers := range []int{1, 4} {
		var calls atomic.Int64
		var what func()
		e := &Executor{Workers: workers, ChunkElems: 500, lookup: counted(func() {
			if calls.Add(1) == 30 {
				what()
			}
		})}
		p := tilingProgram(t, 101, 151)
		l, err := e.LinkProgram(p)
		require.NoError(t, err)
		outs, ins := operandsFor(t, newRand(), &planOf(p).plan)
		for want, f := range map[string]func(){
			"a reason":    func() { panic("a reason") },
			"nil pointer": func() { *(*int)(nil) = 1 },
		} {
			calls.Store(0)
			what = f
			err := l.Run(context.Background(), outs, ins)
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, "kernel (")
		}
		require.NoError(t, l.Run(context.Background(), outs, ins))
		requireResults(t, evaluated(t, p, ins), outs, "after the panics")
	}
}

// A cancelled run ends after a chunk, and within a block that is long.
func TestProgramCancel(t *testing.T) {
	const n, tile = 1 << 20, 1 << 10
	for name, block := range map[string]int{"chunks": 1 << 13, "one block": n} {
		for _, workers := range []int{1, 3} {
			var calls atomic.Int64
			ctx, cancel := context.WithCancel(context.Background())
			e := &Executor{Workers: workers, lookup: counted(func() {
				if calls.Add(1) == 10 {
					cancel()
				}
			})}
			var m programMaker
			slots := []nest.Slot{m.slot(m.param(f32, n)), m.slot(m.result(f32, n))}
			m.task(n, slots, nest.Nest{Loops: loops(fixedLoop(n, block)), Items: []nest.Item{within(loops(tiles(0, tile)),
				callOf(single(t, ir.OpNeg, unit(f32)), nest.Fixed(1), nest.Of(1), at(0, 0, 0, block, tile), at(1, 0, 0, block, tile)))}})
			l, err := e.LinkProgram(m.program())
			require.NoError(t, err)
			outs, ins := operandsFor(t, newRand(), &m.plan)
			require.ErrorIs(t, l.Run(ctx, outs, ins), context.Canceled)
			require.LessOrEqual(t, calls.Load(), int64(10+workers*checkElements/tile), name)
			before := calls.Load()
			require.ErrorIs(t, l.Run(ctx, outs, ins), context.Canceled)
			require.Equal(t, before, calls.Load())
			require.NoError(t, l.Run(context.Background(), outs, ins))
			requireResults(t, evaluated(t, m.program(), ins), outs, "after a cancelled run")
		}
	}
}

func TestProgramAllocatesNothing(t *testing.T) {
	if raceDetector {
		t.Skip("sync.Pool forgets at random under the race detector")
	}
	for name, p := range map[string]*nest.Program{
		"tiling": tilingProgram(t, 201, 303), "one call": subProgram(t, 4, 4, 4, 4, unit(f32), 0, 4, 1), "blocks": subProgram(t, 500, 500, 7, 60, unit(f32), 0, 500, 1),
	} {
		for _, e := range []*Executor{{}, {Workers: 1}, {Workers: 4, ChunkElems: 4000}} {
			l, err := e.LinkProgram(p)
			require.NoError(t, err)
			outs, ins := operandsFor(t, newRand(), &planOf(p).plan)
			bound, err := l.Bind(outs, ins)
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(context.Background())
			for range 30 {
				require.NoError(t, l.Run(ctx, outs, ins))
				require.NoError(t, bound.Run(ctx))
			}
			require.Zero(t, testing.AllocsPerRun(100, func() { _ = l.Run(ctx, outs, ins) }), name)
			require.Zero(t, testing.AllocsPerRun(100, func() { _ = bound.Run(ctx) }), name)
			cancel()
		}
	}
}

// An idle worker keeps no tensor alive.
func TestProgramIsForgotten(t *testing.T) {
	var mu sync.Mutex
	seen := map[*abi.Frame]bool{}
	e := &Executor{Workers: 3, ChunkElems: 500, lookup: func(e abi.Engine, sig string) (func(*abi.Frame), bool) {
		fn, ok := abi.Lookup(e, sig)
		return func(f *abi.Frame) {
			mu.Lock()
			seen[f] = true
			mu.Unlock()
			fn(f)
		}, ok
	}}
	p := subProgram(t, 500, 500, 7, 60, unit(f32), 0, 500, 1)
	l, err := e.LinkProgram(p)
	require.NoError(t, err)
	outs, ins := operandsFor(t, newRand(), &planOf(p).plan)
	require.NoError(t, l.Run(context.Background(), outs, ins))
	require.NotEmpty(t, seen)
	for f := range seen {
		for i := range f.Ptr {
			require.Nil(t, f.Ptr[i])
		}
	}
}

func TestConcurrentProgramRuns(t *testing.T) {
	p := tilingProgram(t, 101, 151)
	l, err := (&Executor{Workers: 3, ChunkElems: 700}).LinkProgram(p)
	require.NoError(t, err)
	want, ins := operandsFor(t, newRand(), &planOf(p).plan)
	require.NoError(t, l.Run(context.Background(), want, ins))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			outs, _ := operandsFor(t, newRand(), &planOf(p).plan)
			for range 50 {
				if err := l.Run(context.Background(), outs, ins); err != nil {
					panic(err)
				}
				if !tensor.Equal(outs[0], want[0]) {
					panic("results differ")
				}
			}
		})
	}
	all.Wait()
}

func TestProgramStepInfos(t *testing.T) {
	p := subProgram(t, 40, 50, 10, 50, unit(f32), 0, 50, 1)
	p.Tasks[0].Choices = []nest.Choice{
		{Strategy: "whole", Kernel: "kernel", Engine: "avx2", Kernels: 1, Cost: 7, Packed: []int{1}},
		{Strategy: "tiling", Kernels: 5, Rejected: []nest.Rejected{{Strategy: "whole", Why: "no kernel"}}, Streamed: []int{2}},
	}
	l, err := (&Executor{ChunkElems: 1000}).LinkProgram(p)
	require.NoError(t, err)
	require.Equal(t, []StepInfo{
		{Signature: "kernel", Compiled: "kernel", Engine: "avx2", Strategy: "whole", Cost: 7, Packed: []int{1}, Blocks: 4, Chunks: 2, Group: -1},
		{Compiled: "tiling of 5", Strategy: "tiling", Rejected: []nest.Rejected{{Strategy: "whole", Why: "no kernel"}}, Streamed: []int{2}, Blocks: 4, Chunks: 2, Group: -1},
	}, l.Steps())
}

func TestLinkProgramErrors(t *testing.T) {
	_, err := (&Executor{}).LinkProgram(nil)
	require.ErrorContains(t, err, "nil")
	for want, change := range map[string]func(t *nest.Task, c *nest.Call){
		"no slot 9":             func(_ *nest.Task, c *nest.Call) { c.Args[0].Slot = 9 },
		"no buffer 5":           func(t *nest.Task, _ *nest.Call) { t.Slots[0].Buffer = 5 },
		"no memory of i32":      func(t *nest.Task, _ *nest.Call) { t.Slots[0].DType = ir.Int32 },
		"1 strides in 2 loops":  func(_ *nest.Task, c *nest.Call) { c.Args[0].Strides = []int{1} },
		"no element 1200":       func(_ *nest.Task, c *nest.Call) { c.Args[0].Offset = 1200 },
		"no element -1":         func(_ *nest.Task, c *nest.Call) { c.Args[2].Offset = -1 },
		"2 arguments, want 3":   func(_ *nest.Task, c *nest.Call) { c.Args = c.Args[:2] },
		"1 fields, want 0":      func(_ *nest.Task, c *nest.Call) { c.Fields = []nest.Size{nest.Fixed(1)} },
		"loop 2 does not":       func(_ *nest.Task, c *nest.Call) { c.Rows = nest.Of(2) },
		"in tiles of 0":         func(t *nest.Task, _ *nest.Call) { t.Parts[0].Loops[1].Tile = 0 },
		"neither a call nor":    func(t *nest.Task, _ *nest.Call) { t.Parts[0].Items = append(t.Parts[0].Items, nest.Item{}) },
		"no kernel is register": func(_ *nest.Task, c *nest.Call) { c.Kernel = fiveOps() },
		"kind 9":                func(t *nest.Task, _ *nest.Call) { t.Slots[0].Kind = 9 },
		"in 64 bytes of scratch": func(t *nest.Task, _ *nest.Call) {
			t.Scratch, t.Slots = 64, append(t.Slots, nest.Slot{Kind: nest.Scratch, DType: f32, Elems: 17})
		},
		"table of 0": func(t *nest.Task, _ *nest.Call) {
			t.Slots = append(t.Slots, nest.Slot{Kind: nest.Table, DType: f32})
		},
	} {
		p := subProgram(t, 30, 40, 7, 16, unit(f32), 0, 40, 1)
		change(&p.Tasks[0], p.Tasks[0].Parts[0].Items[0].Call)
		_, err := (&Executor{}).LinkProgram(p)
		require.ErrorContains(t, err, strings.ReplaceAll(want, "i32", ir.Int32.String()))
	}
}

// What a call computes with a splat that is a constant of the program, in place.
func TestConstantBuffer(t *testing.T) {
	var m programMaker
	const n = 100
	tmp := m.temp(f32, -1, n)
	slots := []nest.Slot{m.slot(m.param(f32, n)), m.slot(m.constant(f32, uint64(math.Float32bits(3)))), m.slot(tmp)}
	sub := addKernel(unit(f32), splat(f32))
	m.task(n, slots, nest.Nest{Items: []nest.Item{callOf(sub, nest.Fixed(4), nest.Fixed(25), at(0, 0, 25), at(1, 0, 0), at(2, 0, 25))}})
	m.task(n, []nest.Slot{m.slot(tmp), slots[1], m.slot(m.result(f32, n))}, nest.Nest{Items: []nest.Item{
		callOf(sub, nest.Fixed(1), nest.Fixed(n), at(0, 0, 0), at(1, 0, 0), at(0, 0, 0)),
		callOf(single(t, ir.OpCopy, unit(f32)), nest.Fixed(1), nest.Fixed(n), at(0, 0, 0), at(2, 0, 0)),
	}})
	checkProgram(t, m.program())
}
