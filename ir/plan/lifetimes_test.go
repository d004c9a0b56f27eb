package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// TestTogether compares pairs of buffers with all pairs, as long as those found do not
// conflict: they die as the other is born, at the same byte.
func TestTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type pair struct{ early, late int }
		var buffers []plan.Buffer
		var lives []plan.Life
		want := map[pair]bool{}
		for i := range rapid.IntRange(0, 40).Draw(t, "buffers") {
			b := plan.Buffer{Kind: plan.TempBuffer, DType: ir.Uint8,
				Offset: 8 * rapid.IntRange(0, 20).Draw(t, "offset"), Shape: []int{rapid.IntRange(0, 60).Draw(t, "bytes")}}
			born := i // each step makes one
			life := plan.Life{Buffer: len(buffers), Born: born, Dies: born + rapid.IntRange(0, 6).Draw(t, "life")}
			ok, met := true, []int(nil)
			for k, other := range lives {
				if buffers[other.Buffer].SharesBytes(&b) && other.Dies >= born {
					ok = ok && other.Dies == born && buffers[other.Buffer].Offset == b.Offset
					met = append(met, k)
				}
			}
			last := len(lives) // a conflict ends the list
			buffers, lives = append(buffers, b), append(lives, life)
			for _, k := range met {
				want[pair{lives[k].Buffer, last}] = true
			}
			if !ok {
				break
			}
		}
		got := map[pair]bool{}
		plan.Together(buffers, lives, func(early, late plan.Life) { got[pair{early.Buffer, late.Buffer}] = true })
		require.Equal(t, want, got)
	})
}

// TestVerifyManySteps verifies a chain of steps whose temporaries take turns. Verify once
// compared all pairs, and took minutes for this.
func TestVerifyManySteps(t *testing.T) {
	const steps = 40_000
	body, err := kernel.SingleOp(ir.OpNeg, ir.Invalid, kernel.Operand{DType: ir.Float32})
	require.NoError(t, err)
	p := &plan.Plan{Name: "chain", Arena: 128, Buffers: []plan.Buffer{{Kind: plan.ParamBuffer, Name: "x", DType: ir.Float32, Shape: []int{4}}}}
	access := func(b int) plan.Access { return plan.Access{Buffer: b, Strides: []int{0, 1}} }
	for i := range steps {
		b := plan.Buffer{Kind: plan.TempBuffer, DType: ir.Float32, Shape: []int{4}, Offset: i % 2 * 64}
		if i == steps-1 {
			b = plan.Buffer{Kind: plan.ResultBuffer, DType: ir.Float32, Shape: []int{4}}
		}
		p.Buffers = append(p.Buffers, b)
		p.Steps = append(p.Steps, plan.Step{Body: body, Axes: []plan.Axis{{Extent: 1}, {Extent: 4}},
			In: []plan.Access{access(i)}, Out: []plan.Output{{Access: access(i + 1)}}})
	}
	require.NoError(t, p.Verify())
	p.Steps[steps/2].In[0].Buffer = steps/2 - 2
	require.ErrorContains(t, p.Verify(), "shares bytes with")
}
