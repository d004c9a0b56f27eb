package schedule

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// pairPlan takes distances of rows of x, n of them, to rows of y, each of cols elements;
// the strides of x, then of y. The body ends with
// the combiner.
func pairPlan(t require.TestingT, body, d string, outer, n, rows, cols int, strides ...int) *plan.Plan {
	body, by, _ := strings.Cut(body, " by ")
	return reducePlan(t, `plan distances arena=0 {
  %%0 = param x 0 : %[1]s[%[3]d,%[4]d,%[6]d]
  %%1 = param y 1 : %[1]s[%[5]d,%[6]d]
  %%2 = result z 0 : %[1]s[%[3]d,%[4]d,%[5]d]
  step 0 [%[3]d,%[4]d,%[5]d,%[6]d reduce]
    kernel (u0:%[1]s, u1:%[1]s) { %[2]s }
    %%0{%[7]d,%[8]d,%[9]d,%[10]d}+0 %%1{%[11]d,%[12]d,%[13]d,%[14]d}+0 -> %[16]s %%2{%[15]d,%[5]d,1,0}+0
}
`, d, body, outer, n, rows, cols, strides[0], strides[1], strides[2], strides[3], strides[4], strides[5], strides[6], strides[7], n*rows, by)
}

const distance = "t0 = sub u0 u1; t1 = mul t0 t0; store t1 by add"

// TestPairs has rows and indices that blocks and vectors divide, or not, and lines of
// all lengths.
func TestPairs(t *testing.T) {
	for _, x := range []struct {
		d             string
		n, rows, cols int
	}{
		{"f32", 16, 64, 2}, {"f32", 17, 530, 3}, {"f32", 130, 65, 31}, {"f32", 18, 64, 33},
		{"f32", 65, 79, 64}, {"f32", 16, 70, 256}, {"f32", 17, 16, 7}, {"f64", 16, 65, 128},
		{"f64", 17, 530, 2}, {"f64", 16, 31, 100}, {"f32", 1100, 65, 2},
	} {
		checkReduction(t, pairPlan(t, distance, x.d, 1, x.n, x.rows, x.cols, x.n*x.cols, x.cols, 0, 1, 0, 0, x.cols, 1), "pairwise-reduction")
	}
}

// TestPairShapes has pairs in other ways, and steps that are nearly pairwise.
func TestPairShapes(t *testing.T) {
	const n, rows, cols = 20, 70, 40
	tests := []struct {
		body    string
		outer   int
		strides []int
		why     string
	}{
		{distance, 3, []int{n * cols, cols, 0, 1, 0, 0, cols, 1}, ""},
		{"t0 = sub u1 u0; t1 = mul t0 t0; store t1 by add", 3, []int{n * cols, cols, 0, 1, 0, 0, cols, 1}, ""},
		{"t0 = sub u1 u0; t1 = abs t0; store t1 by max", 1, []int{0, cols, 0, 1, 0, 0, cols, 1}, ""},
		{"t0 = add u0 u1; store t0 by min", 2, []int{n * cols, cols, 0, 1, 0, 0, cols, 1}, ""},
		{"t0 = mul u0 u1; store t0 by add", 1, []int{0, cols, 0, 1, 0, 0, cols, 1}, ""},
		{"t0 = sub u0 u1; t1 = abs t0; store t1 by add", 1, []int{0, 0, 0, 1, 0, 0, cols, 1}, ""},
		{distance, 1, []int{0, 1, 0, 1, 0, 0, 1, 1}, ""}, // rows that overlap
		{distance, 1, []int{0, cols, 0, 1, 0, 0, 0, 1}, "the rows are not combined with indices"},
		{distance, 1, []int{0, 1, 1, 1, 0, 0, cols, 1}, "an input differs from row to row and from index to index"},
		{distance, 1, []int{0, 1, 0, n, 0, 0, cols, 1}, "an input is not contiguous along the lines"},
		{distance, 1, []int{0, cols, 0, 1, 0, 0, 1, rows}, "an input is not contiguous along the lines"},
		{"t0 = sub u0 u1; t1 = sqrt t0; store t1 by add", 1, []int{0, cols, 0, 1, 0, 0, cols, 1}, "the body is none of those that reduce columns"},
	}
	for _, x := range tests {
		p := pairPlan(t, x.body, "f32", x.outer, n, rows, cols, x.strides...)
		requirePairs(t, p, x.why)
		if x.why == "" {
			checkReduction(t, p, "pairwise-reduction")
		} else {
			checkReduction(t, p, "row-reduction")
		}
	}
	usual := []int{0, cols, 0, 1, 0, 0, cols, 1}
	few := func(rows, indices int) string {
		return fmt.Sprintf("%d rows and %d indices for each, needs 16 and 16", rows, indices)
	}
	long := func(cols int) string {
		return fmt.Sprintf("lines of %d elements are as fast where they are: copies may have 16384 bytes", cols)
	}
	requirePairs(t, pairPlan(t, distance, "f32", 1, 15, rows, cols, usual...), few(rows, 15))
	requirePairs(t, pairPlan(t, distance, "f32", 1, n, kernel.ColumnBlock-1, cols, usual...), few(kernel.ColumnBlock-1, n))
	requirePairs(t, pairPlan(t, distance, "f32", 1, n, rows, 257, usual...), long(257))
	requirePairs(t, pairPlan(t, distance, "f32", 1, n, rows, ir.ReduceChunk, usual...), long(ir.ReduceChunk))
}

func requirePairs(t *testing.T, p *plan.Plan, want string) {
	step := p.Steps[0]
	_, why := draftBy("pairwise-reduction", &target{Machine: tuning.Default(1), Options: Options{Reasons: true}, lib: library(anyKernel), buffers: p.Buffers}, &step)
	require.Equal(t, want, why, p.String())
}

// TestPairBlocks requires that blocks have all rows and indices, and that none is too
// narrow for the kernel.
func TestPairBlocks(t *testing.T) {
	for _, cols := range []int{2, 64, 128} {
		for rows := kernel.ColumnBlock; rows < 3000; rows += 13 {
			for _, workers := range []int{1, 4, 32} {
				n := 16 + rows%1500
				x := pairPlan(t, distance, "f64", 1, n, rows, cols, 0, cols, 0, 1, 0, 0, cols, 1)
				step := x.Steps[0]
				p := &pairWriter{t: &target{Machine: tuning.Default(workers)}, s: &step, index: 1, row: 2, line: 3}
				require.Empty(t, p.check())
				each := p.blockRows()
				if last := rows % each; each < kernel.ColumnBlock || last > 0 && last < kernel.ColumnBlock || each*cols*8 > 2*p.t.TransposedBytes {
					t.Fatalf("%d rows, %d columns: blocks of %d", rows, cols, each)
				}
				require.LessOrEqual(t, p.blockIndices(each), min(n, p.t.PairBlock))
				require.Positive(t, p.blockIndices(each))
			}
		}
	}
}
