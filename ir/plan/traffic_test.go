package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// TestPart: what a step stores is a part of an array if it is the elements of a range of each axis, in any order.
func TestPart(t *testing.T) {
	for _, c := range []struct {
		extents, strides []int
		offset           int
		from, to         []int // of an array of 6 x 8; nil if it is no part
	}{
		{[]int{6, 8}, []int{8, 1}, 0, []int{0, 0}, []int{6, 8}},
		{[]int{48}, []int{1}, 0, []int{0, 0}, []int{6, 8}},
		{[]int{2, 3}, []int{8, 1}, 8 + 2, []int{1, 2}, []int{3, 5}},
		{[]int{3, 2}, []int{1, 8}, 8 + 2, []int{1, 2}, []int{3, 5}},
		{[]int{2, 3}, []int{-8, -1}, 2*8 + 4, []int{1, 2}, []int{3, 5}},
		{[]int{2, 2, 4}, []int{16, 8, 1}, 0, []int{0, 0}, []int{4, 4}},
		{[]int{1}, []int{0}, 11, []int{1, 3}, []int{2, 4}},
		{[]int{4}, []int{2}, 0, nil, nil},       // a step
		{[]int{2, 2}, []int{2, 3}, 0, nil, nil}, // neighbors missing
		{[]int{6}, []int{9}, 0, nil, nil},       // a diagonal
		{[]int{6}, []int{1}, 5, nil, nil},       // the end of a row and the beginning of the next
		{[]int{0, 8}, []int{8, 1}, 0, nil, nil},
	} {
		s := plan.Step{Out: []plan.Output{{Access: plan.Access{Offset: c.offset, Strides: c.strides}}}}
		for _, n := range c.extents {
			s.Axes = append(s.Axes, plan.Axis{Extent: n})
		}
		p := plan.Plan{Buffers: []plan.Buffer{{Kind: plan.TempBuffer, DType: ir.Float32, Shape: []int{6, 8}}}, Steps: []plan.Step{s}}
		from, to, ok := p.Part(0, 0)
		require.Equal(t, c.from != nil, ok, "%v %v", c.extents, c.strides)
		if ok {
			require.Equal(t, c.from, from)
			require.Equal(t, c.to, to)
		}
	}
}
