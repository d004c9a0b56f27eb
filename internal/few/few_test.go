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

// TestInsertKeepsType keeps the type of a slice that has a name.
func TestInsertKeepsType(t *testing.T) {
	type named []int
	require.Equal(t, any(named{1, 2}), any(Insert(named{2}, 0, 1)))
}

// TestDelete compares with package slices.
func TestDelete(t *testing.T) {
	for n := range 5 {
		for at := range n {
			x := []int{0, 1, 2, 3}[:n]
			want := slices.Delete(slices.Clone(x), at, at+1)
			require.Equal(t, want, Delete(x, at))
		}
	}
}

// TestConcat compares with package slices, and keeps the type.
func TestConcat(t *testing.T) {
	type named []int
	x, y := named{1, 2}, named{3}
	require.Equal(t, slices.Concat(x, nil, y), Concat(x, nil, y))
	require.Equal(t, named{1, 2}, x)
	require.Nil(t, Concat(named{}, nil))
}

// TestSortedKeys has the keys of a map.
func TestSortedKeys(t *testing.T) {
	require.Equal(t, []string{"a", "b", "c"}, SortedKeys(map[string]int{"b": 1, "c": 0, "a": 2}))
}
