package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// TestDraftsOfOneForm: the draft of a step is what strategies make of it, also if a step that
// is like it came before: one over other buffers, of which some are one, lie in each other's
// memory, are constants, or are read.
func TestDraftsOfOneForm(t *testing.T) {
	r := reached{}
	r.checkAll(t, []string{"a draft used again"}, func(t *rapid.T) {
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
		s := &scheduler{plan: p, t: target{Machine: small(t), Options: Options{Own: &Drafts{}, Drafts: &Drafts{}}, lib: library(units), buffers: p.Buffers, read: buffersRead(p)}}
		for i := range p.Steps {
			fresh := s.t
			want, err := choose(&fresh, &p.Steps[i])
			got, errDraft := s.draft(&s.t, &p.Steps[i])
			require.Equal(t, err, errDraft)
			require.Equal(t, want, got, "step %d\n%s", i, p)
		}
		r["a draft used again"] += len(p.Steps) - count[*Draft](s.t.Drafts)
	})
}

// TestGroupsOfOneForm is the same for row groups: their buffers, constants and blocks differ.
func TestGroupsOfOneForm(t *testing.T) {
	const text = `plan groups arena=0 {
  %0 = param x 0   : f32[100,30]
  %1 = param y 1   : f32[100,30]
  %2 = result "" 0 : f32[100,30]
  %3 = result "" 1 : f32[100,30]
  %4 = const 2     : f32[]
  %5 = const 3     : f32[]
  %6 = scratch 0   : f32[16,1]
  %7 = scratch 64  : f32[16,1]
  step 0 [100,30 reduce]
    kernel (u0:f32) { store u0 }
    %0{30,1}+0 -> max %6{1,0}+0
  step 1 [100,30]
    kernel (u0:f32, u1:f32, s2:f32) { t0 = sub u0 u1; t1 = mul t0 s2; store t1 }
    %0{30,1}+0 %6{1,0}+0 %4{0,0}+0 -> %2{30,1}+0
  rows first=0 last=1 outer=[100] along=[0,0] block=16 scratch=128
}
`
	one, err := plan.ParsePlan(text)
	require.NoError(t, err)
	r := reached{}
	r.checkAll(t, []string{"a draft used again"}, func(t *rapid.T) {
		p := *one
		p.Steps, p.Rows = nil, nil
		for i := range 6 {
			g := one.Rows[0]
			g.First, g.Last, g.Block = 2*i, 2*i+1, rapid.SampledFrom([]int{8, 16}).Draw(t, "block")
			p.Rows = append(p.Rows, g)
			for _, s := range one.Steps {
				s.In, s.Out = slices.Clone(s.In), slices.Clone(s.Out)
				for a := range s.Accesses() {
					a.Buffer ^= rapid.IntRange(0, 1).Draw(t, "other buffer")
				}
				p.Steps = append(p.Steps, s)
			}
		}
		s := &scheduler{plan: &p, t: target{Machine: small(t), Options: Options{Own: &Drafts{}, Drafts: &Drafts{}}, lib: library(units), buffers: p.Buffers, read: buffersRead(&p)}}
		for i := range p.Rows {
			fresh := &scheduler{plan: &p, t: s.t}
			fresh.t.Own, fresh.t.Drafts = &Drafts{}, &Drafts{}
			want, err := fresh.writeGroup(&p.Rows[i])
			require.NoError(t, err)
			got, err := s.group(&p.Rows[i])
			require.NoError(t, err)
			require.Equal(t, want, got, "group %d\n%s", i, &p)
		}
		r["a draft used again"] += len(p.Rows) - count[*draftedGroup](s.t.Drafts)
	})
}

// TestBlocksOfManySizes: with the drafts of plans for other sizes, the schedule of a plan is what
// it is without.
func TestBlocksOfManySizes(t *testing.T) {
	const text = `plan sizes arena=0 {
  %%0 = param x 0   : f32[%[1]d,30]
  %%1 = result "" 0 : f32[%[1]d,30]
  %%2 = const 2     : f32[]
  %%3 = scratch 0   : f32[16,1]
  step 0 [%[1]d,30 reduce]
    kernel (u0:f32) { store u0 }
    %%0{30,1}+0 -> max %%3{1,0}+0
  step 1 [%[1]d,30]
    kernel (u0:f32, u1:f32, s2:f32) { t0 = sub u0 u1; t1 = mul t0 s2; store t1 }
    %%0{30,1}+0 %%3{1,0}+0 %%2{0,0}+0 -> %%1{30,1}+0
  rows first=0 last=1 outer=[%[1]d] along=[0,0] block=16 scratch=64
}
`
	sizes := rand.New(rand.NewPCG(1, 2)).Perm(300)
	var own Drafts
	for _, n := range sizes {
		p, err := plan.ParsePlan(fmt.Sprintf(text, 17+n))
		require.NoError(t, err)
		m := tuning.Default(2)
		want, err := Schedule(p, m, library(units), Options{})
		require.NoError(t, err)
		got, err := Schedule(p, m, library(units), Options{Own: &own})
		require.NoError(t, err)
		require.Equal(t, want.String(), got.String())
	}
	require.LessOrEqual(t, len(own.kept), 2*16, "two steps on at most 16 rows")
}

// count returns how many drafts or tasks are kept.
func count[T any](k *Drafts) (n int) {
	for _, d := range k.kept {
		if _, ok := d.(T); ok {
			n++
		}
	}
	return n
}
