package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRun checks the clusters of the digits, and that the output is the same for other block sizes.
func TestRun(t *testing.T) {
	var few, many bytes.Buffer
	require.NoError(t, run(t.Context(), &few, 8, 64<<20))
	require.NoError(t, run(t.Context(), &many, 8, 4<<20))
	rounds := func(b *bytes.Buffer) string { text, _, _ := strings.Cut(b.String(), "read "); return text }
	require.Equal(t, rounds(&few), rounds(&many))
	require.Equal(t, 10, strings.Count(few.String(), "mean squared distance"))
}
