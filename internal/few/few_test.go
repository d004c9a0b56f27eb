package few

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestSort compares with package slices: elements are equal where their tens are.
func TestSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOf(rapid.IntRange(0, 50)).Draw(t, "x")
		want := slices.Clone(x)
		slices.SortStableFunc(want, func(a, b int) int { return a/10 - b/10 })
		Sort(x, func(a, b int) bool { return a/10 < b/10 })
		require.Equal(t, want, x)
	})
}

// TestInsert compares with package slices.
func TestInsert(t *testing.T) {
	for n := range 5 {
		for at := range n + 1 {
			x := make([]int, n, n+at%2)
			for i := range x {
				x[i] = i
			}
			want := slices.Insert(slices.Clone(x), at, 9)
			require.Equal(t, want, Insert(x, at, 9))
		}
	}
}
