package plan_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/irtest"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// planText is a plan of two steps whose second is in place: (x-c)*w, then its
// square root, with w broadcast along the rows.
const planText = `plan normalize arena=128 {
  %0 = param x 0       : f32[4,3] {4,3}:{1,4}+0
  %1 = param "the w" 1 : f32[3]
  %2 = const 1.5       : f32[]
  %3 = temp 64         : f32[4,3]
  %4 = temp 64         : f32[4,3]
  %5 = result y 0      : f32[4,3]
  step 0 [4,3] // main.go:12
    kernel (u0:f32, s1:f32, u2:f32) { t0 = sub u0 s1; t1 = mul t0 u2; store t1 }
    %0{1,4}+0 %2{0,0}+0 %1{0,1}+0 -> %3{3,1}+0
  step 1 [4,3] // main.go:13
    kernel (u0:f32) { t0 = sqrt u0; store t0 }
    %3{3,1}+0 -> %4{3,1}+0
  step 2 [1,12]
    kernel (u0:f32) { t0 = neg u0; store t0 }
    %4{12,1}+0 -> %5{12,1}+0
  # fused sub step=0 bytes=96 "its operand has \"one\" use" // main.go:12
  # materialized sqrt step=-1 bytes=0 ""
}
`

func TestPlanText(t *testing.T) {
	p, err := plan.ParsePlan(planText)
	require.NoError(t, err)
	require.NoError(t, p.Verify())
	require.Equal(t, planText, p.String())
	require.Equal(t, plan.Decision{Kind: plan.Fused, Op: ir.OpSub, Pos: ir.Pos{File: "main.go", Line: 12}, Reason: `its operand has "one" use`, Bytes: 96}, p.Ledger[0])
	require.Equal(t, plan.Access{Buffer: 1, Strides: []int{0, 1}}, p.Steps[0].In[2])
	again, err := plan.ParsePlan(p.String())
	require.NoError(t, err)
	require.Equal(t, p, again)
	irtest.RequireInGrammar(t, p.String())
}

func TestParsePlanErrors(t *testing.T) {
	cases := []struct{ old, new, want string }{
		{"plan normalize", "plan", `1:11: found "=", want "arena"`},
		{"%1 = param", "%7 = param", `3:3: found %7, want %1`},
		{"= temp", "= tmp", `5:8: found "tmp", want param, result, const, temp, scratch or iota`},
		{"f32[3]", "f32[n]", `is no type of a buffer`},
		{"const 1.5", "const true", `4:14: true is not an element of float32`},
		{"step 0 [4,3]", "step 0 [4,3 reduces]", `found "reduces", want reduce, scan, scan_exclusive, contract or line`},
		{"t0 = sub u0 s1", "t0 = sub u0 s7", `9:51: no value s7 is known here`},
		{"%2{0,0}+0 ", "", `10:5: 2 inputs and 1 outputs, the kernel has 3 and 1`},
		{"-> %3{3,1}+0", "->", "3 inputs and 0 outputs, the kernel has 3 and 1"},
		{"store t1", "store t1 t0", "3 inputs and 1 outputs, the kernel has 3 and 2"},
		{"{1,4}+0 %2", "{1,4} %2", `10:13: found "%", want an offset`},
		{"fused sub", "fuzed sub", `found "fuzed", want fused, materialized`},
		{"fused sub", "fused sup", `no operation has the name "sup"`},
	}
	for _, c := range cases {
		_, err := plan.ParsePlan(strings.Replace(planText, c.old, c.new, 1))
		require.ErrorContains(t, err, c.want)
	}
}

