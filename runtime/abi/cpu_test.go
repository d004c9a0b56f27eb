package abi

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLimit names each engine on a processor that has each.
func TestLimit(t *testing.T) {
	for has := range NumEngines {
		require.Equal(t, has, limit(has, ""))
		require.Equal(t, has, limit(has, "sse9"), "a name that no engine has")
		for named := range NumEngines {
			want := min(has, named)
			if named == NEON && has > NEON {
				want = Portable // of another processor
			}
			require.Equal(t, want, limit(has, named.String()))
		}
	}
}
