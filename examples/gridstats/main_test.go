package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/npy"
)

// TestRun compares what is printed of a small grid with the program in memory.
func TestRun(t *testing.T) {
	const rows = 5000
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out, rows, 20<<20))
	file := filepath.Join(t.TempDir(), "h.npy")
	require.NoError(t, write(t.Context(), file, rows))
	h, err := npy.ReadFile(file)
	require.NoError(t, err)
	p, err := statistics()
	require.NoError(t, err)
	want, err := p.RunAll(t.Context(), h)
	require.NoError(t, err)
	for _, x := range want {
		require.Contains(t, out.String(), x.String())
	}
	require.Contains(t, out.String(), "read 0.04 GB at")
}
