package runtime

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// evaluated returns the results of a program by its definition.
func evaluated(t require.TestingT, p *nest.Program, ins []*tensor.Tensor) [][]uint64 {
	var inputs [][]uint64
	for _, x := range ins {
		_, hi := x.Layout().Bounds()
		data := make([]uint64, hi+1)
		for at := range x.Layout().All() {
			data[at] = loadElement(x.DType(), addr(x, at))
		}
		inputs = append(inputs, data)
	}
	results, err := nest.Eval(p, inputs)
	require.NoError(t, err)
	return results
}

// programMaker writes programs by hand.
type programMaker struct {
	planMaker
	tasks []nest.Task
}

// task appends a task of parts.
func (m *programMaker) task(elems int, slots []nest.Slot, parts ...nest.Nest) *nest.Task {
	scratch := 0
	for i := range slots {
		if s := &slots[i]; s.Kind == nest.Scratch {
			s.Offset = scratch
			scratch += (s.Elems*s.DType.Size()+63)&^63 + 64
		}
	}
	m.tasks = append(m.tasks, nest.Task{First: len(m.tasks), Last: len(m.tasks), Slots: slots, Scratch: scratch, Parts: parts, Work: float64(10 * elems), Elems: elems})
	return &m.tasks[len(m.tasks)-1]
}

func (m *programMaker) slot(buffer int) nest.Slot {
	return nest.Buffer(buffer, m.plan.Buffers[buffer].DType)
}

func (m *programMaker) program() *nest.Program {
	return &nest.Program{Name: "test", Buffers: m.plan.Buffers, Arena: m.plan.Arena, Tasks: m.tasks}
}

func scratchSlot(d ir.DType, elems int) nest.Slot {
	return nest.Slot{Kind: nest.Scratch, DType: d, Elems: elems}
}

func loops(l ...nest.Loop) []nest.Loop { return l }

func fixedLoop(extent, tile int) nest.Loop { return nest.Loop{Extent: nest.Fixed(extent), Tile: tile} }

func tiles(loop, tile int) nest.Loop { return nest.Loop{Extent: nest.Of(loop), Tile: tile} }

func callOf(k kernel.Code, rows, cols nest.Size, args ...nest.Arg) nest.Item {
	return nest.Item{Call: &nest.Call{Kernel: k, Rows: rows, Cols: cols, Args: args}}
}

func within(l []nest.Loop, items ...nest.Item) nest.Item {
	return nest.Item{Nest: &nest.Nest{Loops: l, Items: items}}
}

func at(slot, offset, step int, strides ...int) nest.Arg {
	return nest.Arg{Slot: slot, Offset: offset, Step: step, Strides: strides}
}

func single(t require.TestingT, op ir.Op, args ...kernel.Operand) *kernel.Kernel {
	k, err := kernel.SingleOp(op, ir.Invalid, args...)
	require.NoError(t, err)
	return k
}

// guard is how many elements round an output must stay as they are.
const guard = 40

// guardedOuts returns tensors for the results of a program, in memory with guards round
// them, all filled with what nest.Eval fills memory with, and a function that checks these.
func guardedOuts(t require.TestingT, p *nest.Program) (outs []*tensor.Tensor, check func(note string)) {
	var all [][]byte
	for i := range p.Buffers {
		b := &p.Buffers[i]
		if b.Kind != plan.ResultBuffer {
			continue
		}
		size := b.DType.Size()
		whole := tensor.New(b.DType, b.Size()+2*guard)
		require.NoError(t, whole.Err())
		bytes := unsafe.Slice((*byte)(whole.Pointer()), (b.Size()+2*guard)*size)
		for i := range bytes {
			bytes[i] = 0xff
		}
		all = append(all, bytes[:guard*size], bytes[len(bytes)-guard*size:])
		outs = append(outs, tensor.Over(b.DType, layout.RowMajor(b.Shape...), unsafe.Add(whole.Pointer(), guard*size)))
	}
	return outs, func(note string) {
		for i, bytes := range all {
			for at, v := range bytes {
				require.Equal(t, byte(0xff), v, "%s: guard %d, byte %d", note, i, at)
			}
		}
	}
}

// checkProgram verifies a program and compares it with its definition.
func checkProgram(t require.TestingT, p *nest.Program) {
	require.NoError(t, p.Verify())
	compareProgram(t, p)
}

// compareProgram runs a program by several Executors, more than once each, and compares with
// its definition.
func compareProgram(t require.TestingT, p *nest.Program) {
	_, ins := operandsFor(t, newRand(), &plan.Plan{Buffers: p.Buffers})
	want := evaluated(t, p, ins)
	for name, e := range map[string]*Executor{
		"one": {Workers: 1}, "default": {}, "meanings": {lookup: meanings}, "portable": {Portable: true}, "blocks": {Workers: 4, ChunkElems: 1}, "chunks": {Workers: 3, ChunkElems: 1000},
	} {
		if e.lookup == nil {
			e.lookup = orMeanings
		}
		l, err := e.LinkProgram(p)
		require.NoError(t, err)
		for round := range 3 {
			got, check := guardedOuts(t, p)
			note := fmt.Sprintf("%s, run %d", name, round)
			require.NoError(t, l.Run(context.Background(), got, ins), note)
			check(note)
			requireResults(t, want, got, note)
		}
	}
}
