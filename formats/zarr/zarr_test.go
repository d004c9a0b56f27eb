package zarr_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/formats/zarr"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

var dtypes = []graph.DType{
	graph.Float32, graph.Float64, graph.Float16, graph.Bool, graph.Int8, graph.Int16, graph.Int32, graph.Int64,
	graph.Uint8, graph.Uint16, graph.Uint32, graph.Uint64,
}

// random returns a tensor of any type that files have.
func random(t require.TestingT, dt graph.DType, shape ...int) *graph.Tensor {
	x := graph.Input("x", graph.Float64, graph.Dim("n"))
	p, err := graph.Compile(x.Cast(dt))
	require.NoError(t, err)
	n := 1
	for _, k := range shape {
		n *= k
	}
	out, err := p.Run(context.Background(), graph.Uniform(graph.Float64, 1, 0, 100, n))
	require.NoError(t, err)
	return out.Reshape(shape...)
}

// TestRoundTrip writes arrays of any type, shape and chunks, and reads them.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		shape := rapid.SliceOfN(rapid.IntRange(0, 9), 0, 4).Draw(r, "shape")
		o := zarr.Options{}
		for range rapid.IntRange(0, len(shape)).Draw(r, "axes in chunks") {
			o.Chunks = append(o.Chunks, rapid.IntRange(1, 10).Draw(r, "chunk"))
		}
		for range rapid.IntRange(0, 2).Draw(r, "codecs") {
			o.Codecs = append(o.Codecs, rapid.SampledFrom([]zarr.Codec{zarr.Gzip(1), zarr.CRC32C()}).Draw(r, "codec"))
		}
		x := random(r, rapid.SampledFrom(dtypes).Draw(r, "dtype"), shape...)
		folder := filepath.Join(t.TempDir(), "x.zarr")
		require.NoError(r, zarr.WriteArray(folder, x, o))
		y, err := zarr.ReadArray(folder)
		require.NoError(r, err)
		require.True(r, graph.Equal(x, y))
	})
}

// TestMisuse: what is too large, or comes in another order, is an error.
func TestMisuse(t *testing.T) {
	k := math.MaxInt>>32 + 1 // 2^31 where an int has 64 bits
	if strconv.IntSize == 64 {
		require.Error(t, zarr.To(t.TempDir(), zarr.Options{}).Create(graph.Float32, []int{5, k, k}))
		_ = zarr.To(t.TempDir(), zarr.Options{}).ChunkRows(graph.Float32, []int{5, k, k, k})
		require.NotPanics(t, func() { _ = zarr.WriteArray(t.TempDir(), graph.New(graph.Float32, 0, k, k/2), zarr.Options{}) })
	}
	w, r := zarr.To(t.TempDir(), zarr.Options{}), zarr.From(t.TempDir())
	none := func() *graph.Tensor { return graph.New(graph.Float32, 3) }
	require.ErrorContains(t, w.Write(t.Context(), 0, none()), "Create")
	require.ErrorContains(t, w.Commit(), "Create")
	_, _, err := r.Read(t.Context(), 0, 1, none)
	require.ErrorContains(t, err, "Open")
	_, _, err = w.Read(t.Context(), 0, 1, none)
	require.Error(t, err)
	require.Equal(t, 1, r.ChunkRows(graph.Float32, []int{3}))

	folder := t.TempDir()
	w = zarr.To(folder, zarr.Options{Chunks: []int{3}})
	require.NoError(t, w.Create(graph.Float32, []int{6}))
	require.NoError(t, w.Write(t.Context(), 0, graph.Ones(graph.Float32, 6)))
	require.Error(t, w.Write(t.Context(), -3, none()))
	require.Error(t, w.Write(t.Context(), 6, none()))
	require.Error(t, w.Write(t.Context(), 0, nil))
	require.Error(t, w.Write(t.Context(), 0, graph.Full(graph.Float32, 1)))
	require.Error(t, w.Write(t.Context(), 0, graph.Ones(graph.Float32, 3, 2)))
	require.Error(t, w.Write(t.Context(), 0, graph.Ones(graph.Float64, 3)))
	_, _, err = w.Read(t.Context(), 0, 7, func() *graph.Tensor { return graph.New(graph.Float32, 7) })
	require.Error(t, err)
	_, _, err = w.Read(t.Context(), math.MinInt, math.MaxInt, none)
	require.Error(t, err)
	x, err := zarr.ReadArray(folder)
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Ones(graph.Float32, 6), x))
	require.Error(t, zarr.WriteArray(t.TempDir(), x, zarr.Options{Codecs: []zarr.Codec{nil}}))
	_ = zarr.To(folder, zarr.Options{}).ChunkRows(0, []int{3})
}

