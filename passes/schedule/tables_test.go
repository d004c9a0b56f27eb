package schedule

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// TestConstantTables: where the library has a kernel of two instructions on operands with columns alone, the
// constant that one of them reads is a table of a tile. Another splat is not.
func TestConstantTables(t *testing.T) {
	const fused = "kernel (u0:f32, u1:f32, u2:f32) { t0 = sub u0 u1; t1 = max t0 u2; store t1 }"
	for kind, calls := range map[string]int{"const 0.5": 1, `param s 1`: 2} {
		p, err := plan.ParsePlan("plan f arena=0 {\n  %0 = param a 0 : f32[30,100]\n  %1 = " + kind + " : f32[]\n  %2 = result \"\" 0 : f32[30,100]\n" +
			"  step 0 [30,100]\n    kernel (u0:f32, s1:f32) { t0 = sub u0 s1; t1 = max t0 u0; store t1 }\n" +
			"    %0{100,1}+0 %1{0,0}+0 -> %2{100,1}+0\n}\n")
		require.NoError(t, err)
		n, err := Schedule(p, tuning.Default(1), library(func(signature string) string {
			if signature == fused {
				return "avx2"
			}
			return singles(signature)
		}), Options{})
		require.NoError(t, err)
		require.NoError(t, n.Verify())
		task := &n.Tasks[0]
		require.Equal(t, calls, task.Choices[0].Kernels, kind)
		var tables []int
		for _, s := range task.Slots {
			if s.Kind == nest.Table {
				tables = append(tables, s.Elems)
			}
		}
		require.Len(t, tables, 2-calls, kind)
	}
}
