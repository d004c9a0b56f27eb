package npy_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
)

// seeds adds the files of a kind in testdata.
func seeds(f *testing.F, pattern string) {
	files, err := filepath.Glob(filepath.Join("testdata", pattern))
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(data)
	}
}

// FuzzRead reads any bytes. A tensor that was read is the same after writing and reading it again.
func FuzzRead(f *testing.F) {
	seeds(f, "*.npy")
	f.Add(withHeader("{'descr': '<f8', 'fortran_order': True, 'shape': (1152921504606846976,), }"))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := npy.Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var b bytes.Buffer
		require.NoError(t, npy.Write(&b, x))
		y, err := npy.Read(&b)
		require.NoError(t, err)
		require.True(t, graph.Equal(x, y))
	})
}

// FuzzArchive opens any bytes as an archive, and reads all its arrays.
func FuzzArchive(f *testing.F) {
	seeds(f, "*.npz")
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := npy.NewArchive(data)
		if err != nil {
			return
		}
		for _, name := range a.Names() {
			if x, err := a.Tensor(name); err == nil {
				require.NoError(t, npy.Write(&bytes.Buffer{}, x))
			}
		}
		require.NoError(t, a.Close())
	})
}
