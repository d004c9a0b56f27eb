package runtime

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

const f32 = ir.Float32

func addKernel(x, y kernel.Operand) *kernel.Kernel {
	b := kernel.NewBuilder(x, y)
	b.Store(b.Op(ir.OpSub, 0, 1)) // not commutative: the order shows
	return b.Kernel()
}

func TestAccesses(t *testing.T) {
	const rows, cols = 37, 53
	cases := map[string]struct {
		x       kernel.Operand
		offset  int
		strides []int // of the outer axis of 3, rows, columns
		size    int
	}{
		"contiguous":         {unit(f32), 0, []int{rows * cols, cols, 1}, 3 * rows * cols},
		"strided rows":       {unit(f32), 5, []int{rows * 64, 64, 1}, 3*rows*64 + 5},
		"strided":            {unit(f32), 1, []int{rows * cols * 3, cols * 3, 3}, 3*rows*cols*3 + 1},
		"transposed":         {unit(f32), 0, []int{rows * cols, 1, rows}, 3 * rows * cols},
		"transposed steps":   {unit(f32), 0, []int{2 * rows * cols, 2, 2 * rows}, 6 * rows * cols},
		"reversed columns":   {unit(f32), cols - 1, []int{rows * cols, cols, -1}, 3 * rows * cols},
		"all reversed":       {unit(f32), 3*rows*cols - 1, []int{-rows * cols, -cols, -1}, 3 * rows * cols},
		"reversed transpose": {unit(f32), 3*rows*cols - 1, []int{-rows * cols, -1, -rows}, 3 * rows * cols},
		"row repeated":       {unit(f32), 0, []int{0, 0, 1}, cols},
		"row repeated, back": {unit(f32), 2 * cols, []int{0, 0, -2}, 2*cols + 1},
		"one splat":          {splat(f32), 7, []int{0, 0, 0}, 8},
		"splat a row":        {splat(f32), 0, []int{0, 1, 0}, rows},
		"splat an outer":     {splat(f32), 2, []int{-1, 0, 0}, 3},
		"unit, not moving":   {unit(f32), 0, []int{0, 1, 0}, rows},
		"diagonal":           {unit(f32), 0, []int{1, 1, 1}, rows + cols + 3},
	}
	for name, c := range cases {
		for _, block := range [][2]int{{rows, cols}, {8, cols}, {5, 16}, {1, 7}, {100, 100}} {
			t.Run(name, func(t *testing.T) {
				var m planMaker
				x, y := m.param(f32, c.size), m.param(f32, 3, rows, cols)
				m.step(addKernel(c.x, unit(f32)), []int{3, rows, cols}, block[0], block[1],
					access(x, c.offset, c.strides...), access(y, 0, rows*cols, cols, 1),
					access(m.result(f32, 3, rows, cols), 0, rows*cols, cols, 1))
				checkAll(t, &m.plan)
			})
		}
	}
}

func TestElementSizes(t *testing.T) {
	for _, dt := range ir.Running.List() {
		t.Run(dt.String(), func(t *testing.T) {
			const rows, cols = 131, 67
			var m planMaker
			x := m.param(dt, cols, rows)
			out := m.result(dt, rows, cols)
			k, err := kernel.SingleOp(ir.OpCopy, ir.Invalid, unit(dt))
			require.NoError(t, err)
			m.step(k, []int{rows, cols}, rows, cols, access(x, 0, 1, rows), access(out, 0, cols, 1))
			checkAll(t, &m.plan)
		})
	}
}

// The elements of a param may lie anywhere, and its tensor start anywhere.
func TestParamLayout(t *testing.T) {
	at := layout.Layout{Shape: []int{4, 6}, Strides: []int{-1, 4}, Offset: 3}
	var m planMaker
	x := m.paramAt(f32, at)
	out := m.result(f32, 4, 6)
	k, err := kernel.SingleOp(ir.OpNeg, ir.Invalid, unit(f32))
	require.NoError(t, err)
	m.step(k, []int{4, 6}, 4, 6, access(x, 3, -1, 4), access(out, 0, 6, 1))
	checkAll(t, &m.plan)

	l, err := (&Executor{}).Link(&m.plan)
	require.NoError(t, err)
	outs, ins := operandsFor(t, newRand(), &m.plan)
	require.NoError(t, l.Run(context.Background(), outs, ins))
	want := outs[0].Clone()
	require.NoError(t, want.Err())

	data := make([]float32, 40)
	moved := tensor.OfLayout(data, layout.Layout{Shape: []int{4, 6}, Strides: []int{-1, 4}, Offset: 13})
	require.NoError(t, moved.Err())
	for i := range 4 {
		for j := range 6 {
			v, err := tensor.At[float32](ins[0], i, j)
			require.NoError(t, err)
			require.NoError(t, tensor.Set(moved, v, i, j))
		}
	}
	require.NoError(t, l.Run(context.Background(), outs, []*tensor.Tensor{moved}))
	require.True(t, tensor.Equal(want, outs[0]))
}

