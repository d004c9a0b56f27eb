package zstd_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/zarr"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/zstd"
)

// TestRoundTrip writes arrays of several levels, and finds damage where there is a checksum.
func TestRoundTrip(t *testing.T) {
	x := graph.Arange(graph.Float32, 0, 3000, 1).Reshape(1000, 3)
	for _, level := range []int{-5, 0, 3, 19} {
		folder := filepath.Join(t.TempDir(), "x")
		codec, err := zstd.New(level, true)
		require.NoError(t, err)
		require.NoError(t, zarr.WriteArray(folder, x, zarr.Options{Chunks: []int{600}, Codecs: []zarr.Codec{codec}}))
		y, err := zarr.ReadArray(folder)
		require.NoError(t, err)
		require.True(t, graph.Equal(x, y))
		chunk := filepath.Join(folder, "c", "1", "0")
		data, err := os.ReadFile(chunk)
		require.NoError(t, err)
		require.Less(t, len(data), 600*12)
		for _, damaged := range [][]byte{data[:len(data)-1], append([]byte{data[0], data[1]}, data[3:]...), nil} {
			require.NoError(t, os.WriteFile(chunk, damaged, 0o666))
			_, err = zarr.ReadArray(folder)
			require.ErrorContains(t, err, "chunk [1 0], "+chunk)
		}
	}
	_, err := zstd.New(23, false)
	require.ErrorContains(t, err, "level 23")
}

// TestLimit refuses a chunk that decodes to more than a chunk has.
func TestLimit(t *testing.T) {
	codec, err := zstd.New(3, false)
	require.NoError(t, err)
	bomb, err := codec.Encode(make([]byte, 100<<20))
	require.NoError(t, err)
	require.Less(t, len(bomb), 1<<20)
	_, err = codec.Decode(bomb, 1<<20)
	require.Error(t, err)
}

// TestPython reads arrays that zarr-python has written (zarr/testdata/make.py): by default it
// compresses by zstd.
func TestPython(t *testing.T) {
	for name, want := range map[string]*graph.Tensor{
		"zstd":          graph.Arange(graph.Float32, 0, 40, 1).Reshape(8, 5),
		"zstd-checksum": graph.Arange(graph.Uint16, 0, 40, 1).Reshape(8, 5),
		"default":       graph.Arange(graph.Float64, 0, 24, 1).Reshape(6, 4),
	} {
		got, err := zarr.ReadArray(filepath.Join("testdata", name+".zarr"))
		require.NoError(t, err, name)
		require.True(t, graph.Equal(want, got), "%s: %v", name, got)
	}
}
