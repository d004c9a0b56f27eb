package schedule

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// TestBatch lowers products of many small matrices, contiguous, transposed, with the batch as the
// last axis, or with one matrix for all, and checks the nests.
func TestBatch(t *testing.T) {
	all := reached{}
	all.checkAll(t, []string{"f32", "i64", "dothalves", "tiles", "several chains", "copied", "one for all", "where they are"}, func(t *rapid.T) {
		d := rapid.SampledFrom([]string{"f32", "f64", "i32", "i64"}).Draw(t, "type")
		op := "dot"
		if d == "i32" && rapid.Bool().Draw(t, "halves") {
			op = "dothalves"
		}
		n := rapid.IntRange(16, 200).Draw(t, "products")
		rows, pairs, cols := rapid.IntRange(2, 5), rapid.IntRange(2, 9), rapid.IntRange(2, 5)
		p := lowered(t, drawBatch(t, op, d, n, rows.Draw(t, "rows"), pairs.Draw(t, "pairs"), cols.Draw(t, "cols")))
		for i := range p.Steps {
			s := p.Steps[i]
			if role, _ := s.Kind(); role != plan.Contract {
				continue
			}
			m := drawMachine(t)
			m.Matmul.BatchProduct = 1 << 10
			m.Matmul.BatchBytes = rapid.SampledFrom([]int{1 << 10, m.Matmul.BatchBytes}).Draw(t, "tile bytes")
			draft := checkMatmul(t, p, &s, m, func(at *target, s *plan.Step) (*Draft, string) {
				o := offerBy("matmul-batch", at, s)
				require.Empty(t, o.why)
				return o.draft()
			})
			along := s.Product().Pairs - 1
			for what, is := range map[string]bool{
				d:                true,
				op:               true,
				"tiles":          len(draft.Parts[0].Loops) > 0,
				"several chains": draft.Choice.Kernels > 1,
				"copied":         len(draft.Choice.Packed) == 3,
				"one for all":    s.In[0].Strides[along] == 0 || s.In[1].Strides[along] == 0,
				"where they are": s.In[0].Strides[along] == 1,
			} {
				if is {
					all[what]++
				}
			}
		}
	})
}

// drawBatch returns the text of a graph that multiplies n matrices of m x k and k x c elements
// by an op, dot or dothalves.
func drawBatch(t *rapid.T, op, d string, n, m, k, c int) string {
	form := rapid.SampledFrom([]string{
		"f(%%x: %[1]s[%[2]d,%[3]d,%[4]d], %%y: %[1]s[%[2]d,%[4]d,%[5]d]) {\n  %%0 = %[7]s %%x, %%y : %[6]s\n  return %%0",
		"f(%%x: %[1]s[%[3]d,%[4]d,%[2]d], %%y: %[1]s[%[2]d,%[5]d,%[4]d]) {\n  %%0 = permute %%x axes=[2,0,1] : %[1]s[%[2]d,%[3]d,%[4]d]\n  %%1 = permute %%y axes=[0,2,1] : %[1]s[%[2]d,%[4]d,%[5]d]\n  %%2 = %[7]s %%0, %%1 : %[6]s\n  return %%2",
		"f(%%x: %[1]s[%[3]d,%[4]d], %%y: %[1]s[%[2]d,%[4]d,%[5]d]) {\n  %%0 = expand %%x : %[1]s[%[2]d,%[3]d,%[4]d]\n  %%1 = %[7]s %%0, %%y : %[6]s\n  return %%1",
	}).Draw(t, "form")
	return "func " + fmt.Sprintf(form, d, n, m, k, c, fmt.Sprintf("%s[%d,%d,%d]", d, n, m, c), op) + "\n}\n"
}
