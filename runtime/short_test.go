package runtime

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// shortPlan computes y = (x-a)*b-c over 2 by rows by cols, in place of x-a.
func shortPlan(dt ir.DType, rows, cols, block int, a, b, c plan.Access, operand kernel.Operand) *plan.Plan {
	var m planMaker
	size := 2 * rows * (cols + 3)
	dense := []int{rows * cols, cols, 1}
	x, t := m.param(dt, 2, rows, cols), m.temp(dt, -1, 2, rows, cols)
	for _, at := range []*plan.Access{&a, &b, &c} {
		at.Buffer = m.param(dt, size)
	}
	extents := []int{2, rows, cols}
	m.step(addKernel(unit(dt), operand), extents, block, cols, access(x, 0, dense...), a, access(t, 0, dense...))
	same := m.temp(dt, t, 2, rows, cols)
	k := kernel.NewBuilder(unit(dt), unit(dt), unit(dt))
	k.Store(k.Op(ir.OpSub, k.Op(ir.OpMul, 0, 1), 2))
	m.step(k.Kernel(), extents, block, cols, access(t, 0, dense...), b, c, access(same, 0, dense...))
	k = kernel.NewBuilder(unit(dt))
	k.Store(k.Op(ir.OpCopy, 0))
	m.step(k.Kernel(), extents, block, cols, access(same, 0, dense...), access(m.result(dt, 2, rows, cols), 0, dense...))
	return &m.plan
}

// Rows of any length below a few vectors give the same bits as long ones, wherever
// the operands lie.
func TestShortRows(t *testing.T) {
	dtypes := []ir.DType{ir.Float32, ir.Float64, ir.Uint8, ir.Int32, ir.Int64}
	for cols := 1; cols <= 17; cols++ {
		dt := dtypes[cols%len(dtypes)]
		repeats, back := access(0, 2, 0, 0, 1), access(0, cols+4, 1, 0, -1)
		aRow, wide, element := access(0, 0, 7, 1, 0), access(0, 1, 5, cols+1, 1), access(0, 3, 1, 0, 0)
		for _, size := range [][2]int{{15, 15}, {19, 7}, {499, 499}} {
			rows, block := size[0], size[1]
			aRowBack := access(0, 2*rows, 3, -2, 0)
			checkAll(t, shortPlan(dt, rows, cols, block, aRow, repeats, back, splat(dt)))
			checkAll(t, shortPlan(dt, rows, cols, block, aRowBack, repeats, wide, unit(dt)))
			checkAll(t, shortPlan(dt, rows, cols, block, element, wide, aRow, unit(dt)))
		}
	}
}

// A tile of the same rows is one for every column of blocks, in tiles of few rows too.
func TestShortRowsOfMany(t *testing.T) {
	for _, cols := range []int{31, 33, 63, 65} {
		repeats, back := access(0, 2, 1, 0, 1), access(0, cols+4, 1, 0, -1)
		checkAll(t, shortPlan(f32, 499, cols, 499, access(0, 1, 0, 0, 0), repeats, back, splat(f32)))
	}
}

func TestShortRowsArePacked(t *testing.T) {
	for name, c := range map[string]struct {
		cols   int
		b, c   plan.Access
		packed []int
	}{
		"factors of channels": {3, access(0, 0, 0, 0, 1), access(0, 0, 0, 0, 1), []int{1, 2}},
		"a row and an image":  {3, access(0, 0, 0, 0, 1), access(0, 0, 303, 3, 1), []int{1}},
		"part of an image":    {3, access(0, 0, 0, 0, 1), access(0, 0, 404, 4, 1), []int{1, 2}},
		"one element a row":   {3, access(0, 0, 0, 0, 1), access(0, 0, 101, 1, 0), []int{1, 2}},
		"full vectors":        {8, access(0, 0, 0, 0, 1), access(0, 0, 0, 0, 1), nil},
		"long rows":           {65, access(0, 0, 0, 0, 1), access(0, 0, 0, 0, 1), nil},
		"too much to copy":    {9, access(0, 0, 0, 0, 1), access(0, 0, 1010, 10, 1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := shortPlan(f32, 101, c.cols, 101, access(0, 0, 0, 0, 0), c.b, c.c, splat(f32))
			l, err := (&Executor{}).Link(p)
			require.NoError(t, err)
			require.Equal(t, c.packed, l.Steps()[1].Packed)
			s := l.tasks[1].computation.(*stepTask).steps[0]
			if c.packed == nil {
				return
			}
			var b bench
			b.prepare(s.program, make([]byte, s.program.scratch))
			block := abi.Frame{}
			for i := range s.operands {
				block.Step[i] = s.operands[i].rowStep
			}
			b.setWidth(&block, c.cols)
			require.False(t, slices.ContainsFunc(b.calls, func(k laneCall) bool { return !k.flat }))
		})
	}
}