// TestPlanVerifyText checks that every way to break planText is found.
func TestPlanVerifyText(t *testing.T) {
	cases := []struct{ old, new, want string }{
		{"arena=128", "arena=96", "want a multiple of 64 and an end within the arena's 96"},
		{"temp 64", "temp 32", "bytes 32 to 80"},
		{"arena=128", "arena=-128", "it is below 0"},
		{"param x 0", "param x 1", "the position is 1, want 0"},
		{"{4,3}:{1,4}+0", "{4,3}:{1,4}-1", "the layout begins at element -1"},
		{"f32[3]", "f32[3] {2}:{1}+0", "layout {2}:{1}+0 has 2 elements"},
		{"f32[3]", "f32[3] {3,1}:{1,1}+0", "the layout has the shape [3 1]"},
		{"temp 64         : f32[4,3]\n  %4", "temp 64         : f32[4,3] {4,3}:{3,1}+0\n  %4", "only a param has a layout"},
		{": f32[]", ": f32[2]", "a constant is one element"},
		{"step 0 [4,3]", "step 0 [12]", "the extents are [12]"},
		{"step 0 [4,3]", "step 0 [4,-3]", "the extents are [4 -3]"},
		{"step 0 [4,3]", "step 0 [4 reduce,3]", "an axis is reduced, and no output has a combiner"},
		{"step 0 [4,3]", "step 0 [4 reduce,3 scan]", "more than one axis is not parallel"},
		{"step 2 [1,12]", "step 2 [1,12 scan]", "a scan combines the elements of one input, and does nothing else"},
		{"step 2 [1,12]", "step 2 [1,12 contract]", "a contraction multiplies two inputs"},
		{"-> %5{12,1}+0", "-> add %5{12,1}+0", "a combiner, and no axis to combine along"},
		{"step 2 [1,12]", "step 2 [1,12 reduce]", "an axis is reduced, and no output has a combiner"},
		{"%0{1,4}+0", "%0{1,4}+0 line [-1]", "a line of no length"},
		{"step 2 [1,12]", "step 2 [1,12 line]", "an op on lines has one output, and a body that computes nothing"},
		{"%0{1,4}+0", "%0{1,4}+1", "input %0{1,4}+1: elements 1 to 12 are outside the buffer, which has 0 to 11"},
		{"%0{1,4}+0", "%0{1,-4}+0", "elements -8 to 3 are outside"},
		{"%0{1,4}+0", "%9{1,4}+0", "there is no such buffer"},
		{"%0{1,4}+0", "%0{1,4,0}+0", "3 strides for 2 axes"},
		{"%2{0,0}+0", "%1{0,1}+0", "a splat is one element for the whole step"},
		{"-> %3{3,1}+0", "-> %3{2,1}+0", "two stores to one element"},
		{"-> %3{3,1}+0", "-> %1{0,1}+0", "two stores to one element"},
		{"-> %3{3,1}+0", "-> %0{3,1}+0", "a param is never written"},
		{"-> %3{3,1}+0", "-> %5{3,1}+0", "the buffer is read before it is written"},
		{"-> %5{12,1}+0", "-> %4{12,1}+0", "the buffer is written a second time"},
		{"-> %5{12,1}+0", "-> %4{12,1}+0", "no step writes the result"},
		{"[1,12]", "[1,11]", "11 elements are written, the buffer has 12"},
		{"step 1 [4,3] // main.go:13\n    kernel (u0:f32) { t0 = sqrt u0; store t0 }\n    %3{3,1}+0", "step 1 [4,3]\n    kernel (u0:f32) { t0 = sqrt u0; store t0 }\n    %3{-3,1}+9", "shares bytes with %3, which is live until step 1"},
		{"%4{12,1}+0", "%3{12,1}+0", "shares bytes with %3, which is live until step 2"},
		{"(u0:f32) { t0 = neg", "(u0:i32) { t0 = neg", "the buffer has float32, the kernel int32"},
	}
	for _, c := range cases {
		text := strings.Replace(planText, c.old, c.new, 1)
		require.NotEqual(t, planText, text, c.old)
		p, err := plan.ParsePlan(text)
		require.NoError(t, err, c.new)
		require.ErrorContains(t, p.Verify(), c.want, text)
		irtest.RequirePlaced(t, ir.Locate(p.Verify(), text, func(s *ir.Scanner) { plan.Read(s) }))
	}
}

// TestPlanVerifyBroken checks plans that no text can say: they are found out,
// and print.
func TestPlanVerifyBroken(t *testing.T) {
	cases := []struct {
		want  string
		spoil func(p *plan.Plan)
	}{
		{"there is no kernel", func(p *plan.Plan) { p.Steps[0].Body = nil }},
		{"a kernel without a store", func(p *plan.Plan) { p.Steps[0].Body.Out = nil }},
		{"dtype 200 does not exist", func(p *plan.Plan) { p.Buffers[0].DType = 200 }},
		{"the shape passes", func(p *plan.Plan) { p.Buffers[3].Shape = []int{math.MaxInt / 2, 3} }},
		{"the shape passes", func(p *plan.Plan) { p.Buffers[3].Shape = []int{-1} }},
		{"the shape passes", func(p *plan.Plan) { p.Buffers[3].Shape = []int{math.MaxInt / 4, 3} }},
		{"there is no such kind of buffer", func(p *plan.Plan) { p.Buffers[0].Kind = 9 }},
		{"a constant is one element of its type", func(p *plan.Plan) { p.Buffers[2].Bits = 1 << 40 }},
	}
	for _, c := range cases {
		p, err := plan.ParsePlan(planText)
		require.NoError(t, err)
		c.spoil(p)
		require.NotEmpty(t, p.String())
		require.ErrorContains(t, p.Verify(), c.want)
	}
	require.Error(t, (*plan.Plan)(nil).Verify())
	require.Contains(t, plan.Decision{Kind: 9}.String(), "# invalid invalid")
}
