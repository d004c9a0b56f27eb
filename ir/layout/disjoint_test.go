package layout_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// TestApart compares Apart with the locations themselves, which it may take for common
// where they are not, and checks that parts of a row-major array are found apart.
func TestApart(t *testing.T) {
	small := rapid.Custom(func(t *rapid.T) layout.Layout {
		l := layout.Layout{Offset: rapid.IntRange(0, 20).Draw(t, "offset")}
		for range rapid.IntRange(0, 3).Draw(t, "rank") {
			l.Shape = append(l.Shape, rapid.IntRange(0, 4).Draw(t, "extent"))
			l.Strides = append(l.Strides, rapid.IntRange(-12, 12).Draw(t, "stride"))
		}
		return l
	})
	apart := 0
	rapid.Check(t, func(t *rapid.T) {
		a, b := small.Draw(t, "a"), small.Draw(t, "b")
		if layout.Apart(a, b) {
			apart++
			in := slices.Collect(a.All())
			for at := range b.All() {
				require.NotContains(t, in, at)
			}
		}
	})
	require.Positive(t, apart)
	rapid.Check(t, func(t *rapid.T) {
		whole := layout.RowMajor(3, 4, 5)
		axis := rapid.IntRange(0, 2).Draw(t, "axis")
		n := whole.Shape[axis]
		cut := rapid.IntRange(1, n-1).Draw(t, "cut")
		slice := func(l layout.Layout, axis, from, to int) layout.Layout {
			l, err := l.Slice(axis, from, to-from, 1)
			require.NoError(t, err)
			return l
		}
		left, right := slice(whole, axis, 0, cut), slice(whole, axis, cut, n)
		other := (axis + rapid.IntRange(1, 2).Draw(t, "other axis")) % 3 // cut one of the parts again
		at := rapid.IntRange(0, right.Shape[other]-1).Draw(t, "other cut")
		require.True(t, layout.Apart(left, slice(right, other, at, right.Shape[other])))
		require.True(t, layout.Apart(right, left.Collapse()))
	})
}
