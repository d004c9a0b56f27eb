package zarr_test

import (
	"flag"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/formats/zarr"
	"github.com/stridefuse/stridefuse/graph"
)

var python = flag.String("python", "", "an interpreter that has zarr and numpy: TestReadByPython needs it")

// TestPython reads the arrays that zarr-python has written (testdata/make.py).
func TestPython(t *testing.T) {
	for name, want := range map[string]*graph.Tensor{
		"plain":        numbers(t, graph.Float32, 5, 7),
		"gzip":         numbers(t, graph.Int16, 9, 4),
		"crc32c":       numbers(t, graph.Uint8, 10),
		"gzip-crc32c":  numbers(t, graph.Float64, 6, 2),
		"big-endian":   numbers(t, graph.Int32, 3, 3),
		"float16":      numbers(t, graph.Float16, 4, 4),
		"uint64":       numbers(t, graph.Uint64, 3, 5),
		"bool":         numbers(t, graph.Bool, 6),
		"scalar":       graph.ScalarOf(42.0),
		"large-chunk":  numbers(t, graph.Int8, 3),
		"dots":         numbers(t, graph.Int64, 4, 4),
		"v2-keys":      numbers(t, graph.Int64, 4, 4),
		"named":        numbers(t, graph.Float32, 4, 2),
		"group.zarr/x": numbers(t, graph.Float32, 4),
		"sharded":      numbers(t, graph.Int32, 4, 4),
		"sharded-gzip": numbers(t, graph.Float64, 6, 10),
		"transposed":   numbers(t, graph.Int16, 3, 4, 5),
		"v2-fortran":   numbers(t, graph.Uint16, 3, 4, 5),
		"v2-slashes":   numbers(t, graph.Bool, 6),
		"v2-scalar":    graph.ScalarOf(0.0),
	} {
		if filepath.Dir(name) == "." {
			name += ".zarr"
		}
		got, err := zarr.ReadArray(filepath.Join("testdata", name))
		require.NoError(t, err, name)
		require.True(t, graph.Equal(want, got), "%s: %v", name, got)
	}
	for name, want := range map[string]string{
		"nan":      "float32[4,2]\n[[ 0.  1.]\n [ 2.  3.]\n [nan nan]\n [nan nan]]",
		"infinity": "float64[4]\n[-inf -inf   2.   3.]",
		"v2": "float32[6,7]\n[[ 0.  1.  2.  3.  4.  5.  6.]\n [ 7.  8.  9. 10. 11. 12. 13.]\n [14. 15. 16. 17. 18. 19. 20.]\n" +
			" [21. 22. 23. 24. 25. 26. 27.]\n [28. 29. 30.  0.  0.  0. 34.]\n [35. 36. 37.  0.  0.  0. 41.]]",
		"v2-big-endian": "int32[6,7]\n[[ 0  1  2  3  4  5  6]\n [ 7  8  9 10 11 12 13]\n [14 15 16 17 18 19 20]\n" +
			" [21 22 23 24 25 26 27]\n [28 29 30  0  0  0 34]\n [35 36 37  0  0  0 41]]",
		"sharded-start": "uint16[5,4]\n[[7 7 7 7]\n [0 1 2 7]\n [3 4 5 7]\n [6 7 8 7]\n [7 7 7 7]]",
	} {
		got, err := zarr.ReadArray(filepath.Join("testdata", name+".zarr"))
		require.NoError(t, err, name)
		require.Equal(t, want, got.String())
	}
	_, err := zarr.ReadArray(filepath.Join("testdata", "group.zarr"))
	require.ErrorContains(t, err, "it is a group: name an array in it")
}

// numbers returns 0, 1, 2, ...
func numbers(t *testing.T, dt graph.DType, shape ...int) *graph.Tensor {
	n := 1
	for _, k := range shape {
		n *= k
	}
	x := graph.Input("x", graph.Int64, n)
	p, err := graph.Compile(x.Cast(dt))
	require.NoError(t, err)
	out, err := p.Run(t.Context(), graph.Arange(graph.Int64, 0, float64(n), 1))
	require.NoError(t, err)
	return out.Reshape(shape...)
}

// TestReadByPython has zarr-python read arrays of each type and codec, and compare them with
// files of numpy: go test ./zarr -run ByPython -python python3.
func TestReadByPython(t *testing.T) {
	if *python == "" {
		t.Skip("no -python: CI has no zarr-python")
	}
	folder := t.TempDir()
	options := []zarr.Options{
		{}, {Chunks: []int{3, 4}}, {Chunks: []int{4}, Codecs: []zarr.Codec{zarr.Gzip(5)}}, {Codecs: []zarr.Codec{zarr.CRC32C()}},
		{Chunks: []int{2, 2}, Codecs: []zarr.Codec{zarr.Gzip(1), zarr.CRC32C()}}, {Chunks: []int{100, 100}},
	}
	n := 0
	for _, dt := range dtypes {
		for _, o := range options {
			save(t, folder, n, random(t, dt, 7, 5), o)
			n++
		}
	}
	for _, x := range []*graph.Tensor{graph.ScalarOf(1.5), graph.New(graph.Float32, 0, 3), random(t, graph.Int32, 2, 3, 4, 5)} {
		save(t, folder, n, x, zarr.Options{})
		n++
	}
	out, err := exec.Command(*python, filepath.Join("testdata", "check.py"), folder).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, strconv.Itoa(n)+" arrays are equal\n", string(out))
}

// save writes a tensor in both formats.
func save(t *testing.T, folder string, number int, x *graph.Tensor, o zarr.Options) {
	name := filepath.Join(folder, strconv.Itoa(number))
	require.NoError(t, npy.WriteFile(name+".npy", x))
	require.NoError(t, zarr.WriteArray(name+".zarr", x, o))
}
