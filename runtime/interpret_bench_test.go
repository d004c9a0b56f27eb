package runtime

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

// vectorProgram is the schedule of a plan of one step over n elements, in blocks of tile.
func vectorProgram(p *plan.Plan, n, tile int, work float64) *nest.Program {
	s := &p.Steps[0]
	t := nest.Task{Elems: n, Work: work}
	c := &nest.Call{Kernel: s.Kernel, Rows: nest.Fixed(1), Cols: nest.Of(0)}
	for i, o := range s.Operands {
		t.Slots = append(t.Slots, nest.Buffer(o.Buffer, p.Buffers[o.Buffer].DType))
		c.Args = append(c.Args, nest.Arg{Slot: i, Offset: o.Offset, Strides: []int{o.Inner() * tile}})
	}
	t.Parts = []nest.Nest{{Loops: []nest.Loop{{Extent: nest.Fixed(n), Tile: tile}}, Items: []nest.Item{{Call: c}}}}
	return &nest.Program{Buffers: p.Buffers, Arena: p.Arena, Tasks: []nest.Task{t}}
}

// A program against the plan that it schedules: a whole Run, and one of a bound plan.
func BenchmarkProgram(b *testing.B) {
	var m planMaker
	x, y := m.param(f32, 16), m.param(f32, 16)
	m.step(addKernel(unit(f32), unit(f32)), []int{1, 16}, 1, 16, access(x, 0, 0, 1), access(y, 0, 0, 1), access(m.result(f32, 16), 0, 0, 1))
	five, small := fiveOpsPlan(64<<10, 16<<10), fiveOpsPlan(16, 16)
	for _, c := range []struct {
		name    string
		p       *plan.Plan
		program *nest.Program
	}{
		{"one call 16", &m.plan, vectorProgram(&m.plan, 16, 16, 1000)},
		{"tiling 16", small, tiledProgram(b, small, 16)},
		{"tiling 64K", five, tiledProgram(b, five, 64<<10)},
	} {
		for _, workers := range []int{1, 2} {
			e := &Executor{Workers: workers}
			old, err := e.Link(c.p)
			require.NoError(b, err)
			program, err := e.LinkProgram(c.program)
			require.NoError(b, err)
			outs, ins := operandsFor(b, newRand(), c.p)
			for _, x := range ins { // no special values, which could be slow
				for i := range x.Size() {
					memory.StoreBits(x.DType(), addr(x, i), randomFinite(x.DType(), i))
				}
			}
			ctx := context.Background()
			for name, l := range map[string]*Linked{"plan": old, "program": program} {
				bound, err := l.Bind(outs, ins)
				require.NoError(b, err)
				b.Run(fmt.Sprintf("%s/%d workers/%s", c.name, workers, name), func(b *testing.B) {
					for b.Loop() {
						_ = l.Run(ctx, outs, ins)
					}
				})
				b.Run(fmt.Sprintf("%s/%d workers/%s bound", c.name, workers, name), func(b *testing.B) {
					for b.Loop() {
						_ = bound.Run(ctx)
					}
				})
			}
		}
	}
}

// tiledProgram is the schedule of a plan's step over n elements as Link tiles it, with the
// same calls of the same kernels.
func tiledProgram(b *testing.B, p *plan.Plan, n int) *nest.Program {
	sigs := map[uintptr]string{}
	e := &Executor{Workers: 1, lookup: func(e abi.Engine, sig string) (func(*abi.Frame), bool) {
		fn, ok := abi.Lookup(e, sig)
		if ok {
			sigs[reflect.ValueOf(fn).Pointer()] = sig
		}
		return fn, ok
	}}
	l, err := e.Link(p)
	require.NoError(b, err)
	s := l.tasks[0].computation.(*stepTask).steps[0]
	t := nest.Task{Elems: n, Work: s.work(), Scratch: s.scratch}
	for i, slot := range s.program.slots {
		switch slot.class {
		case operandSlot:
			t.Slots = append(t.Slots, nest.Buffer(s.operands[i].buffer, f32))
		case tileSlot:
			t.Slots = append(t.Slots, nest.Slot{Kind: nest.Scratch, DType: f32, Offset: slot.at, Elems: s.program.tileCols})
		default:
			b.Fatal(slot.class)
		}
	}
	in := nest.Nest{Loops: []nest.Loop{{Extent: nest.Of(0), Tile: s.program.tileCols}}}
	require.Zero(b, s.program.rowCalls)
	for _, c := range s.program.calls {
		k, err := kernel.ParseKernel(sigs[reflect.ValueOf(c.fn).Pointer()])
		require.NoError(b, err)
		call := &nest.Call{Kernel: k, Rows: nest.Fixed(1), Cols: nest.Of(1)}
		for _, a := range c.args {
			at := nest.Arg{Slot: a.slot, Strides: []int{0, 0}}
			if s.program.slots[a.slot].class == operandSlot && s.operands[a.slot].colStep > 0 {
				at.Strides = []int{s.blockCols, s.program.tileCols}
			}
			call.Args = append(call.Args, at)
		}
		in.Items = append(in.Items, nest.Item{Call: call})
	}
	t.Parts = []nest.Nest{{Loops: []nest.Loop{{Extent: nest.Fixed(n), Tile: s.blockCols}}, Items: []nest.Item{{Nest: &in}}}}
	return &nest.Program{Buffers: p.Buffers, Arena: p.Arena, Tasks: []nest.Task{t}}
}

func BenchmarkLinkProgram(b *testing.B) {
	p := tilingProgram(b, 1000, 1000)
	e := &Executor{}
	b.Run("link", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := e.LinkProgram(p)
			require.NoError(b, err)
		}
	})
	b.Run("verify", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			require.NoError(b, p.Verify())
		}
	})
}
