package schedule

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// A block that is kept in an output is followed by the next block there, or by the end of the output. Of its
// channels, a step reads those that it needs alone, in blocks that are shorter than the scratch too.
func TestChannelsOfBlocksInOutputs(t *testing.T) {
	const text = `plan group arena=0 {
  %%0 = param x 0   : f32[%[1]d,240]
  %%1 = result "" 0 : f32[%[1]d,240]
  %%2 = result "" 1 : f32[%[1]d,120]
  %%3 = scratch 0   : f32[16,240]
  %%4 = scratch 15360 : f32[16,1]
  step 0 [%[1]d,240 reduce]
    kernel (u0:f32) { t0 = exp u0; store t0 t0 }
    %%0{240,1}+0 -> %%3{240,1}+0 add %%4{1,0}+0
  step 1 [%[1]d,120]
    kernel (u0:f32) { t0 = neg u0; store t0 }
    %%3{240,2}+1 -> %%2{120,1}+0
  step 2 [%[1]d,240]
    kernel (u0:f32, u1:f32) { t0 = div u0 u1; store t0 }
    %%3{240,1}+0 %%4{1,0}+0 -> %%1{240,1}+0
  rows first=0 last=2 outer=[%[1]d] along=[0,0,0] block=16 scratch=15424
}
`
	for _, rows := range []int{16, 17, 64, 67} {
		for _, workers := range []int{1, 8} {
			p, err := plan.ParsePlan(fmt.Sprintf(text, rows))
			require.NoError(t, err)
			require.NoError(t, p.Verify())
			out, err := Schedule(p, tuning.Default(workers), complete{}, Options{})
			require.NoError(t, err)
			require.NotContains(t, out.String(), "scratch 0 :", "the block is in the output")
			require.NoError(t, out.Verify(), "%d rows, %d workers\n%s", rows, workers, out)
		}
	}
}

// What is prefetched depends on the size of a batch, not on the sizes before it.
func TestPrefetchOfManySizes(t *testing.T) {
	const text = `plan sizes arena=0 {
  %%0 = param x 0   : f32[%[1]d,1000]
  %%1 = result "" 0 : f32[%[1]d,1000]
  %%2 = scratch 0   : f32[2,1]
  step 0 [%[1]d,1000 reduce]
    kernel (u0:f32) { store u0 }
    %%0{1000,1}+0 -> max %%2{1,0}+0
  step 1 [%[1]d,1000]
    kernel (u0:f32, u1:f32) { t0 = sub u0 u1; store t0 }
    %%0{1000,1}+0 %%2{1,0}+0 -> %%1{1000,1}+0
  rows first=0 last=1 outer=[%[1]d] along=[0,0] block=2 scratch=64
}
`
	for _, sizes := range [][]int{{520, 1022, 520}, {1022, 520, 1022}} {
		known := OfSizes()
		for _, n := range sizes {
			p, err := plan.ParsePlan(fmt.Sprintf(text, n))
			require.NoError(t, err)
			out, err := Schedule(p, tuning.Default(2), complete{}, Options{Own: known})
			require.NoError(t, err)
			require.Equal(t, n == 1022, strings.Contains(out.String(), "prefetch"), "%d of %v", n, sizes)
		}
	}
}
