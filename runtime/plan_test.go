package runtime_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/passes"
	"github.com/stridefuse/stridefuse/runtime"
)

// graphs has every kind of step: what they compute, and how, passes and schedule test.
var graphs = map[string]string{
	"chain": `func f(%a: f32[N,M], %b: f32[N,M], %c: f32[M]) {
  %0 = expand %c   : f32[N,M]
  %1 = mul %a, %b  : f32[N,M]
  %2 = add %1, %0  : f32[N,M]
  %3 = mul %2, %a  : f32[N,M]
  %4 = const 1     : f32[]
  %5 = expand %4   : f32[N,M]
  %6 = abs %0      : f32[N,M]
  %7 = add %6, %5  : f32[N,M]
  %8 = div %b, %7  : f32[N,M]
  %9 = sub %3, %8  : f32[N,M]
  return %9
}`,
	"costly": `func f(%x: f64[N,M]) {
  %0 = tanh %x  : f64[N,M]
  %1 = pow %0, %x : f64[N,M]
  %2 = erf %1   : f64[N,M]
  return %2
}`,
	"views": `func f(%x: i32[N,M], %y: i32[M,N]) {
  %0 = permute %y axes=[1,0] : i32[N,M]
  %1 = flip %x axes=[0,1]    : i32[N,M]
  %2 = sub %1, %0            : i32[N,M]
  %3 = flip %0 axes=[1]      : i32[N,M]
  return %2, %3
}`,
	"softmax": `func f(%x: f32[N,M]) {
  %0 = amax %x axes=[1]      : f32[N]
  %1 = unsqueeze %0 axes=[1] : f32[N,1]
  %2 = expand %1             : f32[N,M]
  %3 = sub %x, %2            : f32[N,M]
  %4 = exp %3                : f32[N,M]
  %5 = sum %4 axes=[1]       : f32[N]
  %6 = unsqueeze %5 axes=[1] : f32[N,1]
  %7 = expand %6             : f32[N,M]
  %8 = div %4, %7            : f32[N,M]
  return %8
}`,
	"reductions": `func f(%x: f64[N,M], %y: u8[N,M]) {
  %0 = sum %x axes=[0]    : f64[M]
  %1 = sum %x axes=[1]    : f64[N]
  %2 = amax %y axes=[0,1] : u8[]
  %3 = sum %x axes=[0,1]  : f64[]
  return %0, %1, %2, %3
}`,
	"find": `func f(%x: f32[N,M]) {
  %0 = argmax %x axes=[1] : i32[N]
  %1 = argmin %x axes=[0] : i32[M]
  return %0, %1
}`,
	"scans": `func f(%x: f32[N,M]) {
  %0 = cumsum %x axis=1 exclusive=0 : f32[N,M]
  %1 = cumsum %x axis=0 exclusive=1 : f32[N,M]
  return %0, %1
}`,
	"product": `func f(%x: f32[N,M], %y: f32[M,N]) {
  %0 = dot %x, %y : f32[N,N]
  return %0
}`,
	"iota": `func f(%x: i64[N,M]) {
  %0 = iota       : i64[M]
  %1 = expand %0  : i64[N,M]
  %2 = mul %1, %x : i64[N,M]
  return %2, %1
}`,
}

// TestGraphs runs each kind of step over extents that are empty, small, odd and of many
// chunks.
func TestGraphs(t *testing.T) {
	for name, text := range graphs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, e := range [][2]int{{1, 1}, {5, 0}, {0, 5}, {1, 9}, {9, 1}, {7, 33}, {64, 16}, {37, 53}, {130, 300}, {3, 2100}} {
				if e[0]*e[1] == 0 && (name == "softmax" || name == "reductions" || name == "find") {
					continue // there is no greatest element
				}
				if name == "product" && e[0] > 100 {
					continue
				}
				checkPlan(t, lowered(t, sized(text, "N", e[0], "M", e[1])))
			}
		})
	}
}

// TestManyChunks has enough elements to be shared out without being asked to, with an end
// that is not full.
func TestManyChunks(t *testing.T) {
	for _, name := range []string{"chain", "views"} {
		p := lowered(t, sized(graphs[name], "N", 131, "M", 503))
		checkPlan(t, p)
		require.Greater(t, linked(t, &runtime.Executor{Workers: 3}, p).Chunks()[0], 1, name)
	}
}

// TestDTypes moves elements of every size, in both orders.
func TestDTypes(t *testing.T) {
	for _, dt := range ir.Computed.List() {
		checkPlan(t, lowered(t, sized(`func f(%x: TYPE[67,131], %y: TYPE[131,67]) {
  %0 = permute %x axes=[1,0] : TYPE[131,67]
  %1 = eq %0, %y             : bool[131,67]
  %2 = select %1, %0, %y     : TYPE[131,67]
  %3 = copy %0               : TYPE[131,67]
  return %2, %3
}`, "TYPE", dt.Text())))
	}
}

