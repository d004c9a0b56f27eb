package runtime

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// parsePlan returns a plan from its text, %[1]d and so on replaced.
func parsePlan(t require.TestingT, text string, args ...any) *plan.Plan {
	p, err := plan.ParsePlan(fmt.Sprintf(text, args...))
	require.NoError(t, err)
	require.NoError(t, p.Verify())
	for i := range p.Steps {
		s := &p.Steps[i]
		k, order := s.Kernel.Canonical()
		var ins []plan.Access
		for _, from := range order {
			ins = append(ins, s.Operands[from])
		}
		s.Kernel, s.Operands = k, append(ins, s.Operands[len(s.Kernel.In):]...)
	}
	return p
}

var lines = []int{1, 2, 7, 31, 32, 33, 63, 64, 65, 1023, 1024, 1025, 2047, 2048, 3000}

func TestFold(t *testing.T) {
	for _, n := range lines {
		for _, rows := range []int{1, 5} {
			chunks := ir.Chunks(n)
			checkAll(t, parsePlan(t, `plan fold arena=0 {
  %%0 = param x 0 : f32[%[1]d,%[2]d]
  %%1 = param y 1 : f32[%[1]d,%[2]d]
  %%2 = result a 0 : f32[%[3]d,%[1]d]
  %%3 = result b 1 : f32[%[1]d,%[2]d]
  %%4 = result c 2 : f32[%[1]d,%[3]d]
  step 0 [%[1]d,%[2]d] block=[%[1]d,%[2]d]
    kernel (u0:f32, u1:f32) { t0 = mul u0 u1; t1 = sub t0 u1; store add(t0) t1 max(t1) }
    %%0{%[2]d,1}+0 %%1{%[2]d,1}+0 -> %%2{1,%[1]d}+0 %%3{%[2]d,1}+0 %%4{%[3]d,1}+0
}
`, rows, n, chunks))
		}
	}
}

// Long rows that lie one behind the other are folded all together; of the others
// here one thing is different each.
func TestLongRows(t *testing.T) {
	for _, x := range []struct {
		cols, row, a, sRow int // columns; strides from row to row
		long               bool
	}{
		{2048, 2048, 1, 0, true}, {5120, 5120, 1, 0, true},
		{2049, 2049, 1, 0, false}, {2048, 2050, 1, 0, false}, {2048, 2048, 5, 0, false}, {2048, 2048, 1, 1, false},
		{2 * longest, 2 * longest, 1, 0, false},
	} {
		for _, rows := range []int{2, 5, 70} {
			chunks := ir.Chunks(x.cols)
			if rows*x.cols > 1<<18 {
				continue
			}
			aChunk := rows
			if x.a > 1 {
				x.a, aChunk = chunks, 1
			}
			p := parsePlan(t, `plan long arena=0 {
  %%0 = param x 0 : f32[%[1]d]
  %%1 = param s 1 : f32[%[2]d]
  %%2 = result a 0 : f32[%[3]d]
  %%3 = result b 1 : u8[%[3]d]
  step 0 [%[2]d,%[4]d] block=[%[2]d,%[4]d]
    kernel (u0:f32, s1:f32) { t0 = sub u0 s1; t1 = abs t0; t2 = cast:u8 t1; store add(t0) max(t2) }
    %%0{%[5]d,1}+0 %%1{%[6]d,0}+0 -> %%2{%[7]d,%[8]d}+0 %%3{%[7]d,%[8]d}+0
}
`, rows*x.row, rows, rows*chunks, x.cols, x.row, x.sRow, x.a, aChunk)
			require.Equal(t, x.long, hasLongRows(&p.Steps[0]))
			checkAll(t, p)
			if x.long { // in pairs
				checkAll(t, parsePlan(t, `plan long arena=0 {
  %%0 = param x 0 : f32[%[1]d]
  %%1 = result a 0 : f32[%[2]d]
  step 0 [%[3]d,%[4]d] block=[%[3]d,%[4]d]
    kernel (u0:f32) { store add(u0) }
    %%0{%[4]d,1}+0 -> %%1{1,%[3]d}+0
}
`, rows*x.cols, rows*chunks, rows, x.cols))
			}
		}
	}
}

