package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// reducePlan returns a plan of one step from its text.
func reducePlan(t require.TestingT, text string, args ...any) *plan.Plan {
	p, err := plan.ParsePlan(fmt.Sprintf(text, args...))
	require.NoError(t, err)
	require.NoError(t, p.Verify())
	return p
}

// checkReduction requires that strategies compute the step of a plan as the definition
// says. Machines and libraries take turns.
func checkReduction(t *testing.T, p *plan.Plan, want ...string) {
	step, inputs := p.Steps[0], randomInputs(p)
	for _, by := range want {
		machines := 1
		if *long {
			machines = 2
		}
		for range machines {
			turn++
			m := tuning.Default([]int{1, 8, 3}[turn%3])
			if turn%3 == 2 {
				m = irtest.Machine(100)
				m.Workers = 3
			}
			lib := []library{anyKernel, singles, oneRow, anyKernel}[turn/3%4]
			d, why := draftBy(by, &target{Machine: m, lib: lib, buffers: p.Buffers, read: buffersRead(p)}, &step)
			if d == nil && (by == "pairwise-reduction" || by == "column-reduction/trees") && turn/3%4 == 1 {
				continue // there are no kernels of one op
			}
			require.NotNil(t, d, "%s: %s: %s", by, why, p)
			program := programOf(p, []*Draft{d})
			require.NoError(t, eval.CheckTranslation(p, program, inputs), "%s%s", p, program)
		}
	}
}

var turn int // of the tests' machines and libraries

// oneRow has no kernel that combines several rows at once.
func oneRow(signature string) string {
	if strings.Contains(signature, "t3 = add u") || strings.Contains(signature, "t3 = m") {
		return ""
	}
	return "avx2"
}

// randomInputs returns elements for the params of a plan: floats are small numbers, and int64
// are indices of lines if a step has such.
func randomInputs(p *plan.Plan) (inputs []eval.Array) {
	r := rand.New(rand.NewPCG(1, 2))
	indexed := slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return s.OnLines() })
	for _, b := range p.Buffers {
		if b.Kind != plan.ParamBuffer {
			continue
		}
		x := eval.Array{DType: b.DType, Shape: b.Shape, Data: make([]uint64, b.Size())}
		for i := range x.Data {
			switch {
			case b.Name == "offsets": // of rows of 20 elements
				x.Data[i] = uint64(i % b.Shape[len(b.Shape)-1] * 20)
			case b.DType == ir.Bool:
				x.Data[i] = r.Uint64() & 1
			case ir.Floats.Has(b.DType):
				x.Data[i] = ir.FromFloat(b.DType, r.NormFloat64())
			case b.DType == ir.Int64 && indexed:
				x.Data[i] = r.Uint64N(1000)
			default:
				x.Data[i] = ir.Wrap(b.DType, r.Int64())
			}
		}
		inputs = append(inputs, x)
	}
	return inputs
}

var lengths = []int{1, 2, 8, 31, 32, 33, 63, 64, 65, 130, 1023, 1024, 1025, 2047, 2048, 2049, 3000}

// TestReduceRows has an output that is stored beside two that are combined.
func TestReduceRows(t *testing.T) {
	for _, n := range lengths {
		for _, rows := range []int{1, 5} {
			checkReduction(t, reducePlan(t, `plan rows arena=0 {
  %%0 = param x 0 : f32[%[1]d,%[2]d]
  %%1 = param y 1 : f32[%[1]d,%[2]d]
  %%2 = result a 0 : f32[%[3]d,%[1]d]
  %%3 = result b 1 : f32[%[1]d,%[2]d]
  %%4 = result c 2 : f32[%[1]d,%[3]d]
  step 0 [%[1]d,%[2]d reduce]
    kernel (u0:f32, u1:f32) { t0 = mul u0 u1; t1 = sub t0 u1; store t0 t1 t1 }
    %%0{%[2]d,1}+0 %%1{%[2]d,1}+0 -> add %%2{1,%[1]d}+0 %%3{%[2]d,1}+0 max %%4{%[3]d,1}+0
}
`, rows, n, ir.Chunks(n)), "row-reduction")
		}
	}
}

