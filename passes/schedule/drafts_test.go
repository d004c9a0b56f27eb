package schedule

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// TestDraftsOfOneForm: the draft of a step is what strategies make of it, also if a step that
// is like it came before: one over other buffers, of which some are one, lie in each other's
// memory, are constants, or are read.
func TestDraftsOfOneForm(t *testing.T) {
	again := 0
	rapid.Check(t, func(t *rapid.T) {
		p := randomPlan(t)
		for _, b := range p.Buffers {
			for _, kind := range []plan.BufferKind{plan.ParamBuffer, plan.ResultBuffer, plan.ConstBuffer, plan.TempBuffer, plan.TempBuffer} {
				b.Kind, b.Bits = kind, uint64(rapid.IntRange(0, 1).Draw(t, "bits"))
				b.Offset = 64 * rapid.IntRange(0, 1).Draw(t, "place")
				p.Buffers = append(p.Buffers, b)
			}
		}
		alike := func(buffer int) (all []int) {
			for i := range p.Buffers {
				if p.Buffers[i].DType == p.Buffers[buffer].DType {
					all = append(all, i)
				}
			}
			return all
		}
		one := p.Steps[1]
		p.Steps = nil
		for range 6 {
			s := one
			s.In, s.Out = slices.Clone(one.In), slices.Clone(one.Out)
			for a := range s.Accesses() {
				a.Buffer = rapid.SampledFrom(alike(a.Buffer)).Draw(t, "buffer")
			}
			p.Steps = append(p.Steps, s)
		}
		s := &scheduler{plan: p, target: target{Machine: small(t), lib: library(units), buffers: p.Buffers, read: buffersRead(p)}}
		for i := range p.Steps {
			fresh := s.target
			want, err := choose(&fresh, &p.Steps[i])
			got, errDraft := s.draft(&s.target, &p.Steps[i])
			require.Equal(t, err, errDraft)
			require.Equal(t, want, got, "step %d\n%s", i, p)
		}
		again += len(p.Steps) - len(s.known)
	})
	require.Positive(t, again)
}