// What is folded lies anyhow: backwards, transposed, repeated.
func TestFoldStrides(t *testing.T) {
	for _, n := range []int{5, 32, 100, 1024, 2500} {
		const rows = 37
		for _, x := range []struct {
			offset int
			a      [3]int
		}{{0, [3]int{rows * n, 1, rows}}, {2*rows*n - 1, [3]int{-rows * n, -n, -1}}, {0, [3]int{rows * n, 0, 2}}, {n - 1, [3]int{0, n, -1}}, {3, [3]int{0, 0, 0}}} {
			for _, block := range [][2]int{{rows, n}, {8, 1024}, {1, 7}} {
				p := parsePlan(t, `plan fold arena=0 {
  %%0 = param x 0 : f32[%[4]d]
  %%1 = param y 1 : f32[%[2]d]
  %%2 = result a 0 : f32[2,%[2]d,%[3]d]
  step 0 [2,%[2]d,%[1]d] block=[%[8]d,%[9]d]
    kernel (u0:f32, s1:f32) { t0 = sub u0 s1; store min(t0) }
    %%0{%[6]d,%[7]d,%[10]d}+%[5]d %%1{0,1,0}+0 -> %%2{%[11]d,%[3]d,1}+0
}
`, n, rows, ir.Chunks(n), 2*rows*n, x.offset, x.a[0], x.a[1], block[0], block[1], x.a[2], rows*ir.Chunks(n))
				checkAll(t, p)
			}
		}
	}
}

func TestFoldTypes(t *testing.T) {
	for by, types := range map[string][]string{"add": {"f32", "f64", "i32", "i64", "u32", "u8"}, "mul": {"f32", "u8"}, "max": {"f64", "i64"}, "min": {"f32", "i32"}, "and": {"bool"}, "or": {"bool"}} {
		for _, d := range types {
			for _, n := range []int{33, 1024, 1500} {
				checkAll(t, parsePlan(t, `plan fold arena=0 {
  %%0 = param x 0 : %[1]s[3,%[3]d]
  %%1 = result a 0 : %[1]s[3,%[4]d]
  step 0 [3,%[3]d] block=[3,%[3]d]
    kernel (u0:%[1]s) { store %[2]s(u0) }
    %%0{%[3]d,1}+0 -> %%1{%[4]d,1}+0
}
`, d, by, n, ir.Chunks(n)))
			}
		}
	}
}

// A fold of what is one element a row.
func TestFoldSplat(t *testing.T) {
	checkAll(t, parsePlan(t, `plan fold arena=0 {
  %%0 = param x 0 : f32[9]
  %%1 = param y 1 : f64[9,1100]
  %%2 = result a 0 : f32[9,2]
  %%3 = result b 1 : f64[9,2]
  step 0 [9,1100] block=[9,1100]
    kernel (s0:f32, u1:f64) { t0 = sqrt s0; store add(t0) add(u1) }
    %%0{1,0}+0 %%1{1100,1}+0 -> %%2{2,1}+0 %%3{2,1}+0
}
`))
}

func TestDown(t *testing.T) {
	for _, n := range lines {
		for _, cols := range []int{1, 3, 40, 200} {
			checkAll(t, parsePlan(t, `plan down arena=0 {
  %%0 = param x 0 : f32[2,%[1]d,%[2]d]
  %%1 = result a 0 : f32[%[3]d,2,%[2]d]
  step 0 [2,%[1]d,%[2]d] block=[%[1]d,%[2]d] down
    kernel (u0:f32, u1:f32) { t0 = add u0 u1; store t0 }
    %%1{%[2]d,%[4]d,1}+0 %%0{%[5]d,%[2]d,1}+0 -> %%1{%[2]d,%[4]d,1}+0
}
`, n, cols, ir.Chunks(n), 2*cols, n*cols))
		}
	}
}

