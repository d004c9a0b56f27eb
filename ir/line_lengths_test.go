package ir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

// TestCheckLengths has for ops of each kind lengths that agree, and the same with one number changed, which do not.
func TestCheckLengths(t *testing.T) {
	for _, c := range []struct {
		op    ir.Op
		n     int
		in    []int
		wrong [][]int // n, then in
	}{
		{ir.OpSort, 3, []int{7}, [][]int{{8, 7}, {3, 2}}},
		{ir.OpRaggedAdd, 3, []int{9, 4}, [][]int{{4, 9, 4}, {3, 9, 0}}},
		{ir.OpRaggedMulAdd, 3, []int{9, 4, 6, 6}, [][]int{{3, 9, 4, 6, 7}, {2, 9, 4, 6, 6}}},
		{ir.OpSearchSorted, 5, []int{9, 5}, [][]int{{6, 9, 5}, {5, 9, 4}}},
		{ir.OpLeaves, 5, []int{2, 9, 5}, [][]int{{4, 2, 9, 5}, {5, 2, 8, 5}}},
		{ir.OpGather, 5, []int{9, 5}, [][]int{{6, 9, 5}, {5, 9, 4}}},
		{ir.OpGatherAdd, 1, []int{9, 5}, [][]int{{2, 9, 5}, {1, 9, 0}}},
		{ir.OpGatherMulAdd, 1, []int{9, 5, 5}, [][]int{{1, 9, 5, 4}, {0, 9, 5, 5}}},
		{ir.OpScatterAdd, 9, []int{9, 5, 5}, [][]int{{8, 9, 5, 5}, {9, 9, 5, 4}}},
		{ir.OpRecurrence, 9, []int{9, 9}, [][]int{{8, 9, 9}, {9, 9, 8}, {9, 8, 9}}},
		{ir.OpNth, 5, []int{9, 5}, [][]int{{6, 9, 5}, {5, 9, 4}}},
		{ir.OpWindowQuantile, 5, []int{9, 5}, [][]int{{5, 4, 5}, {5, 9, 4}}},
	} {
		require.NoError(t, ir.CheckLengths(c.op, c.n, c.in))
		for _, w := range c.wrong {
			require.Error(t, ir.CheckLengths(c.op, w[0], w[1:]), "%s %v", c.op, w)
		}
	}
}
