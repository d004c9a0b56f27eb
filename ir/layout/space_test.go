package layout_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Layouts of a space are those of the functions, whatever it held before, and stay as they are
// until it is reset.
func TestSpace(t *testing.T) {
	var space layout.Space
	rapid.Check(t, func(t *rapid.T) {
		space.Reset()
		var have, want []layout.Layout
		for range 3 {
			shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 5).Draw(t, "shape")
			l, own := layout.RowMajor(shape...), space.RowMajor(shape...)
			have, want = append(have, own), append(want, l)
			refined, ok := layout.Refine(l, l)
			again, fine := space.Refine(own, own)
			require.Equal(t, ok, fine)
			have, want = append(have, again...), append(want, refined...)
		}
		require.Equal(t, want, have)
	})
}
