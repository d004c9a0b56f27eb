package rewrite

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSlab checks that lists are zeroed and disjoint, also after the slab was emptied.
func TestSlab(t *testing.T) {
	var m Slab[int]
	a, b := m.Take(3), m.Take(4)
	copy(a, []int{1, 2, 3})
	require.Equal(t, []int{0, 0, 0, 0}, b)
	require.Equal(t, 3, cap(a), "an append would write into the next list")
	long := m.Take(mostElems)
	require.Len(t, long, mostElems)
	for range 10 { // more than one block
		m.Take(mostElems / 5)[0] = 7
	}
	require.Equal(t, []int{1, 2, 3}, a)
	m.Empty()
	require.Equal(t, make([]int, mostElems/4), m.Take(mostElems/4))
}
