package npy_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
)

// testdata/make.py wrote the files there with NumPy: most are 0 to 5 in two rows.

func file(name string) string { return filepath.Join("testdata", name+".npy") }

func counted(dt graph.DType) *graph.Tensor {
	if dt == graph.Bool {
		return graph.Of([]bool{false, true, true, true, true, true}, 2, 3)
	}
	return graph.Arange(dt, 0, 6, 1).Reshape(2, 3)
}

// checkMapped maps a little-endian file and compares its array. Big-endian machines reject it, unless elements are
// bytes.
func checkMapped(t require.TestingT, want *graph.Tensor, name string) {
	f, err := npy.Open(name)
	if binfile.BigEndian && want.DType().Size() > 1 {
		require.ErrorContains(t, err, "use ReadFile")
		return
	}
	require.NoError(t, err, name)
	require.True(t, graph.Equal(want, f.Tensor), name)
	require.NoError(t, f.Close())
}

// TestDTypes reads and maps NumPy's files of every type, and writes the same bytes.
func TestDTypes(t *testing.T) {
	runs := 0
	for dt := graph.Bool; dt <= graph.Float64; dt++ {
		got, err := npy.ReadFile(file(dt.String()))
		runs++
		require.NoError(t, err)
		require.True(t, graph.Equal(counted(dt), got), "%s", got)
		checkMapped(t, got, file(dt.String()))

		var b bytes.Buffer
		require.NoError(t, npy.Write(&b, got))
		want, err := os.ReadFile(file(dt.String()))
		require.NoError(t, err)
		require.Equal(t, want, b.Bytes(), "%s", dt)
	}
	require.Greater(t, runs, 8)
}

// TestForms reads other forms that files may have.
func TestForms(t *testing.T) {
	f32 := counted(graph.Float32)
	for name, want := range map[string]*graph.Tensor{
		"big": f32, "fortran": f32, "version2": f32,
		"scalar":          graph.Full(graph.Float64, 2.5),
		"vector":          graph.Arange(graph.Float32, 0, 3, 1),
		"empty":           graph.New(graph.Float32, 0, 3),
		"complex":         graph.Of([]float32{0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0}, 2, 3, 2),
		"complex_fortran": graph.Of([]float64{0, 3, 1, 4, 2, 5, 3, 0, 4, 1, 5, 2}, 2, 3, 2),
	} {
		got, err := npy.ReadFile(file(name))
		require.NoError(t, err, name)
		require.True(t, graph.Equal(want, got), "%s: %s", name, got)
		if name != "big" && name != "complex_fortran" {
			checkMapped(t, want, file(name))
		} else if _, err := npy.Open(file(name)); !binfile.BigEndian {
			require.ErrorContains(t, err, "use ReadFile")
		}
	}
	fortran, err := npy.ReadFile(file("fortran"))
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, fortran.Strides())
}

// TestMappedWrites checks that a write to a mapped tensor stays in this process.
func TestMappedWrites(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.npy")
	require.NoError(t, npy.WriteFile(name, counted(graph.Uint8)))
	f, err := npy.Open(name)
	require.NoError(t, err)
	require.NoError(t, f.Tensor.Set(7, 0, 0))
	require.NoError(t, f.Close())
	require.NoError(t, f.Close())
	got, err := npy.ReadFile(name)
	require.NoError(t, err)
	require.True(t, graph.Equal(counted(graph.Uint8), got))
}

// TestRoundTrip writes views of random layouts and reads them back.
func TestRoundTrip(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.npy")
	rapid.Check(t, func(t *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 4).Draw(t, "shape")
		want := graph.Uniform(graph.Float64, rapid.Uint64().Draw(t, "seed"), -1, 1, shape...).T().Flip()
		require.NoError(t, npy.WriteFile(name, want))
		got, err := npy.ReadFile(name)
		require.NoError(t, err)
		require.True(t, graph.Equal(want, got))
		checkMapped(t, want, name)
	})
}

