package runtime

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// transposedPlan adds y to x, which is read across, forwards or backwards along both
// axes. The elements of its lines are apart by so many.
func transposedPlan(dt ir.DType, rows, cols, apart int, back [2]bool, blockRows, blockCols int) *plan.Plan {
	var m planMaker
	line := rows*apart + 3
	x, y := m.param(dt, cols*line), m.param(dt, rows, cols)
	at, down, right := 1, apart, line
	if back[0] {
		at, down = at+(rows-1)*down, -down
	}
	if back[1] {
		at, right = at+(cols-1)*right, -right
	}
	k, err := kernel.SingleOp(ir.OpAdd, ir.Invalid, unit(dt), unit(dt))
	if err != nil {
		panic(err)
	}
	m.step(k, []int{rows, cols}, blockRows, blockCols, access(x, at, down, right), access(y, 0, cols, 1), access(m.result(dt, rows, cols), 0, cols, 1))
	return &m.plan
}

// TestTransposedEdges takes all small extents, on every executor, and as many
// columns more as are turned.
func TestTransposedEdges(t *testing.T) {
	for _, dt := range []ir.DType{ir.Uint8, ir.Float32, ir.Int64} {
		t.Run(dt.String(), func(t *testing.T) {
			t.Parallel()
			for rows := range 18 {
				for cols := range 18 {
					n := rows*18 + cols
					back := [2]bool{n%2 == 1, n%4 >= 2}
					for _, cols := range []int{cols, cols + turnCols - 1} {
						checkAll(t, transposedPlan(dt, rows, cols, 1+n%5/4, back, 64, 64))
					}
				}
			}
		})
	}
}

// TestTransposedBlocks takes several blocks, high ones and wide ones.
func TestTransposedBlocks(t *testing.T) {
	for i, c := range []struct{ rows, cols, blockRows, blockCols int }{
		{300, 210, 8, 210}, {2, 700, 2, 700}, {700, 2, 300, 2}, {70, 600, 1, 600}, {129, 257, 4, 257}, {50, 60, 1, 7},
	} {
		dt := []ir.DType{ir.Float32, ir.Uint8, ir.Int64}[i%3]
		for _, back := range [][2]bool{{}, {true, true}} {
			checkAll(t, transposedPlan(dt, c.rows, c.cols, 1, back, c.blockRows, c.blockCols))
		}
	}
}

// TestTurnedBlock checks that blocks stay within what they may have, and are no
// flat strips where they need not be.
func TestTurnedBlock(t *testing.T) {
	for _, sizes := range [][]int{{1}, {4}, {8}, {4, 4}, {1, 8}, {8, 8, 8, 8}} {
		for _, extents := range [][2]int{{1, 1}, {1, 9999}, {9999, 1}, {3, 5000}, {5000, 3}, {256, 256}, {4096, 4096}} {
			for _, most := range []int{1, 2, 100, 1024, 32 << 10, 64 << 10} {
				s := &step{rows: extents[0], cols: extents[1]}
				bytes := 0
				for i, size := range sizes {
					s.operands = append(s.operands, operand{size: size})
					s.turns = append(s.turns, turn{operand: i})
					bytes += size
				}
				rows, cols := s.turnedBlock(most)
				what := fmt.Sprint(sizes, extents, most, rows, cols)
				require.True(t, 1 <= rows && rows <= s.rows && 1 <= cols && cols <= s.cols, what)
				require.True(t, rows*cols <= most && rows*cols*bytes <= turnBytes, what)
				if most >= 1024 && s.rows >= 16 && s.cols >= 16 {
					require.True(t, rows >= 16 && cols >= 16, what)
				}
			}
		}
	}
}

// TestTransposedTwice adds a matrix's transpose, another's and what is folded of
// them, in one step and in one that folds its rows.
func TestTransposedTwice(t *testing.T) {
	const rows, cols = 150, 70
	b := kernel.NewBuilder(unit(f32), unit(f32))
	b.Store(b.Op(ir.OpSub, 0, b.Op(ir.OpExp, 1)))
	var m planMaker
	x, y, out := m.param(f32, cols, rows), m.param(f32, cols, rows), m.result(f32, rows, cols)
	m.step(b.Kernel(), []int{rows, cols}, 50, cols, access(x, 0, 1, rows), access(y, rows-1, -1, rows), access(out, 0, cols, 1))
	fold := kernel.NewBuilder(unit(f32), unit(f32))
	fold.Store(fold.Op(ir.OpSub, 0, 1))
	k := fold.Kernel()
	k.Fold = []ir.Op{ir.OpMax}
	m.step(k, []int{rows, cols}, 2, cols, access(x, 0, 1, rows), access(out, 0, cols, 1), access(m.result(f32, rows), 0, 1, 0))
	checkAll(t, &m.plan)
}
