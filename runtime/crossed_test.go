package runtime

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// crossedPlan takes distances of rows of x, n of them, to rows of y, each of cols
// elements; the strides of x, then of y.
func crossedPlan(t require.TestingT, body, d string, outer, n, rows, cols int, strides ...int) *plan.Plan {
	return parsePlan(t, `plan distances arena=0 {
  %%0 = param x 0 : %[1]s[%[3]d,%[4]d,%[6]d]
  %%1 = param y 1 : %[1]s[%[5]d,%[6]d]
  %%2 = result z 0 : %[1]s[%[3]d,%[4]d,%[5]d]
  step 0 [%[3]d,%[4]d,%[5]d,%[6]d] block=[64,1024]
    kernel (u0:%[1]s, u1:%[1]s) { %[2]s }
    %%0{%[7]d,%[8]d,%[9]d,%[10]d}+0 %%1{%[11]d,%[12]d,%[13]d,%[14]d}+0 -> %%2{%[15]d,%[5]d,1,0}+0
}
`, d, body, outer, n, rows, cols, strides[0], strides[1], strides[2], strides[3], strides[4], strides[5], strides[6], strides[7], n*rows)
}

const distance = "t0 = sub u0 u1; t1 = mul t0 t0; store add(t1)"

// Rows and indices that blocks and vectors divide, or not, and lines of all lengths.
func TestCrossed(t *testing.T) {
	for _, x := range []struct {
		d             string
		n, rows, cols int
	}{
		{"f32", 16, 64, 2}, {"f32", 17, 530, 3}, {"f32", 130, 65, 31}, {"f32", 16, 100, 32}, {"f32", 18, 64, 33},
		{"f32", 65, 79, 64}, {"f32", 16, 65, 100}, {"f32", 16, 70, 256}, {"f32", 17, 16, 7}, {"f64", 16, 65, 128},
		{"f64", 17, 530, 2}, {"f64", 70, 97, 64}, {"f64", 16, 31, 100}, {"f32", 1100, 65, 2},
	} {
		p := crossedPlan(t, distance, x.d, 1, x.n, x.rows, x.cols, x.n*x.cols, x.cols, 0, 1, 0, 0, x.cols, 1)
		requireCrossed(t, p, true)
		checkAll(t, p)
	}
}

func requireCrossed(t *testing.T, p *plan.Plan, want bool) {
	l, err := (&Executor{}).Link(p)
	require.NoError(t, err)
	require.Equal(t, want, l.tasks[0].computation.(*stepTask).steps[0].crossed != nil, p.String())
}

// What crosses in other ways, and what does not although it nearly does.
func TestCrossedShapes(t *testing.T) {
	const n, rows, cols = 20, 70, 40
	for _, x := range []struct {
		body    string
		outer   int
		strides []int
		want    bool
	}{
		{distance, 3, []int{n * cols, cols, 0, 1, 0, 0, cols, 1}, true},
		{"t0 = sub u1 u0; t1 = mul t0 t0; store add(t1)", 3, []int{n * cols, cols, 0, 1, 0, 0, cols, 1}, true},
		{"t0 = sub u1 u0; t1 = abs t0; store max(t1)", 1, []int{0, cols, 0, 1, 0, 0, cols, 1}, true},
		{"t0 = add u0 u1; store min(t0)", 2, []int{n * cols, cols, 0, 1, 0, 0, cols, 1}, true},
		{"t0 = mul u0 u1; store add(t0)", 1, []int{0, cols, 0, 1, 0, 0, cols, 1}, true},
		{"t0 = sub u0 u1; t1 = abs t0; store add(t1)", 1, []int{0, 0, 0, 1, 0, 0, cols, 1}, true},
		{distance, 1, []int{0, 1, 0, 1, 0, 0, 1, 1}, true}, // rows that overlap
		{distance, 1, []int{0, cols, 0, 1, 0, 0, 0, 1}, false},
		{distance, 1, []int{0, 1, 1, 1, 0, 0, cols, 1}, false},
		{distance, 1, []int{0, 1, 0, n, 0, 0, cols, 1}, false},
		{distance, 1, []int{0, cols, 0, 1, 0, 0, 1, rows}, false},
		{"t0 = sub u0 u1; t1 = sqrt t0; store add(t1)", 1, []int{0, cols, 0, 1, 0, 0, cols, 1}, false},
	} {
		p := crossedPlan(t, x.body, "f32", x.outer, n, rows, cols, x.strides...)
		requireCrossed(t, p, x.want)
		checkAll(t, p)
	}
	requireCrossed(t, crossedPlan(t, distance, "f32", 1, crossedIndices-1, rows, cols, 0, cols, 0, 1, 0, 0, cols, 1), false)
	requireCrossed(t, crossedPlan(t, distance, "f32", 1, n, crossedRows-1, cols, 0, cols, 0, 1, 0, 0, cols, 1), false)
	for _, cols := range []int{1, 257, ir.FoldChunk} {
		requireCrossed(t, crossedPlan(t, distance, "f32", 1, n, rows, cols, 0, cols, 0, 1, 0, 0, cols, 1), false)
	}
}