// TestLongRows has lines that lie one behind the other, and others where one thing is
// different each.
func TestLongRows(t *testing.T) {
	for _, x := range []struct{ cols, row, a, sRow int }{
		{2048, 2048, 1, 0}, {5120, 5120, 1, 0}, {2049, 2049, 1, 0}, {2048, 2050, 1, 0}, {2048, 2048, 5, 0}, {2048, 2048, 1, 1}, {40 << 10, 40 << 10, 1, 0},
	} {
		for _, rows := range []int{2, 5, 31} {
			chunks := ir.Chunks(x.cols)
			if rows*x.cols > 1<<16 {
				continue
			}
			aChunk, class := rows, "s"
			if x.sRow > 0 {
				class = "u"
			}
			if x.a > 1 {
				x.a, aChunk = chunks, 1
			}
			checkReduction(t, reducePlan(t, `plan long arena=0 {
  %%0 = param x 0 : f32[%[1]d]
  %%1 = param s 1 : f32[%[2]d]
  %%2 = result a 0 : f32[%[3]d]
  %%3 = result b 1 : u8[%[3]d]
  step 0 [%[2]d,%[4]d reduce]
    kernel (u0:f32, %[9]s1:f32) { t0 = sub u0 %[9]s1; t1 = abs t0; t2 = cast:u8 t1; store t0 t2 }
    %%0{%[5]d,1}+0 %%1{%[6]d,0}+0 -> add %%2{%[7]d,%[8]d}+0 max %%3{%[7]d,%[8]d}+0
}
`, rows*x.row, rows, rows*chunks, x.cols, x.row, x.sRow, x.a, aChunk, class), "row-reduction")
		}
	}
}

// TestReduceStrides has inputs that go backwards, are transposed, or repeat.
func TestReduceStrides(t *testing.T) {
	for _, n := range []int{1, 5, 32, 100, 1024, 2500} {
		const rows = 37
		for _, x := range []struct {
			offset int
			a      [3]int
		}{{0, [3]int{rows * n, 1, rows}}, {2*rows*n - 1, [3]int{-rows * n, -n, -1}}, {0, [3]int{rows * n, 0, 2}}, {n - 1, [3]int{0, n, -1}}, {3, [3]int{0, 0, 0}}, {0, [3]int{rows * n, n, 1}}, {0, [3]int{1, 2, 2 * rows}}} {
			class := "u"
			if x.a == [3]int{} {
				class = "s"
			}
			checkReduction(t, reducePlan(t, `plan strides arena=0 {
  %%0 = param x 0 : f32[%[4]d]
  %%1 = param y 1 : f32[%[2]d]
  %%2 = result a 0 : f32[2,%[2]d,%[3]d]
  step 0 [2,%[2]d,%[1]d reduce]
    kernel (%[10]s0:f32, u1:f32) { t0 = sub %[10]s0 u1; store t0 }
    %%0{%[6]d,%[7]d,%[8]d}+%[5]d %%1{0,1,0}+0 -> min %%2{%[9]d,%[3]d,1}+0
}
`, n, rows, ir.Chunks(n), 2*rows*n, x.offset, x.a[0], x.a[1], x.a[2], rows*ir.Chunks(n), class), "row-reduction")
			checkReduction(t, reducePlan(t, `plan strides arena=0 {
  %%0 = param x 0 : f32[%[4]d]
  %%1 = param y 1 : f32[%[2]d]
  %%2 = result a 0 : f32[%[3]d,2,%[2]d]
  step 0 [2,%[2]d,%[1]d reduce]
    kernel (%[10]s0:f32, u1:f32) { t0 = sub %[10]s0 u1; store t0 }
    %%0{%[6]d,%[7]d,%[8]d}+%[5]d %%1{0,1,0}+0 -> min %%2{%[2]d,1,%[9]d}+0
}
`, n, rows, ir.Chunks(n), 2*rows*n, x.offset, x.a[0], x.a[1], x.a[2], 2*rows, class), "row-reduction", "column-reduction")
		}
	}
}

// TestReduceTypes has each combiner and types of each size.
func TestReduceTypes(t *testing.T) {
	for by, types := range map[string][]string{"add": {"f32", "f64", "i32", "i64", "u32", "u8"}, "mul": {"f32", "u8"}, "max": {"f64", "i64"}, "min": {"f32", "i32"}, "and": {"bool"}, "or": {"bool"}} {
		for _, d := range types {
			for _, n := range []int{2, 33, 700, 1024, 1500} {
				checkReduction(t, reducePlan(t, `plan types arena=0 {
  %%0 = param x 0 : %[1]s[3,%[3]d]
  %%1 = result a 0 : %[1]s[%[4]d,3]
  step 0 [3,%[3]d reduce]
    kernel (u0:%[1]s) { store u0 }
    %%0{%[3]d,1}+0 -> %[2]s %%1{1,3}+0
}
`, d, by, n, ir.Chunks(n)), "row-reduction", "column-reduction")
			}
		}
	}
}

