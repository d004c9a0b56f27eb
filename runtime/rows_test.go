package runtime

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// softmaxText is a softmax without exp over n columns of 3 x rows rows: the
// greatest of a row and the differences to it, their sum, the quotients.
const softmaxText = `plan softmax arena=0 {
  %%0 = param x 0 : f32[3,%[1]d,%[2]d]
  %%1 = scratch 0 : f32[%[3]d]
  %%2 = scratch %[4]d : f32[%[3]d,%[2]d]
  %%3 = scratch %[5]d : f32[%[3]d]
  %%4 = result y 0 : f32[3,%[1]d,%[2]d]
  step 0 [3,%[1]d,%[2]d] block=[%[1]d,%[2]d]
    kernel (u0:f32) { store max(u0) }
    %%0{%[6]d,%[2]d,1}+0 -> %%1{0,1,0}+0
  step 1 [3,%[1]d,%[2]d] block=[%[1]d,%[2]d]
    kernel (u0:f32, s1:f32) { t0 = sub u0 s1; store t0 add(t0) }
    %%0{%[6]d,%[2]d,1}+0 %%1{0,1,0}+0 -> %%2{0,%[2]d,1}+0 %%3{0,1,0}+0
  step 2 [3,%[1]d,%[2]d] block=[%[1]d,%[2]d]
    kernel (u0:f32, s1:f32) { t0 = div u0 s1; store t0 }
    %%2{0,%[2]d,1}+0 %%3{0,1,0}+0 -> %%4{%[6]d,%[2]d,1}+0
  rows first=0 last=2 outer=[3,%[1]d] along=[1,1,1] block=%[3]d scratch=%[7]d
}
`

func softmaxPlan(t require.TestingT, rows, n, block int) *plan.Plan {
	pad := func(n int) int { return (n + 63) / 64 * 64 }
	second := pad(4 * block)
	third := second + pad(4*block*n)
	return parsePlan(t, softmaxText, rows, n, block, second, third, rows*n, third+pad(4*block))
}

func TestRowGroup(t *testing.T) {
	for _, n := range []int{1, 30, 600, 1024} {
		for _, rows := range []int{1, 7, 24} {
			for _, block := range []int{1, 4, 8, 24} {
				if block <= rows {
					checkAll(t, softmaxPlan(t, rows, n, block))
				}
			}
		}
	}
}

// What a group folds takes several chunks, goes on down the rows of another
// step, whose columns are the group's rows, and to a step of one element a row.
func TestRowGroupChunks(t *testing.T) {
	for _, n := range []int{1500, 4096} {
		for _, block := range []int{1, 3, 8, 20} {
			checkAll(t, parsePlan(t, `plan norm arena=0 {
  %%0 = param x 0 : f32[20,%[1]d]
  %%1 = scratch 0 : f32[%[2]d,%[3]d]
  %%2 = scratch 512 : f32[%[3]d]
  %%3 = scratch 1024 : f32[%[3]d]
  %%4 = result y 0 : f32[20,%[1]d]
  %%5 = result z 1 : f32[20]
  step 0 [20,%[1]d] block=[1,1024]
    kernel (u0:f32) { store add(u0) }
    %%0{%[1]d,1}+0 -> %%1{1,%[3]d}+0
  step 1 [%[2]d,20] block=[%[2]d,20] down
    kernel (u0:f32, u1:f32) { t0 = add u0 u1; store t0 }
    %%2{0,1}+0 %%1{%[3]d,1}+0 -> %%2{0,1}+0
  step 2 [1,20] block=[1,20]
    kernel (u0:f32) { t0 = sqrt u0; store u0 t0 }
    %%2{0,1}+0 -> %%5{0,1}+0 %%3{0,1}+0
  step 3 [20,%[1]d] block=[1,1024]
    kernel (u0:f32, s1:f32) { t0 = sub u0 s1; store t0 }
    %%0{%[1]d,1}+0 %%3{1,0}+0 -> %%4{%[1]d,1}+0
  rows first=0 last=3 outer=[20] along=[0,1,1,0] block=%[3]d scratch=1536
}
`, n, ir.Chunks(n), block))
		}
	}
}

func TestRowGroupErrors(t *testing.T) {
	good := softmaxPlan(t, 7, 30, 4).String()
	for _, c := range []struct{ old, new, want string }{
		{"last=2", "last=3", "in the plan"},
		{"along=[1,1,1]", "along=[1,1]", "axes for"},
		{"along=[1,1,1]", "along=[1,2,1]", "does not have the axes"},
		{"outer=[3,7]", "outer=[3,30]", "does not have the axes"},
		{"block=4 scratch", "block=5 scratch", "outside the buffer"},
		{"block=4 scratch", "block=0 scratch", "no block"},
		{"scratch=640", "scratch=590", "ends behind the scratch"},
		{"last=2", "last=1", ""},
		{"%1{0,1,0}+0 -> %2", "%1{0,0,0}+0 -> %2", "row by row"},
		{"-> %1{0,1,0}+0", "-> %1{1,1,0}+0", "moves along the outer axes"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		require.NotEqual(t, good, text, c.old)
		p, err := plan.ParsePlan(text)
		require.NoError(t, err)
		err = p.Verify()
		if c.want != "" {
			require.ErrorContains(t, err, c.want)
		} else {
			require.Error(t, err)
		}
		_, err = (&Executor{}).Link(p)
		require.Equal(t, c.want == "row by row", err == nil, "%s: %v", c.new, err) // safe, if not what is meant
	}
}

func TestRowGroupAllocates(t *testing.T) {
	p := softmaxPlan(t, 100, 600, 8)
	for _, e := range []*Executor{{Workers: 1}, {Workers: 1, NoFused: true}} {
		l := check(t, e, p, "")
		outs, ins := operandsFor(t, newRand(), p)
		require.NoError(t, l.Run(context.Background(), outs, ins))
		if !raceDetector {
			require.Zero(t, testing.AllocsPerRun(10, func() { _ = l.Run(context.Background(), outs, ins) }))
		}
		for _, s := range l.Steps() {
			require.Zero(t, s.Group)
		}
		require.Equal(t, []int{720000, 720000, 0}, []int{l.Steps()[0].Read, l.Steps()[1].Read, l.Steps()[2].Read})
		require.Equal(t, []int{0, 0, 720000}, []int{l.Steps()[0].Written, l.Steps()[1].Written, l.Steps()[2].Written})
	}
}
