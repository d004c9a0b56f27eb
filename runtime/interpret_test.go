package runtime

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// subProgram is out = x - y over rows x cols, in blocks of so many, where y moves by
// yRow and yCol.
func subProgram(t require.TestingT, rows, cols, blockRows, blockCols int, y kernel.Operand, offset, yRow, yCol int) *nest.Program {
	var m programMaker
	size := 1 + (rows-1)*max(yRow, -yRow) + (cols-1)*max(yCol, -yCol)
	slots := []nest.Slot{m.slot(m.param(f32, rows, cols)), m.slot(m.param(f32, size)), m.slot(m.result(f32, rows, cols))}
	k := addKernel(unit(f32), y)
	m.task(rows*cols, slots, nest.Nest{
		Loops: loops(fixedLoop(rows, blockRows), fixedLoop(cols, blockCols)),
		Items: []nest.Item{callOf(k, nest.Of(0), nest.Of(1),
			at(0, 0, cols, blockRows*cols, blockCols),
			at(1, offset, yRow, blockRows*yRow, blockCols*yCol),
			at(2, 0, cols, blockRows*cols, blockCols))},
	})
	return m.program()
}

func TestBlocks(t *testing.T) {
	const rows, cols = 37, 53
	for _, block := range [][2]int{{1, 1}, {8, 53}, {37, 10}, {5, 16}, {37, 53}, {100, 100}, {1, 53}, {36, 52}} {
		for name, p := range map[string]*nest.Program{
			"dense":           subProgram(t, rows, cols, block[0], block[1], unit(f32), 0, cols, 1),
			"rows reversed":   subProgram(t, rows, cols, block[0], block[1], unit(f32), (rows-1)*60, -60, 1),
			"one row":         subProgram(t, rows, cols, block[0], block[1], unit(f32), 0, 0, 1),
			"one element":     subProgram(t, rows, cols, block[0], block[1], splat(f32), 0, 0, 0),
			"splat a row":     subProgram(t, rows, cols, block[0], block[1], splat(f32), 0, 1, 0),
			"splat, reversed": subProgram(t, rows, cols, block[0], block[1], splat(f32), 3*(rows-1), -3, 0),
		} {
			t.Run(name, func(t *testing.T) { checkProgram(t, p) })
		}
	}
}

// out = (x - y) * x in tiles, one register in scratch; y is one row, a column of a matrix
// that is packed for the whole block.
func tilingProgram(t require.TestingT, rows, cols int) *nest.Program {
	const blockRows, blockCols, tileRows, tileCols, apart = 10, 50, 3, 16, 7
	var m programMaker
	slots := []nest.Slot{
		m.slot(m.param(f32, rows, cols)), m.slot(m.param(f32, cols*apart)), m.slot(m.result(f32, rows, cols)),
		scratchSlot(f32, tileRows*tileCols), scratchSlot(f32, blockCols),
	}
	pack := callOf(&kernel.Micro{Row: kernel.Pack, Type: ir.Uint32}, nest.Fixed(1), nest.Of(1),
		at(1, 0, 0, 0, blockCols*apart), at(4, 0, 0, 0, 0))
	pack.Call.Fields = []nest.Size{nest.Fixed(4 * apart)}
	whole := func(slot int) nest.Arg {
		return at(slot, 0, cols, blockRows*cols, blockCols, tileRows*cols, tileCols)
	}
	register := at(3, 0, tileCols, 0, 0, 0, 0)
	m.task(rows*cols, slots, nest.Nest{
		Loops: loops(fixedLoop(rows, blockRows), fixedLoop(cols, blockCols)),
		Items: []nest.Item{pack, within(loops(tiles(0, tileRows), tiles(1, tileCols)),
			callOf(single(t, ir.OpSub, unit(f32), unit(f32)), nest.Of(2), nest.Of(3), whole(0), at(4, 0, 0, 0, 0, 0, tileCols), register),
			callOf(single(t, ir.OpMul, unit(f32), unit(f32)), nest.Of(2), nest.Of(3), register, whole(0), whole(2)))},
	})
	return m.program()
}

func TestTiles(t *testing.T) {
	for _, e := range [][2]int{{1, 1}, {10, 50}, {20, 100}, {37, 53}, {9, 49}, {101, 151}} {
		checkProgram(t, tilingProgram(t, e[0], e[1]))
	}
}