// TestRows appends rows and blocks of rows, and compares with the array written at once.
func TestRows(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.npy")
	want := graph.Normal(graph.Float32, 1, 0, 1, 11, 3)
	f, err := os.Create(name)
	require.NoError(t, err)
	w, err := npy.NewWriter(f, graph.Float32, 3)
	require.NoError(t, err)
	require.NoError(t, w.Append(want.Index(0, 0)))
	require.NoError(t, w.Append(want.Slice("1:11")))
	require.ErrorContains(t, w.Append(want.T()), "rows of float32 [11] appended to an array of float32 [3]")
	require.ErrorContains(t, w.Append(want.Unsqueeze(0)), "3 axes appended: a row has 1")
	require.NoError(t, w.Close())
	require.ErrorContains(t, w.Append(want), "closed")
	require.NoError(t, f.Close())
	got, err := npy.ReadFile(name)
	require.NoError(t, err)
	require.True(t, graph.Equal(want, got))
}

// TestArchive reads NumPy's archives, and ones written here.
func TestArchive(t *testing.T) {
	written := filepath.Join(t.TempDir(), "written.npz")
	a, b := counted(graph.Float32), counted(graph.Int32)
	require.NoError(t, npy.WriteArchive(written, map[string]*graph.Tensor{"a": a, "b": b}))
	for _, name := range []string{"testdata/stored.npz", "testdata/compressed.npz", written} {
		archive, err := npy.OpenArchive(name)
		require.NoError(t, err)
		require.Equal(t, []string{"a", "b"}, archive.Names())
		for name, want := range map[string]*graph.Tensor{"a": a, "b": b} {
			got, err := archive.Tensor(name)
			require.NoError(t, err)
			require.True(t, graph.Equal(want, got))
		}
		_, err = archive.Tensor("c")
		require.EqualError(t, err, `npy: no array is called "c"`)
		require.NoError(t, archive.Close())
	}
}

// TestMixedArchive reads the arrays of an archive that has other members, and one array twice: the later counts.
func TestMixedArchive(t *testing.T) {
	a, err := npy.OpenArchive("testdata/mixed.npz")
	require.NoError(t, err)
	require.Equal(t, []string{"b", "d/a"}, a.Names())
	for name, want := range map[string]*graph.Tensor{"b": counted(graph.Float32), "d/a": counted(graph.Int32)} {
		got, err := a.Tensor(name)
		require.NoError(t, err)
		require.True(t, graph.Equal(want, got))
	}
	require.NoError(t, a.Close())
}

// TestErrors lists the messages for files that can't be read.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }", math.MaxInt/8): fmt.Sprintf("ends after 0 of %d bytes", math.MaxInt/8*4),
		fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }", math.MaxInt/2): "passes int",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }":                             "an extent expected",
		"{'descr': '<f4', 'shape': (1,), }":                                                      "is missing",
		"{'descr': '<f4', 'descr': '<f4', 'shape': (1,), }":                                      "twice",
		"{'descr': '|f4', 'fortran_order': False, 'shape': (1,), }":                              "no byte order",
		"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } x":                            "text after",
	} {
		_, err := npy.Read(bytes.NewReader(withHeader(text)))
		require.ErrorContains(t, err, want, text)
	}
	for text, want := range map[string]string{
		"version https://git-lfs.github.com/spec/v1\n": "npy: the file is a pointer of git-lfs, not the data: run git lfs pull",
		"\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00": "npy: the file is a pickle of Python, which can run code: convert it, as with numpy.save or safetensors",
		"\n<!DOCTYPE html>":                            "npy: the file is an HTML page: a download ended at a page, such as a login",
		"hello, hello":                                 `npy: not a .npy file: it begins with "hello,"`,
	} {
		_, err := npy.Read(strings.NewReader(text))
		require.EqualError(t, err, want)
		if named, ok := strings.CutPrefix(want, "npy: the file is "); ok {
			_, err = npy.NewArchive([]byte(text))
			require.ErrorContains(t, err, named)
		}
	}
}

