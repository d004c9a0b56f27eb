package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRun finds words that belong together.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out, "", []string{"president", "war", "year", "city"}, 8<<20))
	require.Contains(t, out.String(), "president: former 0.71 secretary 0.69 ")
	require.Contains(t, out.String(), "\nwar: military 0.74 forces 0.71 ")
	require.Contains(t, out.String(), "\nyear: last 0.90 month 0.89 ")
	require.Contains(t, out.String(), "read 0.00 GB at")
	require.ErrorContains(t, run(t.Context(), &out, "", []string{"oboe"}, 8<<20), `the corpus has no word "oboe"`)
}
