package layout

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestWindow compares windows of any layout with their definition, element by element.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyLayout.Draw(t, "layout")
		if l.Rank() == 0 {
			return
		}
		axis := rapid.IntRange(0, l.Rank()-1).Draw(t, "axis")
		part := func(name string) int { return rapid.IntRange(1, 4).Draw(t, name) }
		size, step, dilation := part("size"), part("step"), part("dilation")
		shape := append(append([]int{}, l.Shape...), size)
		shape[axis] = 0
		for w := 0; w*step+(size-1)*dilation < l.Shape[axis]; w++ {
			shape[axis]++
		}
		v, err := l.Window(axis, size, step, dilation)
		if shape[axis] == 0 {
			require.ErrorContains(t, err, "does not fit into")
			return
		}
		require.NoError(t, err)
		requireView(t, l, v, shape, func(index []int) []int {
			source := append([]int{}, index[:len(l.Shape)]...)
			source[axis] = index[axis]*step + index[len(index)-1]*dilation
			return source
		})
	})
}

func TestWindowErrors(t *testing.T) {
	l := RowMajor(4, 5)
	for want, w := range map[string][4]int{
		"window: shape [4 5]: axis 2 is outside rank 2: allowed are -2 to 1":                                                         {2, 1, 1, 1},
		"window: axis 1 of shape [4 5]: the size of a window is 0: it must be 1 or more":                                             {1, 0, 1, 1},
		"window: axis 1 of shape [4 5]: the step of a window is -1: it must be 1 or more":                                            {1, 1, -1, 1},
		"window: axis 0 of shape [4 5]: the dilation of a window is 0: it must be 1 or more":                                         {0, 1, 1, 0},
		"window: axis 0 of shape [4 5]: a window of 3 elements 2 apart does not fit into 4 elements":                                 {0, 3, 1, 2},
		"window: axis 0 of shape [4 5]: a window of " + strconv.Itoa(math.MaxInt) + " elements 3 apart does not fit into 4 elements": {0, math.MaxInt, 1, 3},
	} {
		_, err := l.Window(w[0], w[1], w[2], w[3])
		require.EqualError(t, err, want)
	}
	v, err := l.Window(1, 1, math.MaxInt, math.MaxInt)
	require.NoError(t, err)
	require.Equal(t, []int{4, 1, 1}, v.Shape)
}
