package runtime

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// sumPlans are sums of a matrix: all of it, down its columns, along its rows.
func sumPlans(t require.TestingT, n int) map[string]*plan.Plan {
	chunks := ir.Chunks(n)
	return map[string]*plan.Plan{
		"all": parsePlan(t, `plan all arena=0 {
  %%0 = param x 0 : f32[%[1]d]
  %%1 = result y 0 : f32[%[2]d]
  step 0 [1,%[1]d] block=[1,32768]
    kernel (u0:f32) { store add(u0) }
    %%0{0,1}+0 -> %%1{0,1}+0
}
`, n*n, ir.Chunks(n*n)),
		"axis 0": parsePlan(t, `plan down arena=0 {
  %%0 = param x 0 : f32[%[1]d,%[1]d]
  %%1 = result y 0 : f32[%[2]d,%[1]d]
  step 0 [%[1]d,%[1]d] block=[%[1]d,%[1]d] down
    kernel (u0:f32, u1:f32) { t0 = add u0 u1; store t0 }
    %%1{%[1]d,1}+0 %%0{%[1]d,1}+0 -> %%1{%[1]d,1}+0
}
`, n, chunks),
		"axis 1": parsePlan(t, `plan along arena=0 {
  %%0 = param x 0 : f32[%[1]d,%[1]d]
  %%1 = result y 0 : f32[%[2]d,%[1]d]
  step 0 [%[1]d,%[1]d] block=[128,4096]
    kernel (u0:f32) { store add(u0) }
    %%0{%[1]d,1}+0 -> %%1{1,%[1]d}+0
}
`, n, chunks),
	}
}

func BenchmarkSums(b *testing.B) {
	for _, n := range []int{256, 4096} {
		for name, p := range sumPlans(b, n) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) { benchmarkPlan(b, &Executor{Workers: 1}, p, 4*n*n) })
		}
	}
}