// TestStream runs a program from chunks to chunks of other rows.
func TestStream(t *testing.T) {
	folder := t.TempDir()
	from, to := filepath.Join(folder, "x"), filepath.Join(folder, "y")
	x := graph.Normal(graph.Float32, 1, 0, 1, 5000, 6)
	require.NoError(t, zarr.WriteArray(from, x, zarr.Options{Chunks: []int{256, 4}, Codecs: []zarr.Codec{zarr.Gzip(1)}}))
	in := graph.Input("x", graph.Float32, graph.Dim("n"), 6)
	p, err := graph.Compile(in.Sub(in.Mean(0)))
	require.NoError(t, err)
	want, err := p.Run(context.Background(), x)
	require.NoError(t, err)
	j := stream.Job{
		Program: p, Inputs: map[string]stream.Source{"x": zarr.From(from)}, Rows: 1,
		Outputs: map[string]stream.Sink{"out0": zarr.To(to, zarr.Options{Chunks: []int{96}, Codecs: []zarr.Codec{zarr.CRC32C()}})},
	}
	_, err = j.Run(context.Background()) // blocks are multiples of 256, 96 and 1024 rows: 3072
	require.NoError(t, err)
	y, err := zarr.ReadArray(to)
	require.NoError(t, err)
	require.True(t, graph.Equal(want, y))
}

// TestChunkRows writes blocks of a job with the chunks that a Writer has without Options, and
// with chunks that it refuses.
func TestChunkRows(t *testing.T) {
	x := graph.Normal(graph.Float32, 1, 0, 1, 5000, 3)
	in := graph.Input("x", graph.Float32, graph.Dim("n"), 3)
	p, err := graph.Compile(in.Mul(2))
	require.NoError(t, err)
	want, err := p.Run(t.Context(), x)
	require.NoError(t, err)
	job := func(to string, o zarr.Options) error {
		j := stream.Job{Program: p, Inputs: map[string]stream.Source{"x": stream.Memory(x)}, Rows: 100, Outputs: map[string]stream.Sink{"out0": zarr.To(to, o)}}
		_, err := j.Run(t.Context())
		return err
	}
	to := filepath.Join(t.TempDir(), "y")
	require.NoError(t, job(to, zarr.Options{}))
	y, err := zarr.ReadArray(to)
	require.NoError(t, err)
	require.True(t, graph.Equal(want, y))
	chunks, err := os.ReadDir(filepath.Join(to, "c"))
	require.NoError(t, err)
	require.Len(t, chunks, 5)
	for _, bad := range []int{0, -3} {
		require.ErrorContains(t, job(filepath.Join(t.TempDir(), "y"), zarr.Options{Chunks: []int{bad}}), "one extent above 0 for each axis")
	}
	require.NoError(t, zarr.WriteArray(filepath.Join(t.TempDir(), "y"), graph.New(graph.Int8), zarr.Options{}))
}

// TestWideRows has blocks of a job with rows of 2 MB stay within its memory.
func TestWideRows(t *testing.T) {
	const columns = 1 << 19
	in := graph.Input("x", graph.Float32, graph.Dim("n"), columns)
	p, err := graph.Compile(in.Mul(2))
	require.NoError(t, err)
	to := filepath.Join(t.TempDir(), "y")
	j := stream.Job{
		Program: p, Inputs: map[string]stream.Source{"x": stream.Memory(graph.Ones(graph.Float32, 5, columns))}, Memory: 20 << 20,
		Outputs: map[string]stream.Sink{"out0": zarr.To(to, zarr.Options{})},
	}
	_, err = j.Run(t.Context())
	require.NoError(t, err)
	chunks, err := os.ReadDir(filepath.Join(to, "c"))
	require.NoError(t, err)
	require.Len(t, chunks, 5)
}

// TestHostileChunks refuses chunks that are much larger than the array: one of them, of zeros
// that were compressed, would take any amount of memory.
func TestHostileChunks(t *testing.T) {
	for chunks, want := range map[string]string{"[2, 67108864]": "small part of one", "[33554432, 3]": "small part of one", "[4096, 3]": "", "[5, 4096]": ""} {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "zarr.json"), []byte(strings.Replace(text, "[2, 3]", chunks, 1)), 0o666))
		_, err := zarr.ReadArray(folder)
		if want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
}

