package zarr_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/zarr"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

// TestIdentity changes when a chunk does.
func TestIdentity(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "x")
	require.NoError(t, zarr.WriteArray(folder, graph.New(graph.Float32, 100, 4), zarr.Options{Chunks: []int{10}}))
	r := zarr.From(folder)
	_, _, err := r.Open()
	require.NoError(t, err)
	var source stream.Identified = r
	before := source.Identity()
	require.Equal(t, before, source.Identity())
	require.NoError(t, os.Remove(filepath.Join(folder, "c", "3", "0")))
	require.NotEqual(t, before, source.Identity())
}
