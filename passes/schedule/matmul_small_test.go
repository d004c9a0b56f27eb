package schedule

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// TestSmall lowers products with few pairs and columns, contiguous, with a transposed left operand, also one whose last axis is the batch, with
// one matrix for all, or of many rows, and checks the nests.
func TestSmall(t *testing.T) {
	all := reached{}
	all.checkAll(t, []string{"f32", "f64", "i32", "tiles", "rest", "one for all", "copied"}, func(t *rapid.T) {
		d := rapid.SampledFrom([]string{"f32", "f64", "i32"}).Draw(t, "type")
		n := rapid.IntRange(2, 200).Draw(t, "products")
		op := "dot"
		if d == "i32" && rapid.Bool().Draw(t, "halves") {
			op = "dothalves"
		}
		rows, pairs, cols := rapid.IntRange(2, 20), rapid.IntRange(1, 9), rapid.IntRange(2, 8)
		p := lowered(t, drawBatch(t, op, d, n, rows.Draw(t, "rows"), pairs.Draw(t, "pairs"), cols.Draw(t, "cols")))
		for i := range p.Steps {
			s := p.Steps[i]
			if role, _ := s.Kind(); role != plan.Contract {
				continue
			}
			m := drawMachine(t)
			m.Matmul.SmallRows = rapid.SampledFrom([]int{4, m.Matmul.SmallRows}).Draw(t, "most rows")
			m.Matmul.SetBytes = rapid.SampledFrom([]int{1, m.Matmul.SetBytes}).Draw(t, "bytes to the same set")
			o := offerBy("matmul-small", &target{Machine: m, lib: complete{}, buffers: p.Buffers}, &s)
			if o.why != "" {
				continue // the right matrices are transposed, or pairs are multiplied by halves
			}
			require.Equal(t, "dot", op)
			requireForward(t, p.Buffers, m, s)
			draft := checkMatmul(t, p, &s, m, func(at *target, s *plan.Step) (*Draft, string) {
				o := offerBy("matmul-small", at, s)
				require.Empty(t, o.why)
				return o.draft()
			})
			require.Equal(t, o.least, draft.Choice.Cost)
			for what, is := range map[string]bool{
				d:             true,
				"tiles":       len(draft.Parts[0].Loops) > 0,
				"rest":        len(draft.Parts) > 1,
				"copied":      len(draft.Choice.Packed) > 0,
				"one for all": s.In[0].Strides[0] == 0 || s.In[1].Strides[0] == 0,
			} {
				if is {
					all[what]++
				}
			}
		}
	})
}

// requireForward reverses the pairs of the left operand: no call takes them so, whose distances are not negative.
func requireForward(t *rapid.T, buffers []plan.Buffer, m *tuning.Machine, s plan.Step) {
	of := &target{Machine: m, lib: complete{}, buffers: buffers}
	p := newProduct(of, &s)
	require.Empty(t, p.match())
	pairs := p.at.Pairs
	s.In = slices.Clone(s.In)
	left := &s.In[0]
	left.Strides = slices.Clone(left.Strides)
	left.Offset += left.Strides[pairs] * (s.Axes[pairs].Extent - 1)
	if left.Strides[pairs] *= -1; left.Strides[pairs] < 0 {
		require.NotEmpty(t, offerBy("matmul-small", of, &s).why)
	}
}