// withHeader returns a file that ends after a header.
func withHeader(text string) []byte {
	head := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), byte(len(text)>>8))
	return append(head, text...)
}

// TestWriteWhatIsRead: a mapped file is replaced by tensors read from it.
func TestWriteWhatIsRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.npy")
	x := graph.Uniform(graph.Float64, 1, 0, 1, 300, 500)
	require.NoError(t, npy.WriteFile(name, x))
	f, err := npy.Open(name)
	require.NoError(t, err)
	defer f.Close()
	err = npy.WriteFile(name, f.Tensor.T())
	if runtime.GOOS == "windows" && err != nil { // Windows does not replace a mapped file
		require.True(t, graph.Equal(x, f.Tensor))
		return
	}
	require.NoError(t, err)
	require.True(t, graph.Equal(x, f.Tensor), "the mapping is of the old file")
	y, err := npy.ReadFile(name)
	require.NoError(t, err)
	require.True(t, graph.Equal(x.T(), y))
}

// TestClosed checks that uses of a closed file are errors rather than faults: tensors, views, programs that captured
// them, slices of their elements.
func TestClosed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.npy")
	require.NoError(t, npy.WriteFile(name, graph.Of([]uint8{1, 2, 3, 4}, 2, 2)))
	f, err := npy.Open(name)
	require.NoError(t, err)
	x, view := f.Tensor, f.Tensor.T().Slice("1:")
	elements, err := graph.Data[uint8](x)
	require.NoError(t, err)
	p, err := graph.Compile(graph.Variable(x).Add(1))
	require.NoError(t, err)
	y, err := p.Run(t.Context())
	require.NoError(t, err)
	kept := x.Clone()
	given, err := graph.Compile(graph.Input("x", graph.Uint8, 2, 2).Mul(2))
	require.NoError(t, err)
	var calls []*graph.Call // with a captured tensor, an input and an output
	for _, bind := range []struct {
		p    *graph.Program
		outs *graph.Tensor
		ins  []*graph.Tensor
	}{{p, graph.New(graph.Uint8, 2, 2), nil}, {given, graph.New(graph.Uint8, 2, 2), []*graph.Tensor{x}}, {given, x, []*graph.Tensor{kept}}} {
		call, err := bind.p.Bind([]*graph.Tensor{bind.outs}, bind.ins...)
		require.NoError(t, err)
		calls = append(calls, call)
	}
	require.NoError(t, f.Close())
	require.NoError(t, f.Close())

	const closed = "the file that the tensor is memory of was closed"
	for range 2 {
		for _, call := range calls {
			require.ErrorContains(t, call.Run(t.Context()), closed)
		}
	}
	_, err = graph.At[uint8](x, 0, 0)
	require.ErrorContains(t, err, closed)
	_, err = view.At(0, 0)
	require.ErrorContains(t, err, closed)
	require.ErrorContains(t, view.Bitcast(graph.Int8).Err(), closed)
	require.ErrorContains(t, x.Clone().Err(), closed)
	require.ErrorContains(t, graph.Const(x).Add(1).Err(), closed)
	_, err = p.Run(t.Context())
	require.Error(t, err)
	require.Equal(t, []uint8{0, 0, 0, 0}, elements)
	elements[0] = 1
	require.True(t, graph.Equal(graph.Of([]uint8{2, 3, 4, 5}, 2, 2), y))
	require.True(t, graph.Equal(graph.Of([]uint8{1, 2, 3, 4}, 2, 2), kept))
	again, err := npy.ReadFile(name)
	require.NoError(t, err)
	require.True(t, graph.Equal(kept, again))
}

// TestNoName writes types for which the format has no name.
func TestNoName(t *testing.T) {
	for _, dt := range []graph.DType{graph.Float8E4M3FN, graph.Int4, graph.Fixed16x16} {
		err := npy.Write(io.Discard, graph.New(dt, 2))
		require.EqualError(t, err, "npy: "+dt.String()+" has no name in .npy files: Cast it")
	}
}