func TestSmallExtents(t *testing.T) {
	for _, e := range [][]int{{1, 1}, {1, 0}, {0, 5}, {0, 3, 4}, {5, 1}, {3, 7, 1}, {1, 1, 1, 1}, {2, 3, 2, 3, 2}} {
		var m planMaker
		n := layout.RowMajor(e...).Size()
		strides := layout.RowMajor(e...).Strides
		x, y, out := m.param(f32, n), m.param(f32, n), m.result(f32, n)
		m.step(addKernel(unit(f32), unit(f32)), e, 2, 2,
			access(x, 0, strides...), access(y, 0, strides...), access(out, 0, strides...))
		checkAll(t, &m.plan)
	}
}

// A column of a matrix: one column, the operands' stride along it is anything.
func TestOneColumn(t *testing.T) {
	var m planMaker
	x, y, out := m.param(f32, 9*20), m.param(f32, 9), m.result(f32, 20)
	m.step(addKernel(unit(f32), splat(f32)), []int{20, 1}, 7, 1,
		access(x, 4, 9, 9), access(y, 2, 0, 5), access(out, 0, 1, 8))
	checkAll(t, &m.plan)
}

// Large enough for several chunks, with an end that is not full.
func TestManyChunks(t *testing.T) {
	checkAll(t, fiveOpsPlan(100_003, 4096))
	var m planMaker
	x, y := m.param(f32, 300, 400), m.param(f32, 400)
	out := m.result(f32, 400, 300)
	m.step(addKernel(unit(f32), splat(f32)), []int{400, 300}, 100, 100,
		access(x, 0, 1, 400), access(y, 0, 1, 0), access(out, 0, 300, 1))
	checkAll(t, &m.plan)
}

func TestSteps(t *testing.T) {
	l := check(t, &Executor{NoFused: true, Portable: true}, fiveOpsPlan(100_000, 4096), "")
	s := l.Steps()
	require.Len(t, s, 1)
	require.Equal(t, "cover of 4", s[0].Compiled)
	require.Equal(t, "portable", s[0].Engine)
	require.Equal(t, fiveOpsPlan(1, 1).Steps[0].Kernel.Signature(), s[0].Signature)
	require.Equal(t, 25, s[0].Blocks)
	require.Equal(t, 4, s[0].Chunks)
	require.Equal(t, 100_000, s[0].Elements)
	require.Equal(t, 1_200_004, s[0].Read)
	require.Equal(t, 400_000, s[0].Written)
	require.Empty(t, s[0].Packed)

	var m planMaker
	x := m.param(f32, 8, 8)
	out := m.result(f32, 8, 8)
	m.step(addKernel(unit(f32), unit(f32)), []int{8, 8}, 8, 8, access(x, 0, 8, 1), access(x, 0, 1, 8), access(out, 0, 8, 1))
	s = check(t, &Executor{Portable: true}, &m.plan, "").Steps()
	require.Equal(t, "kernel", s[0].Compiled)
	require.Equal(t, []int{1}, s[0].Packed)
}

func TestConstants(t *testing.T) {
	b := kernel.NewBuilder(unit(ir.Float64))
	half := b.Float(ir.Float64, 0.5)
	b.Store(b.Op(ir.OpMul, 0, half))
	b.Store(b.Op(ir.OpSqrt, half)) // a constant stored
	var m planMaker
	x := m.param(ir.Float64, 3, 5)
	m.step(b.Kernel(), []int{3, 5}, 3, 5, access(x, 0, 5, 1),
		access(m.result(ir.Float64, 3, 5), 0, 5, 1), access(m.result(ir.Float64, 3, 5), 0, 5, 1))
	checkAll(t, &m.plan)
	require.Equal(t, math.Sqrt(0.5), 0.7071067811865476)
}
