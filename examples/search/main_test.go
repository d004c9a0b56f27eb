package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/npy"
)

// TestRun compares what is printed with the program in memory.
func TestRun(t *testing.T) {
	const corpus = 60_000
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), &out, corpus, 8<<20))
	file := filepath.Join(t.TempDir(), "c.npy")
	require.NoError(t, write(file, corpus))
	x, err := npy.ReadFile(file)
	require.NoError(t, err)
	p, err := search()
	require.NoError(t, err)
	want, err := p.RunAll(t.Context(), x, graph.Normal(graph.Float32, 1, 0, 1, queries, dimensions))
	require.NoError(t, err)
	for _, y := range want {
		require.Contains(t, out.String(), y.String())
	}
}
