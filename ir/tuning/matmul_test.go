package tuning

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInPlace has right operands of rows whose distance is an odd number of cache lines, or one that puts many rows into one
// set of the first-level cache, and operands of too many rows or pages.
func TestInPlace(t *testing.T) {
	m := Default(1).Matmul
	for _, c := range []struct {
		rows, pairs, apart int
		want               bool
	}{
		{34, 34, 4 * 784, true}, {68, 68, 4 * 196, true}, {68, 68, -4 * 196, true}, {34, 1, 4096, true},
		{34, 34, 4096, false}, {34, 34, 2048, false}, {34, 34, 0, true},
		{1000, 34, 4 * 784, false}, {34, 512, 4 * 784, false}, {34, 128, 4 * 784, false},
	} {
		require.Equal(t, c.want, m.InPlace(c.rows, c.pairs, c.apart), "%+v", c)
	}
}