// TestReduceFinds has indices, which only rows give.
func TestReduceFinds(t *testing.T) {
	for _, by := range []string{"argmin", "argmax"} {
		p := reducePlan(t, `plan finds arena=0 {
  %%0 = param x 0 : f32[5,1500]
  %%1 = result a 0 : i32[2,5]
  step 0 [5,1500 reduce]
    kernel (u0:f32) { store u0 }
    %%0{1500,1}+0 -> %s %%1{1,5}+0
}
`, by)
		checkReduction(t, p, "row-reduction")
		step := p.Steps[0]
		_, why := draftBy("column-reduction", &target{Machine: tuning.Default(1), lib: library(anyKernel), buffers: p.Buffers}, &step)
		require.Equal(t, "an index is found along a row alone", why)
	}
}

func TestReduceColumns(t *testing.T) {
	for _, n := range lengths {
		for _, cols := range []int{1, 3, 40, 200} {
			if n*cols > 30_000 {
				continue
			}
			for _, by := range []string{"add", "max"} { // max has fewer lanes
				checkReduction(t, reducePlan(t, `plan columns arena=0 {
  %%0 = param x 0 : f32[2,%[1]d,%[2]d]
  %%1 = result a 0 : f32[%[3]d,2,%[2]d]
  step 0 [2,%[1]d reduce,%[2]d]
    kernel (u0:f32) { store u0 }
    %%0{%[5]d,%[2]d,1}+0 -> %[6]s %%1{%[2]d,%[4]d,1}+0
}
`, n, cols, ir.Chunks(n), 2*cols, n*cols, by), "column-reduction", "row-reduction")
			}
		}
	}
}

// TestColumnTrees has rows apart, an operand that is the same for all rows, and one that is the same
// for all columns.
func TestColumnTrees(t *testing.T) {
	for _, n := range []int{16, 20, 31, 33, 100, 192} {
		for _, cols := range []int{16, 17, 40, 129, 300} {
			if n*cols > 60_000 {
				continue
			}
			for _, apart := range []int{cols, cols + 3, -cols} {
				checkReduction(t, reducePlan(t, `plan trees arena=0 {
  %%0 = param x 0 : f32[2,%[1]d,%[6]d]
  %%1 = param y 1 : f32[%[2]d]
  %%2 = param z 2 : f32[2,%[1]d]
  %%3 = result a 0 : f32[%[3]d,2,%[2]d]
  step 0 [2,%[1]d reduce,%[2]d]
    kernel (u0:f32, u1:f32, u2:f32) { t0 = sub u0 u1; t1 = mul t0 u2; store t1 }
    %%0{%[7]d,%[5]d,1}+%[4]d %%1{0,0,1}+0 %%2{%[1]d,1,0}+0 -> add %%3{%[2]d,%[8]d,1}+0
}
`, n, cols, ir.Chunks(n), max(0, -apart)*(n-1), apart, max(apart, -apart), n*max(apart, -apart), 2*cols), "column-reduction/trees")
			}
		}
	}
}

// TestWideColumnTrees has rows that begin where lines of the caches do, of whole strips and of more than four, in several chunks.
func TestWideColumnTrees(t *testing.T) {
	for _, n := range []int{193, 1024, 1100, 2080} {
		for _, cols := range []int{64, 272} {
			if n*cols > 150_000 {
				continue
			}
			for _, apart := range []int{cols, cols + 32} {
				for _, from := range []int{0, 48} {
					p := reducePlan(t, `plan trees arena=0 {
  %%0 = param x 0 : f32[%[1]d,%[4]d]
  %%1 = result a 0 : f32[%[3]d,%[2]d]
  step 0 [%[1]d reduce,%[2]d]
    kernel (u0:f32) { store u0 }
    %%0{%[5]d,1}+%[6]d -> add %%1{%[2]d,1}+0
}
`, n, cols, ir.Chunks(n), apart+64, apart, from)
					for _, workers := range []int{1, 3} {
						m := tuning.Default(workers)
						m.SetVector(64)
						d, why := draftBy("column-reduction/trees", &target{Machine: m, lib: library(anyKernel), buffers: p.Buffers, read: buffersRead(p)}, &p.Steps[0])
						require.NotNil(t, d, "%s: %s", why, p)
						program := programOf(p, []*Draft{d})
						require.NoError(t, eval.CheckTranslation(p, program, randomInputs(p)), "%s%s", p, program)
					}
				}
			}
		}
	}
}

