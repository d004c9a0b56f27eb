package ir_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
)

func TestBroadcast(t *testing.T) {
	for _, c := range []struct{ a, b, want []int }{
		{nil, nil, []int{}},
		{[]int{3, 1}, []int{4}, []int{3, 4}},
		{[]int{1, 0}, []int{5, 1}, []int{5, 0}},
		{[]int{2, 3}, []int{7, 1, 1}, []int{7, 2, 3}},
		{[]int{2}, []int{3}, nil},
		{[]int{2}, []int{0}, nil},
	} {
		for _, pair := range [][2][]int{{c.a, c.b}, {c.b, c.a}} {
			got, err := ir.Broadcast(ir.ShapeOf(pair[0]...), ir.ShapeOf(pair[1]...))
			require.Equal(t, c.want == nil, err != nil, "%v: %v", pair, err)
			if c.want != nil {
				require.Equal(t, ir.ShapeOf(c.want...), got)
			}
		}
	}
	_, err := ir.Broadcast(ir.ShapeOf(2, 3), ir.ShapeOf(4, 3))
	require.EqualError(t, err, "shapes [2,3] and [4,3] do not broadcast: axis 0 is 2 and 4")
}