// Two accumulators, a store, operands that do not move, packed ones.
func TestDownBodies(t *testing.T) {
	for _, n := range []int{20, 33, 100, 1024, 1100} {
		for _, cols := range []int{1, 17, 3000} {
			if n*cols > 100_000 {
				continue
			}
			for _, x := range [][3]int{{0, cols, 1}, {0, 1, n}, {n*cols - 1, -cols, -1}, {0, 2 * cols, 1}, {0, 0, 1}} {
				checkAll(t, parsePlan(t, `plan down arena=0 {
  %%0 = param x 0 : f32[%[7]d]
  %%1 = param y 1 : f32[%[2]d]
  %%2 = param z 2 : f32[%[1]d]
  %%3 = result a 0 : f32[%[3]d,%[2]d]
  %%4 = result b 1 : f64[%[3]d,%[2]d]
  %%5 = result c 2 : f32[%[1]d,%[2]d]
  step 0 [%[1]d,%[2]d] block=[%[1]d,%[2]d] down
    kernel (u0:f32, u1:f32, s2:f32, u3:f32, u4:f64) { t0 = sub u0 u1; t1 = mul t0 s2; t2 = add u3 t1; t3 = cast:f64 t0; t4 = max u4 t3; store t2 t4 t1 }
    %%0{%[5]d,%[6]d}+%[4]d %%1{0,1}+0 %%2{1,0}+0 %%3{%[2]d,1}+0 %%4{%[2]d,1}+0 -> %%3{%[2]d,1}+0 %%4{%[2]d,1}+0 %%5{%[2]d,1}+0
}
`, n, cols, ir.Chunks(n), x[0], x[1], x[2], 2*n*cols))
			}
		}
	}
}

func TestIota(t *testing.T) {
	for _, d := range []string{"i32", "i64", "u32"} {
		for _, n := range []int{3, 5000} {
			checkAll(t, parsePlan(t, `plan iota arena=0 {
  %%0 = iota : %[1]s[%[2]d]
  %%1 = param x 0 : %[1]s[4,%[2]d]
  %%2 = result y 0 : %[1]s[4,%[2]d]
  %%3 = result z 1 : %[1]s[4,%[3]d]
  step 0 [4,%[2]d] block=[4,%[2]d]
    kernel (u0:%[1]s, u1:%[1]s) { t0 = add u0 u1; store t0 max(t0) }
    %%0{0,1}+0 %%1{%[2]d,1}+0 -> %%2{%[2]d,1}+0 %%3{%[3]d,1}+0
}
`, d, n, ir.Chunks(n)))
		}
	}
	_, err := (&Executor{}).Link(&plan.Plan{Buffers: []plan.Buffer{{Kind: plan.IotaBuffer, DType: f32, Shape: []int{3}}}})
	require.ErrorContains(t, err, "no table")
}

// There are built-in kernels of many rows for sums, and for those alone.
func TestManyRows(t *testing.T) {
	for body, want := range map[string]bool{"t0 = add u0 u1": true, "t0 = max u0 u1": true, "t0 = min u0 u1": true, "t0 = mul u0 u1": true, "t0 = sqrt u1; t1 = add u0 t0": false} {
		for _, d := range []string{"f32", "f64"} {
			last := "t0"
			if !want {
				last = "t1"
			}
			p := parsePlan(t, `plan down arena=0 {
  %%0 = param x 0 : %[1]s[300,40]
  %%1 = result a 0 : %[1]s[40]
  step 0 [300,40] block=[300,40] down
    kernel (u0:%[1]s, u1:%[1]s) { %[2]s; store %[3]s }
    %%1{0,1}+0 %%0{40,1}+0 -> %%1{0,1}+0
}
`, d, body, last)
			l, err := (&Executor{}).Link(p)
			require.NoError(t, err)
			require.Equal(t, want, l.tasks[0].computation.(*stepTask).steps[0].down.many != nil, body)
		}
	}
}
