package layout

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestApart compares Apart with the locations themselves: it is right where it says that
// layouts are apart, and it tells parts of one array apart.
func TestApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anyLayout.Draw(t, "a"), anyLayout.Draw(t, "b")
		if Apart(a, b) {
			for _, at := range locations(a) {
				require.False(t, slices.Contains(locations(b), at), "%v and %v", a, b)
			}
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		l := RowMajor(rapid.SliceOfN(rapid.IntRange(1, 5), 1, 4).Draw(t, "shape")...)
		var parts []Layout
		for range rapid.IntRange(1, 3).Draw(t, "cuts") { // as padding cuts: parts of parts
			k := rapid.IntRange(0, l.Rank()-1).Draw(t, "axis")
			at := rapid.IntRange(0, l.Shape[k]).Draw(t, "at")
			first, err := l.Slice(k, 0, at, 1)
			require.NoError(t, err)
			second, err := l.Slice(k, at, l.Shape[k]-at, 1)
			require.NoError(t, err)
			parts, l = append(parts, second.Collapse()), first
		}
		for i, p := range parts {
			require.True(t, Apart(p, l), "%v and %v", p, l)
			for _, q := range parts[:i] {
				require.True(t, Apart(p, q) && Apart(q, p), "%v and %v", p, q)
			}
		}
	})
}