// TestAccesses reads params whose elements lie anyhow.
func TestAccesses(t *testing.T) {
	const rows, cols = 37, 53
	for name, c := range map[string]struct {
		operand string
		offset  int
		strides [3]int // of the outer axis of 3, of rows and of columns
		size    int
	}{
		"rows apart":         {"u", 5, [3]int{rows * 64, 64, 1}, 3*rows*64 + 5},
		"columns apart":      {"u", 1, [3]int{rows * cols * 3, cols * 3, 3}, 3*rows*cols*3 + 1},
		"transposed, apart":  {"u", 0, [3]int{2 * rows * cols, 2, 2 * rows}, 6 * rows * cols},
		"reversed columns":   {"u", cols - 1, [3]int{rows * cols, cols, -1}, 3 * rows * cols},
		"reversed":           {"u", 3*rows*cols - 1, [3]int{-rows * cols, -cols, -1}, 3 * rows * cols},
		"reversed transpose": {"u", 3*rows*cols - 1, [3]int{-rows * cols, -1, -rows}, 3 * rows * cols},
		"row repeated":       {"u", 2 * cols, [3]int{0, 0, -2}, 2*cols + 1},
		"one element":        {"s", 7, [3]int{0, 0, 0}, 8},
		"diagonal":           {"u", 0, [3]int{1, 1, 1}, rows + cols + 3},
	} {
		t.Run(name, func(t *testing.T) {
			checkPlan(t, parsed(t, sized(`plan access arena=0 {
  %0 = param x 0  : f32[SIZE]
  %1 = param y 1  : f32[3,37,53]
  %2 = result z 0 : f32[3,37,53]
  step 0 [3,37,53]
    kernel (X0:f32, u1:f32) { t0 = sub X0 u1; store t0 }
    %0{STRIDES}+OFFSET %1{1961,53,1}+0 -> %2{1961,53,1}+0
}
`, "X0", c.operand+"0", "SIZE", c.size, "OFFSET", c.offset, "STRIDES", fmt.Sprintf("%d,%d,%d", c.strides[0], c.strides[1], c.strides[2]))))
		})
	}
}

// TestParamLayouts has params with layouts of their own.
func TestParamLayouts(t *testing.T) {
	for _, at := range []string{"{4,6}:{-1,4}+3", "{4,6}:{0,5}+2", "{4,6}:{7,-1}+9", "{4,6}:{-6,-1}+23"} {
		checkPlan(t, lowered(t, sized(`func f(%x: f32[4,6] AT, %y: f32[4,6]) {
  %0 = sub %x, %y     : f32[4,6]
  %1 = sum %x axes=[0] : f32[6]
  return %0, %1
}`, "AT", at)))
	}
}

// TestMemory has temporaries in each other's place, constants that are stored, and a
// step that reads what it overwrites.
func TestMemory(t *testing.T) {
	checkPlan(t, parsed(t, `plan places arena=12096 {
  %0 = param x 0  : f32[3000]
  %1 = const 3    : f32[]
  %2 = temp 64    : f32[3000]
  %3 = temp 64    : f32[3000]
  %4 = result y 0 : f32[3000]
  %5 = result z 1 : f32[3000]
  step 0 [1,3000]
    kernel (u0:f32, s1:f32) { t0 = sub u0 s1; store t0 }
    %0{0,1}+0 %1{0,0}+0 -> %2{0,1}+0
  step 1 [1,3000]
    kernel (u0:f32, u1:f32) { t0 = mul u0 u1; store t0 }
    %2{0,1}+0 %0{0,1}+0 -> %3{0,1}+0
  step 2 [1,3000]
    kernel (u0:f32) { t0 = const:f32:3f000000; t1 = sqrt u0; store t1 t0 }
    %3{0,1}+0 -> %4{0,1}+0 %5{0,1}+0
}
`))
}

// TestRowGroups has groups whose blocks divide the rows or not, with scratch that goes
// from step to step.
func TestRowGroups(t *testing.T) {
	for _, block := range []int{1, 8} {
		for _, rows := range []int{9, 24} {
			checkPlan(t, parsed(t, sized(`plan group arena=0 {
  %0 = param x 0    : f32[3,ROWS,300]
  %1 = scratch 0    : f32[BLOCK]
  %2 = scratch 128  : f32[BLOCK,300]
  %3 = result y 0   : f32[3,ROWS,300]
  step 0 [3,ROWS,300 reduce]
    kernel (u0:f32) { store u0 }
    %0{PLANE,300,1}+0 -> max %1{0,1,0}+0
  step 1 [3,ROWS,300]
    kernel (u0:f32, u1:f32) { t0 = sub u0 u1; store t0 }
    %0{PLANE,300,1}+0 %1{0,1,0}+0 -> %2{0,300,1}+0
  step 2 [3,ROWS,300]
    kernel (u0:f32) { t0 = abs u0; store t0 }
    %2{0,300,1}+0 -> %3{PLANE,300,1}+0
  rows first=0 last=2 outer=[3,ROWS] along=[1,1,1] block=BLOCK scratch=SCRATCH
}
`, "ROWS", rows, "PLANE", 300*rows, "BLOCK", block, "SCRATCH", 128+1200*block)))
		}
	}
}

// TestRandomPlans lowers random graphs.
func TestRandomPlans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, inputs := irtest.Func(t, irtest.Config{Layouts: true, Reductions: true, Products: 12})
		p, err := passes.Lower(f, passes.Options{NoFuse: rapid.Bool().Draw(t, "no fusion")})
		require.NoError(t, err)
		checkPlanOn(t, p, inputs)
	})
}
