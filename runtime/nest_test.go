package runtime_test

import (
	"context"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// TestNestTexts runs the nests that package nest has as texts, and refuses them
// if a part is there twice.
func TestNestTexts(t *testing.T) {
	files, err := filepath.Glob("../ir/nest/testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			p := nestOf(t, file)
			checkNests(t, p)
			e := with(orAnyKernel, &runtime.Executor{Verify: true})
			_, err = e.Link(p)
			require.NoError(t, err)
			p.Tasks[0].Parts = append(p.Tasks[0].Parts, p.Tasks[0].Parts[0])
			_, err = e.Link(p)
			require.ErrorContains(t, err, "link ", "what it computes twice")
		})
	}
}

// nestOf returns the nests in an archive of texts.
func nestOf(t *testing.T, file string) *nest.Program {
	a, err := txtar.ParseFile(file)
	require.NoError(t, err)
	for _, f := range a.Files {
		if f.Name == "nest" {
			p, err := nest.Parse(string(f.Data))
			require.NoError(t, err)
			return p
		}
	}
	require.FailNow(t, "no nest", file)
	return nil
}

// TestBlocks has blocks that divide the extents or not, and an operand that moves anyhow.
func TestBlocks(t *testing.T) {
	const rows, cols = 37, 53
	for _, block := range [][2]int{{1, 1}, {8, 53}, {37, 10}, {5, 16}, {37, 53}, {100, 100}, {1, 53}, {36, 52}} {
		for name, p := range map[string]*nest.Program{
			"dense":           subNest(rows, cols, block[0], block[1], unit, 0, cols, 1),
			"rows reversed":   subNest(rows, cols, block[0], block[1], unit, (rows-1)*60, -60, 1),
			"one row":         subNest(rows, cols, block[0], block[1], unit, 0, 0, 1),
			"one element":     subNest(rows, cols, block[0], block[1], splat, 0, 0, 0),
			"splat a row":     subNest(rows, cols, block[0], block[1], splat, 0, 1, 0),
			"splat, reversed": subNest(rows, cols, block[0], block[1], splat, 3*(rows-1), -3, 0),
		} {
			t.Run(name, func(t *testing.T) { checkNests(t, requireValid(t, p)) })
		}
	}
}

// TestTiles has loops whose extents are the sizes of blocks.
func TestTiles(t *testing.T) {
	for _, e := range [][2]int{{1, 1}, {10, 50}, {20, 100}, {37, 53}, {9, 49}, {101, 151}} {
		checkNests(t, requireValid(t, tilingNest(e[0], e[1])))
	}
}

// TestParts has a part without a loop, one without an iteration, whose arguments would be
// outside their memory, and a table.
func TestParts(t *testing.T) {
	var m maker
	const n = 1000
	slots := []nest.Slot{m.param(n), m.result(n), {Kind: nest.Table, DType: f32, Elems: 8, Bits: uint64(math.Float32bits(2))}}
	k := single(ir.OpSub, unit, splat)
	m.task(n, slots,
		nest.Nest{Items: []nest.Item{callOf(k, nest.Fixed(1), nest.Fixed(100), at(0, 0, 0), at(2, 7, 0), at(1, 0, 0))}},
		nest.Nest{Loops: loops(fixedLoop(0, 5)), Items: []nest.Item{
			callOf(k, nest.Fixed(1), nest.Fixed(100), at(0, 5000, 0, 0), at(2, 0, 0, 0), at(1, -5000, 0, 0))}},
		nest.Nest{Loops: loops(fixedLoop(n-100, 64)), Items: []nest.Item{
			callOf(k, nest.Fixed(1), nest.Of(0), at(0, 100, 0, 64), at(2, 0, 0, 0), at(1, 100, 0, 64))}})
	checkNests(t, requireValid(t, &m.p))
}