// TestMissingChunk does not complete an array one of whose chunks is gone.
func TestMissingChunk(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "x")
	w := zarr.To(folder, zarr.Options{Chunks: []int{2}})
	x := graph.Ones(graph.Float32, 4, 3)
	require.NoError(t, w.Create(x.DType(), x.Shape()))
	require.NoError(t, w.Write(t.Context(), 0, x))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "0.part123"), nil, 0o666)) // of a process that was killed
	require.NoError(t, w.Commit())
	require.NoFileExists(t, filepath.Join(folder, "0.part123"))
	require.NoError(t, os.Remove(filepath.Join(folder, "c", "1", "0")))
	require.ErrorContains(t, w.Commit(), "chunk [1 0] has not been written")
}

// TestLongerThanData stores random bytes, which codecs make longer.
func TestLongerThanData(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "x")
	x := graph.Uniform(graph.Float64, 1, 0, 1, 2<<20)
	require.NoError(t, zarr.WriteArray(folder, x, zarr.Options{Chunks: []int{2 << 20}, Codecs: []zarr.Codec{zarr.Gzip(0), zarr.Gzip(0), zarr.CRC32C()}}))
	y, err := zarr.ReadArray(folder)
	require.NoError(t, err)
	require.True(t, graph.Equal(x, y))
}

// TestBadLevel checks that an array whose codec is wrong is not begun.
func TestBadLevel(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "x")
	require.ErrorContains(t, zarr.WriteArray(folder, graph.New(graph.Float32, 3), zarr.Options{Codecs: []zarr.Codec{zarr.Gzip(50)}}), "level 50")
	require.NoFileExists(t, filepath.Join(folder, "zarr.json"))
}

// TestNoElements reads arrays with a long axis and one without elements.
func TestNoElements(t *testing.T) {
	for _, shape := range []string{"[1073741824, 0]", "[0, 1073741824]"} {
		folder := t.TempDir()
		s := strings.NewReplacer("[5, 3]", shape, "[2, 3]", "[1, 1]").Replace(text)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "zarr.json"), []byte(s), 0o666))
		x, err := zarr.ReadArray(folder)
		require.NoError(t, err)
		require.Zero(t, x.Size())
	}
}

// TestExtension reads an array with a field that readers may ignore.
func TestExtension(t *testing.T) {
	folder := t.TempDir()
	s := strings.Replace(text, `"attributes"`, `"extra": {"name": "e", "must_understand": false}, "attributes"`, 1)
	require.NoError(t, os.WriteFile(filepath.Join(folder, "zarr.json"), []byte(s), 0o666))
	_, err := zarr.ReadArray(folder)
	require.NoError(t, err)
}

// text is zarr.json as zarr-python 3 writes it.
const text = `{
  "shape": [5, 3], "data_type": "float32",
  "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
  "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
  "fill_value": "NaN",
  "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
  "attributes": {"units": "K"}, "dimension_names": ["t", null], "zarr_format": 3, "node_type": "array", "storage_transformers": []
}`

// TestFill reads an array none of whose chunks exist.
func TestFill(t *testing.T) {
	folder := t.TempDir()
	for fill, want := range map[string]string{`"NaN"`: "NaN", `"-Infinity"`: "-Inf", "2.5": "2.5", "-3": "-3", `"0x7fc00000"`: "NaN", `"0xc0200000"`: "-2.5"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "zarr.json"), []byte(strings.Replace(text, `"NaN"`, fill, 1)), 0o666))
		x, err := zarr.ReadArray(folder)
		require.NoError(t, err)
		at, err := x.At(4, 2)
		require.NoError(t, err)
		require.Equal(t, want, fmt.Sprint(at))
	}
}