// The nearest row: blocks of indices go on to a fold of the distances.
func TestCrossedGroup(t *testing.T) {
	for _, block := range []int{crossedIndices - 1, crossedIndices, 20, 40} {
		p := parsePlan(t, `plan nearest arena=0 {
  %%0 = param x 0 : f32[3,40,%[2]d]
  %%1 = param y 1 : f32[%[1]d,%[2]d]
  %%2 = scratch 0 : f32[%[3]d,%[1]d]
  %%3 = result z 0 : f32[3,40]
  step 0 [3,40,%[1]d,%[2]d] block=[%[1]d,%[2]d]
    kernel (u0:f32, u1:f32) { t0 = sub u0 u1; t1 = mul t0 t0; store add(t1) }
    %%0{%[4]d,%[2]d,0,1}+0 %%1{0,0,%[2]d,1}+0 -> %%2{0,%[1]d,1,0}+0
  step 1 [3,40,%[1]d] block=[40,%[1]d]
    kernel (u0:f32) { store min(u0) }
    %%2{0,%[1]d,1}+0 -> %%3{40,1,0}+0
  rows first=0 last=1 outer=[3,40] along=[1,1] block=%[3]d scratch=%[5]d
}
`, 70, 33, block, 40*33, 4*block*70)
		requireCrossed(t, p, block >= crossedIndices)
		checkAll(t, p)
		l := check(t, &Executor{Workers: 1}, p, "")
		outs, ins := operandsFor(t, newRand(), p)
		if !raceDetector {
			require.Zero(t, testing.AllocsPerRun(10, func() { _ = l.Run(context.Background(), outs, ins) }))
		}
	}
}

// Blocks have all rows and indices once, and none is too narrow for the kernel.
func TestCrossedBlocks(t *testing.T) {
	for _, cols := range []int{2, 64, 128} {
		for rows := crossedRows; rows < 3000; rows += 13 {
			for _, pieces := range []int{1, 4, 32} {
				n := crossedIndices + rows%1500
				s := &step{ins: 2, operands: make([]operand, 3), rows: rows, cols: cols, elems: n * rows * cols}
				s.operands[2].size = 8
				x := &crossed{indices: n, units: make([]crossedUnit, 1)}
				each := x.cut(s, pieces)
				if last := rows % each; each < kernel.DownCols || last > 0 && last < kernel.DownCols || each*cols*8 > 2*turnBytes {
					t.Fatalf("%d rows, %d columns: blocks of %d", rows, cols, each)
				}
				require.LessOrEqual(t, x.block, min(n, crossedBlock))
				require.Positive(t, x.block)
			}
		}
	}
}