// TestInPlace has a call that overwrites what it reads, in a temporary, and a constant.
func TestInPlace(t *testing.T) {
	var m maker
	const n = 100
	x, out := m.param(n), m.result(n)
	three := m.buffer(plan.Buffer{Kind: plan.ConstBuffer, Bits: uint64(math.Float32bits(3))})
	tmp := m.buffer(plan.Buffer{Kind: plan.TempBuffer, Shape: []int{n}, Offset: 64})
	m.p.Arena = 512
	sub := single(ir.OpSub, unit, splat)
	m.task(n, []nest.Slot{x, three, tmp}, nest.Nest{Items: []nest.Item{callOf(sub, nest.Fixed(4), nest.Fixed(25), at(0, 0, 25), at(1, 0, 0), at(2, 0, 25))}})
	m.task(n, []nest.Slot{tmp, three, out}, nest.Nest{Items: []nest.Item{
		callOf(sub, nest.Fixed(1), nest.Fixed(n), at(0, 0, 0), at(1, 0, 0), at(0, 0, 0)),
		callOf(single(ir.OpCopy, unit), nest.Fixed(1), nest.Fixed(n), at(0, 0, 0), at(2, 0, 0))}})
	checkNests(t, requireValid(t, &m.p))
}

// TestProductCall has fields that are the sizes of loops: how many pairs a call adds, and
// where the next ones are.
func TestProductCall(t *testing.T) {
	const rows, cols, pairs, blockRows, chunk = 23, 37, 600, 6, ir.DotChunk
	width := kernel.DotColumns(f32)
	var m maker
	slots := []nest.Slot{m.param(rows * pairs), m.param(pairs * cols), m.result(rows * cols)}
	chunks := func(from, extent, adds int) nest.Item {
		stride := from // the first chunk is alone
		it := callOf(&kernel.Micro{Kind: kernel.Dot, Type: f32}, nest.Of(0), nest.Of(1),
			at(0, from, pairs, blockRows*pairs, 0, stride),
			at(1, from*cols, cols, 0, width, stride*cols),
			at(2, 0, cols, blockRows*cols, width, 0))
		it.Call.Fields = []nest.Size{nest.Fixed(4), nest.Of(2), nest.Fixed(adds), {Loop: 2, N: 4 * cols}}
		return within(loops(fixedLoop(extent, chunk)), it)
	}
	m.task(rows*cols*pairs, slots, nest.Nest{Loops: loops(fixedLoop(rows, blockRows), fixedLoop(cols, width)),
		Items: []nest.Item{chunks(0, chunk, 0), chunks(chunk, pairs-chunk, 1)}})
	checkNests(t, requireValid(t, &m.p))
}

// TestPackedRows has left rows as far apart as packed ones, which tiles of 512 bits multiply by a loop of two pairs: an
// even and an odd number of pairs, and more than whole tiles of rows and columns.
func TestPackedRows(t *testing.T) {
	for _, d := range []ir.DType{ir.Float32, ir.Float64} {
		for _, pairs := range []int{1, 2, 37, ir.DotChunk} {
			const rows = 12 + 15
			cols, step := 2*kernel.DotColumns(d)+3, kernel.DotPackedStep(d)
			var m maker
			slots := []nest.Slot{m.param(rows * step), m.param(pairs * cols), m.result(rows * cols)}
			for i := range slots {
				m.p.Buffers[i].DType, slots[i].DType = d, d
			}
			it := callOf(&kernel.Micro{Kind: kernel.Dot, Type: d}, nest.Fixed(rows), nest.Of(0),
				at(0, 0, step, 0), at(1, 0, cols, 2*kernel.DotColumns(d)), at(2, 0, cols, 2*kernel.DotColumns(d)))
			it.Call.Fields = []nest.Size{nest.Fixed(d.Size()), nest.Fixed(pairs), nest.Fixed(0), nest.Fixed(0)}
			m.task(rows*cols*pairs, slots, nest.Nest{Loops: loops(fixedLoop(cols, 2*kernel.DotColumns(d))), Items: []nest.Item{it}})
			checkNests(t, requireValid(t, &m.p))
		}
	}
}

