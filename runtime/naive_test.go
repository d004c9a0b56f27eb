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
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// naive executes a program by its definition: each call gets a new frame, with addresses
// computed from nothing. It checks that each address is of an element of the slot.
type naive struct {
	t      require.TestingT
	lookup func(abi.Engine, string) (func(*abi.Frame), bool)
	task   *nest.Task
	slots  [][]byte // the memory of the present task's slots
	origin []int    // bytes in there of location 0
	index  []int    // of the enclosing loops' iterations
	size   []int    // indices of those
	calls  int
}

// naiveRun executes a program on tensors and temporaries of its own.
func naiveRun(t require.TestingT, e *Executor, p *nest.Program, outs, ins []*tensor.Tensor) *naive {
	n := &naive{t: t, lookup: e.lookup}
	if n.lookup == nil {
		n.lookup = abi.Lookup
	}
	arena := make([]byte, p.Arena)
	for i := range p.Tasks {
		n.task, n.slots, n.origin = &p.Tasks[i], nil, nil
		for _, s := range p.Tasks[i].Slots {
			memory, origin := n.memory(p, s, arena, outs, ins)
			n.slots, n.origin = append(n.slots, memory), append(n.origin, origin)
		}
		for k := range p.Tasks[i].Parts {
			n.nest(&p.Tasks[i].Parts[k])
		}
	}
	return n
}

// memory returns the bytes of a slot, and where among them location 0 is.
func (n *naive) memory(p *nest.Program, s nest.Slot, arena []byte, outs, ins []*tensor.Tensor) ([]byte, int) {
	size := s.DType.Size()
	if s.Kind != nest.Operand {
		m := make([]byte, s.Elems*size)
		for i := 0; s.Kind == nest.Table && i < len(m); i += size {
			memory.StoreBits(s.DType, unsafe.Pointer(&m[i]), s.Bits)
		}
		return m, 0
	}
	b := p.Buffers[s.Buffer]
	var x *tensor.Tensor
	switch b.Kind {
	case plan.TempBuffer:
		return arena[b.Offset:][:b.Size()*size], 0
	case plan.ConstBuffer:
		m := make([]byte, 8)
		memory.StoreBits(b.DType, unsafe.Pointer(&m[0]), b.Bits)
		return m[:size], 0
	case plan.ParamBuffer:
		x = ins[b.Index]
	case plan.ResultBuffer:
		x = outs[b.Index]
	default:
		require.Fail(n.t, "a kind of buffer that tests do without")
	}
	_, l, base := x.Parts()
	lo, hi := l.Bounds()
	return unsafe.Slice((*byte)(unsafe.Add(base, lo*size)), (hi+1-lo)*size), -lo * size
}

func (n *naive) nest(x *nest.Nest) {
	if len(x.Loops) == 0 {
		for _, it := range x.Items {
			if it.Nest != nil {
				n.nest(it.Nest)
			} else {
				n.call(it.Call)
			}
		}
		return
	}
	l, rest := x.Loops[0], &nest.Nest{Loops: x.Loops[1:], Items: x.Items}
	extent, depth := n.of(l.Extent), len(n.index)
	for i := 0; i*l.Tile < extent; i++ {
		n.index, n.size = append(n.index[:depth], i), append(n.size[:depth], min(l.Tile, extent-i*l.Tile))
		n.nest(rest)
	}
	n.index, n.size = n.index[:depth], n.size[:depth]
}

func (n *naive) of(s nest.Size) int {
	if s.Loop < 0 {
		return s.N
	}
	return s.N * n.size[s.Loop]
}

func (n *naive) call(c *nest.Call) {
	n.calls++
	f := abi.Frame{Rows: n.of(c.Rows), Cols: n.of(c.Cols)}
	for i, a := range c.Args {
		at, size := a.Offset, n.task.Slots[a.Slot].DType.Size()
		for l, stride := range a.Strides {
			at += n.index[l] * stride
		}
		at = at*size + n.origin[a.Slot]
		require.True(n.t, 0 <= at && at+size <= len(n.slots[a.Slot]), "%s: argument %d at byte %d", c.Kernel.Signature(), i, at)
		f.Ptr[i], f.Step[i] = unsafe.Pointer(&n.slots[a.Slot][at]), a.Step*size
	}
	for i, s := range c.Fields {
		f.Step[c.Kernel.FieldAt(i)] = n.of(s)
	}
	fn, ok := n.lookup(abi.Portable, c.Kernel.Signature())
	require.True(n.t, ok, c.Kernel.Signature())
	fn(&f)
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
// them, and a function that checks these.
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
			bytes[i] = 0xa5
		}
		all = append(all, bytes[:guard*size], bytes[len(bytes)-guard*size:])
		outs = append(outs, tensor.Over(b.DType, layout.RowMajor(b.Shape...), unsafe.Add(whole.Pointer(), guard*size)))
	}
	return outs, func(note string) {
		for i, bytes := range all {
			for at, v := range bytes {
				require.Equal(t, byte(0xa5), v, "%s: guard %d, byte %d", note, i, at)
			}
		}
	}
}

// checkProgram runs a program by several Executors, more than once each, and compares with
// its definition.
func checkProgram(t require.TestingT, p *nest.Program, lookup func(abi.Engine, string) (func(*abi.Frame), bool)) {
	_, ins := operandsFor(t, newRand(), &plan.Plan{Buffers: p.Buffers})
	want, check := guardedOuts(t, p)
	naiveRun(t, &Executor{lookup: lookup}, p, want, ins)
	check("naive")
	for name, e := range map[string]*Executor{
		"one": {Workers: 1}, "default": {}, "portable": {Portable: true}, "blocks": {Workers: 4, ChunkElems: 1}, "chunks": {Workers: 3, ChunkElems: 1000},
	} {
		e.lookup = lookup
		l, err := e.LinkProgram(p)
		require.NoError(t, err)
		for round := range 3 {
			got, check := guardedOuts(t, p)
			note := fmt.Sprintf("%s, run %d", name, round)
			require.NoError(t, l.Run(context.Background(), got, ins), note)
			check(note)
			for i, x := range got {
				requireSameElements(t, want[i], x, note)
			}
		}
	}
}

func requireSameElements(t require.TestingT, want, got *tensor.Tensor, note string) {
	for i := range want.Size() {
		a, b := addr(want, want.Layout().Offset+i), addr(got, got.Layout().Offset+i)
		if !sameElement(want.DType(), a, b) {
			require.FailNow(t, fmt.Sprintf("%s: element %d: got %x want %x", note, i, memory.LoadBits(got.DType(), b), memory.LoadBits(want.DType(), a)))
		}
	}
}
