package runtime_test

import (
	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

const f32 = ir.Float32

// maker writes nests by hand: the buffers, then tasks.
type maker struct {
	p    nest.Program
	next [plan.IotaBuffer + 1]int
}

func (m *maker) buffer(b plan.Buffer) nest.Slot {
	b.DType, b.Index = f32, m.next[b.Kind]
	m.next[b.Kind]++
	m.p.Buffers = append(m.p.Buffers, b)
	return nest.Buffer(len(m.p.Buffers)-1, f32)
}

func (m *maker) param(elems int) nest.Slot {
	return m.buffer(plan.Buffer{Kind: plan.ParamBuffer, Shape: []int{elems}})
}

func (m *maker) result(elems int) nest.Slot {
	return m.buffer(plan.Buffer{Kind: plan.ResultBuffer, Shape: []int{elems}})
}

// task appends a task of parts. The slots of scratch memory get places.
func (m *maker) task(elems int, slots []nest.Slot, parts ...nest.Nest) {
	scratch := 0
	for i := range slots {
		if s := &slots[i]; s.Kind == nest.Scratch {
			s.Offset = scratch
			scratch += (s.Elems*s.DType.Size()+63)&^63 + 64
		}
	}
	at := len(m.p.Tasks)
	m.p.Tasks = append(m.p.Tasks, nest.Task{First: at, Last: at, Slots: slots, Scratch: scratch, Parts: parts, Work: float64(10 * elems), Elems: elems})
}

func scratchSlot(elems int) nest.Slot { return nest.Slot{Kind: nest.Scratch, DType: f32, Elems: elems} }

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

var unit, splat = kernel.Operand{DType: f32}, kernel.Operand{DType: f32, Splat: true}

// single returns the kernel of one operation.
func single(op ir.Op, args ...kernel.Operand) *kernel.Kernel {
	k, err := kernel.SingleOp(op, ir.Invalid, args...)
	if err != nil {
		panic(err)
	}
	return k
}

// subNest is out = x - y over rows x cols, in blocks of so many, where y moves by yRow
// and yCol.
func subNest(rows, cols, blockRows, blockCols int, y kernel.Operand, offset, yRow, yCol int) *nest.Program {
	var m maker
	size := 1 + (rows-1)*max(yRow, -yRow) + (cols-1)*max(yCol, -yCol)
	slots := []nest.Slot{m.param(rows * cols), m.param(size), m.result(rows * cols)}
	m.task(rows*cols, slots, nest.Nest{
		Loops: loops(fixedLoop(rows, blockRows), fixedLoop(cols, blockCols)),
		Items: []nest.Item{callOf(single(ir.OpSub, unit, y), nest.Of(0), nest.Of(1),
			at(0, 0, cols, blockRows*cols, blockCols),
			at(1, offset, yRow, blockRows*yRow, blockCols*yCol),
			at(2, 0, cols, blockRows*cols, blockCols))},
	})
	return &m.p
}

// tilingNest is out = (x - y) * x in tiles, one register in scratch memory; y is one row,
// a column of a matrix that is packed for the whole block.
func tilingNest(rows, cols int) *nest.Program {
	const blockRows, blockCols, tileRows, tileCols, apart = 10, 50, 3, 16, 7
	var m maker
	slots := []nest.Slot{m.param(rows * cols), m.param(cols * apart), m.result(rows * cols), scratchSlot(tileRows * tileCols), scratchSlot(blockCols)}
	pack := callOf(&kernel.Micro{Kind: kernel.Pack, Type: ir.Uint32}, nest.Fixed(1), nest.Of(1),
		at(1, 0, 0, 0, blockCols*apart), at(4, 0, 0, 0, 0))
	pack.Call.Fields = []nest.Size{nest.Fixed(4 * apart)}
	whole := func(slot int) nest.Arg {
		return at(slot, 0, cols, blockRows*cols, blockCols, tileRows*cols, tileCols)
	}
	register := at(3, 0, tileCols, 0, 0, 0, 0)
	m.task(rows*cols, slots, nest.Nest{
		Loops: loops(fixedLoop(rows, blockRows), fixedLoop(cols, blockCols)),
		Items: []nest.Item{pack, within(loops(tiles(0, tileRows), tiles(1, tileCols)),
			callOf(single(ir.OpSub, unit, unit), nest.Of(2), nest.Of(3), whole(0), at(4, 0, 0, 0, 0, 0, tileCols), register),
			callOf(single(ir.OpMul, unit, unit), nest.Of(2), nest.Of(3), register, whole(0), whole(2)))},
	})
	return &m.p
}

// negNest is out = -x of n elements, in blocks, and tiles of these.
func negNest(n, block, tile int) *nest.Program {
	var m maker
	m.task(n, []nest.Slot{m.param(n), m.result(n)}, nest.Nest{Loops: loops(fixedLoop(n, block)), Items: []nest.Item{within(loops(tiles(0, tile)),
		callOf(single(ir.OpNeg, unit), nest.Fixed(1), nest.Of(1), at(0, 0, 0, block, tile), at(1, 0, 0, block, tile)))}})
	return &m.p
}

// requireValid verifies a program.
func requireValid(t require.TestingT, p *nest.Program) *nest.Program {
	require.NoError(t, p.Verify(), p)
	return p
}