// TestRefusals checks errors of damaged and of foreign arrays.
func TestRefusals(t *testing.T) {
	for from, c := range map[string]struct{ to, want string }{
		`"zarr_format": 3`:           {`"zarr_format": 2`, "format version 2 in zarr.json"},
		`"array"`:                    {`"group"`, "it is a group"},
		`"float32"`:                  {`"complex64"`, `"complex64" are not read`},
		`"regular"`:                  {`"rectilinear"`, `chunk grid "rectilinear"`},
		`[2, 3]`:                     {`[2, 0]`, "chunks of shape [2 0]"},
		`[5, 3]`:                     {`[5, -3]`, "-3"},
		`"crc32c"`:                   {`"zstd"`, `codec "zstd" is not known, there are crc32c, gzip, zlib: import module`},
		`"name": "crc32c"`:           {`"name": "zlib"`, "the codec zlib is one of format 2: format 3 has gzip"},
		`"bytes"`:                    {`"transpose"`, "codec transpose"},
		`"default"`:                  {`"suffix"`, `chunk keys "suffix"`},
		`"NaN"`:                      {`"none"`, "fill_value"},
		`"fill_value": "NaN"`:        {`"fill_value": "0x7fc0"`, "fill_value"},
		`"shape": [5, 3], `:          {``, "it has no shape"},
		`[]` + "\n}":                 {`[]} junk`, "after top-level value"},
		`"units": "K"}`:              {`"units": "K"}, "extra": {"must_understand": true}`, "extra"},
		`"attributes"`:               {`"surprise"`, "surprise"},
		`"little"`:                   {`"middle"`, `the byte order "middle"`},
		`"storage_transformers": []`: {`"storage_transformers": [{"name": "s"}]`, `storage transformer "s"`},
	} {
		folder := t.TempDir()
		require.Contains(t, text, from)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "zarr.json"), []byte(strings.Replace(text, from, c.to, 1)), 0o666))
		_, err := zarr.ReadArray(folder)
		require.ErrorContains(t, err, c.want)
	}
	x := graph.New(graph.Float32, 4, 3)
	for _, codec := range []zarr.Codec{zarr.Gzip(5), zarr.CRC32C()} {
		folder := filepath.Join(t.TempDir(), "x")
		require.NoError(t, zarr.WriteArray(folder, x, zarr.Options{Chunks: []int{2}, Codecs: []zarr.Codec{codec}}))
		require.ErrorContains(t, zarr.WriteArray(folder, graph.New(graph.Int8, 3), zarr.Options{}), "there is another array")
		chunk := filepath.Join(folder, "c", "1", "0")
		good, err := os.ReadFile(chunk)
		require.NoError(t, err)
		for i := range good {
			bad := append([]byte{}, good...)
			bad[i] ^= 4
			require.NoError(t, os.WriteFile(chunk, bad, 0o666))
			y, err := zarr.ReadArray(folder)
			if err == nil { // of gzip's header some bits say nothing
				require.True(t, graph.Equal(x, y), "byte %d of %s", i, codec.Name())
				require.Less(t, i, 10, codec.Name())
				continue
			}
			require.ErrorContains(t, err, "chunk [1 0], "+chunk)
		}
		require.NoError(t, os.WriteFile(chunk, good[:len(good)-1], 0o666))
		_, err = zarr.ReadArray(folder)
		require.ErrorContains(t, err, "chunk [1 0], "+chunk)
	}
	require.ErrorContains(t, zarr.WriteArray(t.TempDir(), graph.New(graph.BFloat16, 3), zarr.Options{}), "has no name in Zarr")
	require.ErrorContains(t, zarr.WriteArray(t.TempDir(), x, zarr.Options{Chunks: []int{1, 1, 1}}), "chunks of shape [1 1 1]")
}

// FuzzText reads any zarr.json.
func FuzzText(f *testing.F) {
	f.Add(text)
	f.Add(strings.NewReplacer("[5, 3]", "[4611686018427387904, 0]", "[2, 3]", "[1, 1]").Replace(text))
	f.Fuzz(func(t *testing.T, text string) {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, "zarr.json"), []byte(text), 0o666))
		if _, shape, err := zarr.From(folder).Open(); err == nil {
			n := 1
			for _, k := range shape {
				if n *= k; n > 1000 {
					return
				}
			}
			_, err = zarr.ReadArray(folder)
			_ = err
		}
	})
}

func ExampleWriteArray() {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	x := graph.Arange(graph.Float32, 0, 6, 1).Reshape(3, 2)
	err = zarr.WriteArray(filepath.Join(folder, "x.zarr"), x, zarr.Options{Chunks: []int{2, 2}, Codecs: []zarr.Codec{zarr.Gzip(5)}})
	if err != nil {
		panic(err)
	}
	fmt.Println(zarr.ReadArray(filepath.Join(folder, "x.zarr")))
	// Output:
	// float32[3,2]
	// [[0. 1.]
	//  [2. 3.]
	//  [4. 5.]] <nil>
}