// Two parts, one of which has no loop, and a table.
func TestParts(t *testing.T) {
	var m programMaker
	const n = 1000
	slots := []nest.Slot{m.slot(m.param(f32, n)), m.slot(m.result(f32, n)),
		{Kind: nest.Table, DType: f32, Elems: 8, Bits: uint64(math.Float32bits(2))}}
	k := addKernel(unit(f32), splat(f32))
	m.task(n, slots,
		nest.Nest{Items: []nest.Item{callOf(k, nest.Fixed(1), nest.Fixed(100), at(0, 0, 0), at(2, 7, 0), at(1, 0, 0))}},
		nest.Nest{Loops: loops(fixedLoop(0, 5)), Items: []nest.Item{ // never: it would be outside
			callOf(k, nest.Fixed(1), nest.Fixed(100), at(0, 5000, 0, 0), at(2, 0, 0, 0), at(1, -5000, 0, 0))}},
		nest.Nest{Loops: loops(fixedLoop(n-100, 64)), Items: []nest.Item{
			callOf(k, nest.Fixed(1), nest.Of(0), at(0, 100, 0, 64), at(2, 0, 0, 0), at(1, 100, 0, 64))}})
	checkProgram(t, m.program())
}

// A task that reads what the one before it stored in a temporary.
func TestTasks(t *testing.T) {
	var m programMaker
	const n = 5000
	x, tmp, out := m.param(f32, n), m.temp(f32, -1, n), m.result(f32, n)
	neg := single(t, ir.OpNeg, unit(f32))
	for _, s := range [][2]int{{x, tmp}, {tmp, out}} {
		m.task(n, []nest.Slot{m.slot(s[0]), m.slot(s[1])}, nest.Nest{Loops: loops(fixedLoop(n, 300)), Items: []nest.Item{
			callOf(neg, nest.Fixed(1), nest.Of(0), at(0, 0, 0, 300), at(1, 0, 0, 300))}})
	}
	checkProgram(t, m.program())
}

// Transposed in tiles: the bytes between the elements of a row are a field.
func TestTransposeCall(t *testing.T) {
	var m programMaker
	const rows, cols, tile = 45, 70, 16
	slots := []nest.Slot{m.slot(m.param(f32, cols, rows)), m.slot(m.result(f32, rows, cols))}
	it := callOf(kernel.TransposeKernel(ir.Uint32), nest.Of(0), nest.Of(1),
		at(0, 0, rows, tile, tile*rows), at(1, 0, cols, tile*cols, tile))
	it.Call.Fields = []nest.Size{nest.Fixed(4)}
	m.task(rows*cols, slots, nest.Nest{Loops: loops(fixedLoop(rows, tile), fixedLoop(cols, tile)), Items: []nest.Item{it}})
	checkProgram(t, m.program())
}

// A product in blocks: the pairs of a call are a loop's, and so is where the next ones are.
func TestDotCall(t *testing.T) {
	var m programMaker
	const rows, cols, pairs, blockRows, chunk = 23, 37, 150, 6, 64
	width := kernel.DotColumns(f32)
	slots := []nest.Slot{m.slot(m.param(f32, rows, pairs)), m.slot(m.param(f32, pairs, cols)), m.slot(m.result(f32, rows, cols))}
	dot := func(first bool) nest.Item {
		strides, part, adds, extent := []int{0, 0, chunk}, chunk, 1, pairs-chunk
		if first {
			strides, part, adds, extent = []int{0, 0, 0}, 0, 0, chunk
		}
		it := callOf(kernel.DotKernel(f32), nest.Of(0), nest.Of(1),
			at(0, part, pairs, blockRows*pairs, 0, strides[2]),
			at(1, part*cols, cols, 0, width, strides[2]*cols),
			at(2, 0, cols, blockRows*cols, width, 0))
		it.Call.Fields = []nest.Size{nest.Fixed(4), nest.Of(2), nest.Fixed(adds), {Loop: 2, N: 4 * cols}}
		return within(loops(fixedLoop(extent, chunk)), it)
	}
	m.task(rows*cols*pairs, slots, nest.Nest{Loops: loops(fixedLoop(rows, blockRows), fixedLoop(cols, width)), Items: []nest.Item{dot(true), dot(false)}})
	checkProgram(t, m.program())
}