// TestWideColumns pins which columns of many rows are reduced by trees: those of whole lines of the caches, by kernels of AVX-512.
func TestWideColumns(t *testing.T) {
	for _, x := range []struct {
		vector, rows, cols, apart, from int
		want                            bool
	}{
		{64, 256, 256, 256, 0, true},
		{64, 256, 272, 304, 32, true},
		{64, 2048, 2048, 2048, 0, true},
		{64, 256, 64, 64, 0, true},
		{32, 256, 256, 256, 0, false},
		{64, 256, 257, 257, 0, false},
		{64, 256, 256, 256, 5, false},    // the rows begin within lines
		{64, 1024, 80, 80, 0, false},     // strips would overlap by much
		{64, 1024, 32, 32, 0, false},     // there is no strip
		{64, 4096, 4096, 4096, 0, false}, // memory is read row by row
		{32, 100, 257, 257, 0, true},     // few rows
	} {
		p := reducePlan(t, `plan trees arena=0 {
  %%0 = param x 0 : f32[%[1]d]
  %%1 = result a 0 : f32[%[2]d,%[3]d]
  step 0 [%[4]d reduce,%[3]d]
    kernel (u0:f32) { store u0 }
    %%0{%[5]d,1}+%[6]d -> add %%1{%[3]d,1}+0
}
`, x.rows*x.apart+x.from, ir.Chunks(x.rows), x.cols, x.rows, x.apart, x.from)
		m := tuning.Default(1)
		m.SetVector(x.vector)
		d, why := draftBy("column-reduction/trees", &target{Machine: m, lib: library(anyKernel), buffers: p.Buffers, read: buffersRead(p)}, &p.Steps[0])
		require.Equal(t, x.want, d != nil, "%+v: %s", x, why)
	}
}

// TestColumnBodies has two accumulators, a store, inputs that repeat, packed ones.
func TestColumnBodies(t *testing.T) {
	for _, n := range []int{1, 20, 33, 100, 160, 1024, 1100} {
		for _, cols := range []int{1, 17, 3000} {
			if n*cols > 60_000 {
				continue
			}
			for _, x := range [][3]int{{0, cols, 1}, {0, 1, n}, {n*cols - 1, -cols, -1}, {0, 2 * cols, 1}, {0, 0, 1}, {0, 0, 2}} {
				checkReduction(t, reducePlan(t, `plan bodies arena=0 {
  %%0 = param x 0 : f32[%[7]d]
  %%1 = param y 1 : f32[%[2]d]
  %%2 = param z 2 : f32[%[1]d]
  %%3 = result a 0 : f32[%[3]d,%[2]d]
  %%4 = result b 1 : f64[%[3]d,%[2]d]
  %%5 = result c 2 : f32[%[1]d,%[2]d]
  step 0 [%[1]d reduce,%[2]d]
    kernel (u0:f32, u1:f32, u2:f32) { t0 = sub u0 u1; t1 = mul t0 u2; t2 = cast:f64 t0; store t1 t2 t1 }
    %%0{%[5]d,%[6]d}+%[4]d %%1{0,1}+0 %%2{1,0}+0 -> add %%3{%[2]d,1}+0 max %%4{%[2]d,1}+0 %%5{%[2]d,1}+0
}
`, n, cols, ir.Chunks(n), x[0], x[1], x[2], 2*n*cols), "column-reduction")
			}
		}
	}
}

// TestRowsAtOnceOnTwoEngines: rows are combined several at once where one engine has that
// kernel and another, as fast, has the kernel for a single row.
func TestRowsAtOnceOnTwoEngines(t *testing.T) {
	p := reducePlan(t, `plan f arena=0 {
  %%0 = param x 0   : f32[256,256]
  %%1 = result "" 0 : f32[256]
  step 0 [256,256 reduce]
    kernel (u0:f32) { store u0 }
    %%0{1,256}+0 -> add %%1{1,0}+0
}`)
	parts := func(lib library) []nest.Nest {
		d, why := draftBy("column-reduction", &target{Machine: tuning.Default(1), lib: lib, buffers: p.Buffers, read: buffersRead(p)}, &p.Steps[0])
		require.NotNil(t, d, why)
		return d.Parts
	}
	two := func(signature string) string {
		if oneRow(signature) == "" {
			return "avx512"
		}
		return "avx2"
	}
	require.Equal(t, parts(anyKernel), parts(two))
	require.NotEqual(t, parts(oneRow), parts(two))
}
