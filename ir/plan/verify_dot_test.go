package plan_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// product is a plan that multiplies [4,6] and [6,40], the right matrix in panels.
const product = `plan f arena=960 {
  %0 = param x 0   : f32[4,6]
  %1 = temp 0      : f32[240]
  %2 = param y 1   : f32[240]
  %3 = result "" 0 : f32[4,40]
  step 0 [1,240] block=[1,240]
    kernel (u0:f32) { t0 = copy u0; store t0 }
    %2{0,1}+0 -> %1{0,1}+0
  step 1 [6,4,40] block=[4,40] panels
    kernel (s0:f32, u1:f32) { t0 = dot s0 u1; store t0 }
    %0{1,6,0}+0 %1{1,0,6}+0 -> %3{0,40,1}+0
}
`

func TestCheckDot(t *testing.T) {
	check := func(old, new string) error {
		require.Contains(t, product, old)
		p, err := plan.ParsePlan(strings.Replace(product, old, new, 1))
		require.NoError(t, err)
		return p.Verify()
	}
	require.NoError(t, check("", ""))
	for _, c := range []struct{ old, new, want string }{
		{" panels", "", "not the matrices of a product"},
		{" panels", " down panels", "folds or scans nothing else"},
		{"block=[1,240]\n", "block=[1,240] panels\n", "panels, and no product"},
		{"%1{1,0,6}", "%1{6,0,1}", "not the matrices of a product"},
		{"%1{1,0,6}", "%1{1,6,0}", "not the matrices of a product"},
		{"%0{1,6,0}", "%0{1,0,1}", "outside the buffer"},
		{"%3{0,40,1}", "%3{1,40,1}", "not the matrices of a product"},
		{"[6,4,40] block", "[0,4,40] block", "a product of no pairs"},
		{"%1{1,0,6}+0", "%1{1,0,6}+1", "outside the buffer"},
	} {
		require.ErrorContains(t, check(c.old, c.new), c.want, "%s for %s", c.new, c.old)
	}
}

// A row group must not cut a product along its pairs, nor one in panels along its
// columns.
func TestProductsAreNotCut(t *testing.T) {
	for along, ok := range []bool{false, true, false} {
		extents := []string{"6", "4", "40"}[along]
		rows := "  rows first=1 last=1 outer=[" + extents + "] along=[" + string(rune('0'+along)) + "] block=2 scratch=0\n}\n"
		p, err := plan.ParsePlan(strings.TrimSuffix(product, "}\n") + rows)
		require.NoError(t, err)
		if err = p.Verify(); ok {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "does not have the axes", "along %d", along)
		}
	}
}

// Nor is a kernel that transposes a step's: its frame has more than a step says.
func TestNoStepTransposes(t *testing.T) {
	s := plan.FlatStep{Kernel: kernel.TransposeKernel(ir.Uint32), Extents: []int{4, 4}}
	require.ErrorContains(t, s.CheckDot(), "transposes")
}
