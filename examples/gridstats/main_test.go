package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/examples/gridstats/statistics"
	"github.com/stridefuse/stridefuse/formats/npy"
)

// TestRun compares the printed results for some copies with the program in memory, and the mean with NumPy's.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out, "", 30, 20<<20))
	x, err := npy.ReadFile("geoid.npy")
	require.NoError(t, err)
	p, err := statistics.Program(x.DType(), x.Extent(1), scale, low, high, bins)
	require.NoError(t, err)
	want, err := p.RunAll(t.Context(), x.Unsqueeze(0).Expand(30, 181, 360).Contiguous().Reshape(-1, 360))
	require.NoError(t, err)
	for _, x := range want {
		require.Contains(t, out.String(), x.String())
	}
	require.Contains(t, out.String(), "mean float32[] -1.4684")
	require.Contains(t, out.String(), "read 0.01 GB at")
	file := filepath.Join(t.TempDir(), "line.npy")
	require.NoError(t, npy.WriteFile(file, want[2]))
	require.ErrorContains(t, run(t.Context(), &out, file, 1, 20<<20), "an array of shape [10] is no grid")
}
