package schedule

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEvenly requires that pieces are no longer than allowed, that there are no more of them than
// need be, and that the last one is shorter than the others by less than a unit for each.
func TestEvenly(t *testing.T) {
	for n := 1; n < 700; n++ {
		for _, most := range []int{1, 7, 64, 100, 128, 1000} {
			const unit = 16
			each := evenly(n, most, unit)
			pieces := (n-1)/each + 1
			require.LessOrEqual(t, each, max(1, min(n, most)))
			require.Equal(t, (n-1)/most+1, pieces, "%d in pieces of %d", n, most)
			require.Less(t, each-(n-(pieces-1)*each), unit*pieces)
		}
	}
}
