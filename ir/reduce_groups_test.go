package ir

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReduceGroups(t *testing.T) {
	for _, c := range []struct {
		shape, axes []int
		want        [][]int
	}{
		{[]int{5}, nil, nil},
		{[]int{5}, []int{0}, [][]int{{0}}},
		{[]int{300, 400}, []int{0, 1}, [][]int{{0, 1}}},             // a cache holds them
		{[]int{3000, 4000}, []int{1, 0}, [][]int{{1}, {0}}},         // it does not
		{[]int{4000, 100, 3}, []int{0, 1, 2}, [][]int{{1, 2}, {0}}}, // 300 are enough
		{[]int{4, 8, 100, 100}, []int{1, 3}, [][]int{{3}, {1}}},     // no neighbours
		{[]int{9, 4, 8, 9, 2, 1}, []int{1, 2, 4, 5}, [][]int{{4, 5}, {1, 2}}},
		{[]int{math.MaxInt/2 + 1, math.MaxInt/2 + 1, 1}, []int{0, 1, 2}, [][]int{{1, 2}, {0}}}, // beyond the ints
		{[]int{1 << 20, 1, 1 << 20}, []int{0, 1, 2}, [][]int{{2}, {0, 1}}},
	} {
		require.Equal(t, c.want, ReduceGroups(c.shape, c.axes), "%v %v", c.shape, c.axes)
	}
}