// TestDenseRowsAreOne looks at the frames of calls: rows without a gap between them are
// one row.
func TestDenseRowsAreOne(t *testing.T) {
	var seen [][2]int
	e := with(before(func(_ string, f *abi.Frame) { seen = append(seen, [2]int{f.Rows, f.Cols}) }), &runtime.Executor{Workers: 1})
	for name, c := range map[string]struct {
		p    *nest.Program
		want [][2]int
	}{
		"dense":     {subNest(7, 20, 3, 20, unit, 0, 20, 1), [][2]int{{1, 60}, {1, 60}, {1, 20}}},
		"columns":   {subNest(4, 20, 4, 10, unit, 0, 20, 1), [][2]int{{4, 10}, {4, 10}}},
		"broadcast": {subNest(4, 20, 4, 20, unit, 0, 0, 1), [][2]int{{4, 20}}},
		"a splat":   {subNest(4, 20, 4, 20, splat, 0, 0, 0), [][2]int{{1, 80}}},
		"splats":    {subNest(4, 20, 4, 20, splat, 0, 1, 0), [][2]int{{4, 20}}},
	} {
		l, err := e.Link(c.p)
		require.NoError(t, err)
		outs, ins := operands(t, c.p.Buffers)
		seen = nil
		require.NoError(t, l.Run(context.Background(), outs, ins))
		require.Equal(t, c.want, seen, name)
	}
}

// TestPortable has only Go kernels if Portable is set.
func TestPortable(t *testing.T) {
	var engines []abi.Engine
	e := with(func(on abi.Engine, sig string) (func(*abi.Frame), bool) {
		engines = append(engines, on)
		return abi.Lookup(on, sig)
	}, &runtime.Executor{Portable: true})
	_, err := e.Link(subNest(3, 4, 3, 4, unit, 0, 4, 1))
	require.NoError(t, err)
	require.Equal(t, []abi.Engine{abi.Portable}, engines)
	on, ok := e.Engine(single(ir.OpSub, unit, unit).Signature())
	require.True(t, ok)
	require.Equal(t, "portable", on)
	_, ok = e.Engine("kernel (u0:f32) { store u0 u0 }")
	require.False(t, ok)
}

// TestRowsFromTheRowAbove has a call that reads the row that it has stored before,
// through another slot of the same buffer: its rows are not one row, though no gap is
// between them.
func TestRowsFromTheRowAbove(t *testing.T) {
	const rows, cols = 9, 5
	add := single(ir.OpAdd, unit, unit)
	for _, above := range []int{1, 2} {
		var m maker
		slots := []nest.Slot{m.param(rows * cols), m.result(rows * cols)}
		slots = append(slots, slots[1])
		m.task(rows*cols, slots, nest.Nest{Items: []nest.Item{
			callOf(single(ir.OpCopy, unit), nest.Fixed(1), nest.Fixed(cols), at(0, 0, 0), at(1, 0, 0)),
			callOf(add, nest.Fixed(rows-1), nest.Fixed(cols), at(0, cols, cols), at(above, 0, cols), at(1, cols, cols))}})
		checkNests(t, requireValid(t, &m.p))
	}
}

// TestEmptyCallsAreCancelled has a loop of calls without elements that would go on for years.
func TestEmptyCallsAreCancelled(t *testing.T) {
	var m maker
	const n = 4
	k := single(ir.OpNeg, unit)
	m.task(n, []nest.Slot{m.param(n), m.result(n)}, nest.Nest{Items: []nest.Item{
		callOf(k, nest.Fixed(1), nest.Fixed(n), at(0, 0, 0), at(1, 0, 0)),
		within(loops(fixedLoop(math.MaxInt/8, 1)), callOf(k, nest.Fixed(1), nest.Fixed(0), at(0, 0, 0, 0), at(1, 0, 0, 0)))}})
	l, err := (&runtime.Executor{Verify: true}).Link(&m.p)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	x := tensor.Of([]float32{1, 2, 3, 4})
	require.ErrorIs(t, l.RunNew(ctx, make([]*tensor.Tensor, 1), []*tensor.Tensor{x}), context.DeadlineExceeded)
}
