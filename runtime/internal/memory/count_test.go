package memory

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRefusedRequestsDoNotCount: whatever was refused before, memory is counted.
func TestRefusedRequestsDoNotCount(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("a request within int can be granted")
	}
	for range 4 {
		_, err := Reserve(math.MaxInt/2 + 1)
		require.Error(t, err)
	}
	_, err := Reserve(math.MaxInt >> 13)
	require.Error(t, err)
}