// Stored past the caches, in bytes: the columns are four times the loop's indices.
func TestNonTemporalStores(t *testing.T) {
	var m programMaker
	const n, block, tile = 10_000, 3000, 512
	slots := []nest.Slot{m.slot(m.param(f32, n)), m.slot(m.result(f32, n)), scratchSlot(f32, tile)}
	m.task(n, slots, nest.Nest{Loops: loops(fixedLoop(n, block)), Items: []nest.Item{within(loops(tiles(0, tile)),
		callOf(single(t, ir.OpNeg, unit(f32)), nest.Fixed(1), nest.Of(1), at(0, 0, 0, block, tile), at(2, 0, 0, 0, 0)),
		callOf(kernel.StreamKernel(), nest.Fixed(1), nest.Size{Loop: 1, N: 4}, at(2, 0, 0, 0, 0), at(1, 0, 0, block, tile)))}})
	checkProgram(t, m.program())
	l, err := (&Executor{}).LinkProgram(m.program())
	require.NoError(t, err)
	require.NotNil(t, l.tasks[0].computation.(*nestTask).fence)
}

// Rows without a gap between them are one row.
func TestDenseRowsAreOne(t *testing.T) {
	var seen [][2]int
	lookup := func(e abi.Engine, sig string) (func(*abi.Frame), bool) {
		fn, ok := abi.Lookup(e, sig)
		return func(f *abi.Frame) { seen = append(seen, [2]int{f.Rows, f.Cols}); fn(f) }, ok
	}
	for name, c := range map[string]struct {
		p    *nest.Program
		want [][2]int
	}{
		"dense":     {subProgram(t, 7, 20, 3, 20, unit(f32), 0, 20, 1), [][2]int{{1, 60}, {1, 60}, {1, 20}}},
		"columns":   {subProgram(t, 4, 20, 4, 10, unit(f32), 0, 20, 1), [][2]int{{4, 10}, {4, 10}}},
		"broadcast": {subProgram(t, 4, 20, 4, 20, unit(f32), 0, 0, 1), [][2]int{{4, 20}}},
		"a splat":   {subProgram(t, 4, 20, 4, 20, splat(f32), 0, 0, 0), [][2]int{{1, 80}}},
		"splats":    {subProgram(t, 4, 20, 4, 20, splat(f32), 0, 1, 0), [][2]int{{4, 20}}},
	} {
		e := &Executor{Workers: 1, lookup: lookup}
		l, err := e.LinkProgram(c.p)
		require.NoError(t, err)
		outs, ins := operandsFor(t, newRand(), &planOf(c.p).plan)
		seen = nil
		require.NoError(t, l.Run(context.Background(), outs, ins))
		require.Equal(t, c.want, seen, name)
	}
}

func planOf(p *nest.Program) *planMaker {
	var m planMaker
	m.plan.Buffers = p.Buffers
	return &m
}

// A program that needs more scratch memory, or other sizes, than the one before it.
func TestWorkersServeManyPrograms(t *testing.T) {
	e := &Executor{Workers: 3, ChunkElems: 500}
	type run struct {
		l         *Linked
		outs, ins []*tensor.Tensor
		want      [][]uint64
	}
	var runs []run
	for _, p := range []*nest.Program{tilingProgram(t, 100, 120), subProgram(t, 90, 70, 7, 11, unit(f32), 0, 70, 1), tilingProgram(t, 61, 150)} {
		l, err := e.LinkProgram(p)
		require.NoError(t, err)
		r := run{l: l}
		r.outs, r.ins = operandsFor(t, newRand(), &planOf(p).plan)
		r.want = evaluated(t, p, r.ins)
		runs = append(runs, r)
	}
	for range 100 {
		for _, r := range runs {
			require.NoError(t, r.l.Run(context.Background(), r.outs, r.ins))
			requireResults(t, r.want, r.outs, "")
		}
	}
}

// The schedules that package nest has as texts.
func TestProgramTexts(t *testing.T) {
	files, err := filepath.Glob("../ir/nest/testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			_, after, found := strings.Cut(string(text), "-- nest --\n")
			require.True(t, found)
			source, _, _ := strings.Cut(after, "\n-- ")
			p, err := nest.Parse(source)
			require.NoError(t, err)
			checkProgram(t, p)

			_, err = (&Executor{Verify: true, lookup: orMeanings}).LinkProgram(p)
			require.NoError(t, err)
			p.Tasks[0].Parts = append(p.Tasks[0].Parts, p.Tasks[0].Parts[0])
			_, err = (&Executor{Verify: true, lookup: orMeanings}).LinkProgram(p)
			require.ErrorContains(t, err, "link ", "what it computes twice")
		})
	}
}
