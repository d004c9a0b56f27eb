package zarr_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/zarr"
	"github.com/stridefuse/stridefuse/graph"
)

// text2 is .zarray as zarr-python 2 writes it.
const text2 = `{
  "chunks": [2, 3], "compressor": {"id": "zlib", "level": 1}, "dimension_separator": ".", "dtype": "<f4",
  "fill_value": 2.5, "filters": null, "order": "C", "shape": [5, 3], "zarr_format": 2
}`

// TestFill2 reads arrays of format 2 none of whose chunks exist.
func TestFill2(t *testing.T) {
	for fill, want := range map[string]*graph.Tensor{
		"2.5": graph.Full(graph.Float32, 2.5, 5, 3), "null": graph.New(graph.Float32, 5, 3), "0": graph.New(graph.Float32, 5, 3),
		`"NaN"`: graph.Full(graph.Float32, math.NaN(), 5, 3), "NaN": graph.Full(graph.Float32, math.NaN(), 5, 3),
		"-Infinity": graph.Full(graph.Float32, math.Inf(-1), 5, 3),
	} {
		x, err := readText(t, ".zarray", strings.Replace(text2, "2.5", fill, 1))
		require.NoError(t, err, fill)
		require.True(t, graph.Equal(want, x), fill)
	}
}

// readText reads an array of a text alone.
func readText(t *testing.T, name, text string) (*graph.Tensor, error) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
	return zarr.ReadArray(folder)
}

// TestRefusals2 checks errors of foreign arrays of format 2, and of folders that are no arrays.
func TestRefusals2(t *testing.T) {
	for from, c := range map[string]struct{ to, want string }{
		`"zarr_format": 2`: {`"zarr_format": 3`, "format version 3 in .zarray"},
		`"<f4"`:            {`"<c8"`, `"<c8" are not read`},
		`"<f4",`:           {`"|f4",`, `"|f4" are not read`},
		`"dtype": "<f4"`:   {`"dtype": [["a", "<f4"]]`, `are not read`},
		`: "<f4"`:          {`: "xb1"`, `"xb1" are not read`},
		`[2, 3]`:           {`[2]`, "chunks of shape [2]"},
		`"C"`:              {`"A"`, `the order "A"`},
		`"filters": null`:  {`"filters": [{"id": "delta"}]`, `the filter {"id": "delta"} is not known`},
		`"zlib"`:           {`"blosc"`, `codec "blosc" is not known, there are crc32c, gzip, zlib: import module github.com/stridefuse/stridefuse/x/blosc`},
		`"level": 1`:       {`"level": 11`, "level 11"},
		`"."`:              {`"-"`, `separator "-"`},
		`2.5`:              {`"a"`, `fill_value "a"`},
		`[5, 3]`:           {`[5, -3]`, "-3"},
	} {
		require.Contains(t, text2, from)
		_, err := readText(t, ".zarray", strings.Replace(text2, from, c.to, 1))
		require.ErrorContains(t, err, c.want)
	}
	_, err := readText(t, ".zgroup", `{"zarr_format": 2}`)
	require.ErrorContains(t, err, "is a group: name an array in it")
	_, err = readText(t, "x", "")
	require.ErrorContains(t, err, "is no array: it has neither zarr.json nor .zarray")
	_, err = readText(t, "zarr.json", "version https://git-lfs.github.com/spec/v1\n")
	require.ErrorContains(t, err, "the file is a pointer of git-lfs")
}

// TestAttributes reads attributes with numbers that JSON does not have.
func TestAttributes(t *testing.T) {
	for _, attributes := range []string{`{"a": NaN, "b": [Infinity, -Infinity]}`, `{"NaN": "it's \"NaN\\"}`} {
		_, err := readText(t, "zarr.json", strings.Replace(text, `{"units": "K"}`, attributes, 1))
		require.NoError(t, err, attributes)
	}
}

// sharded is zarr.json of shards of 4 elements in chunks of 2.
const sharded = `{
  "shape": [8], "data_type": "uint8", "zarr_format": 3, "node_type": "array", "fill_value": 9,
  "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}}, "chunk_key_encoding": {"name": "default"},
  "codecs": [{"name": "sharding_indexed", "configuration": {
    "chunk_shape": [2], "codecs": [{"name": "bytes"}], "index_codecs": [{"name": "bytes"}, {"name": "crc32c"}]}}]
}`

// TestShards reads shards whose index is damaged in any byte, or points anywhere, and shards in other shapes.
func TestShards(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "zarr.json"), []byte(sharded), 0o666))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "c"), 0o777))
	write := func(checksum bool, offsets ...uint64) {
		data := []byte{1, 2, 3, 4}
		var index []byte
		for _, o := range offsets {
			index = binary.LittleEndian.AppendUint64(index, o)
		}
		index, err := zarr.CRC32C().Encode(index)
		require.NoError(t, err)
		if !checksum {
			index[0] ^= 1
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, "c", "0"), append(data, index...), 0o666))
	}
	write(true, 2, 2, 0, 2)
	x, err := zarr.ReadArray(folder)
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]uint8{3, 4, 1, 2, 9, 9, 9, 9}), x), x)
	write(true, math.MaxUint64, math.MaxUint64, 1, 2)
	x, err = zarr.ReadArray(folder)
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of([]uint8{9, 9, 2, 3, 9, 9, 9, 9}), x), x)
	for _, bad := range [][]uint64{{0, 2, math.MaxUint64, 2}, {0, 2, 1 << 40, 2}, {0, 2, 2, math.MaxUint64}, {0, 2, 2, 1 << 62}, {0, 2, 2, 3}, {0, 2, 39, 2}} {
		write(true, bad...)
		_, err = zarr.ReadArray(folder)
		require.ErrorContains(t, err, "chunk [1] in the shard", bad)
	}
	write(false, 0, 2, 2, 2)
	_, err = zarr.ReadArray(folder)
	require.ErrorContains(t, err, "the index of the shard: it differs from its checksum")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "c", "0"), make([]byte, 35), 0o666))
	_, err = zarr.ReadArray(folder)
	require.ErrorContains(t, err, "a shard of 35 bytes: its index has 2 entries of 16 bytes, and 4 bytes of checksums")

	for from, c := range map[string]struct{ to, want string }{
		`"chunk_shape": [2]`: {`"chunk_shape": [3]`, "chunks of shape [3] do not divide shards of shape [4]"},
		`"codecs": [{"name": "bytes"}]`: {`"codecs": [{"name": "sharding_indexed", "configuration": {"chunk_shape": [1],
			"codecs": [{"name": "bytes"}], "index_codecs": [{"name": "bytes"}]}}]`, "shards in shards"},
		`{"name": "crc32c"}`:   {`{"name": "gzip"}`, "the index has the codec gzip"},
		`"index_codecs"`:       {`"index_location": "middle", "index_codecs"`, `index_location "middle"`},
		`[{"name": "bytes"}, `: {`[`, "the index: the first codec"},
	} {
		require.Contains(t, sharded, from)
		_, err := readText(t, "zarr.json", strings.Replace(sharded, from, c.to, 1))
		require.ErrorContains(t, err, c.want)
	}
}

// writeShard writes a shard 0 of an array whose text has other extents.
func writeShard(t *testing.T, data []byte, replace ...string) string {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "zarr.json"), []byte(strings.NewReplacer(replace...).Replace(sharded)), 0o666))
	require.NoError(t, os.Mkdir(filepath.Join(folder, "c"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "c", "0"), data, 0o666))
	return folder
}

// TestHostileShard refuses a shard whose number of chunks, times the 16 bytes of an entry, passes int.
func TestHostileShard(t *testing.T) {
	extent := "[" + strconv.Itoa(math.MaxInt/16+1) + "]"
	r := zarr.From(writeShard(t, make([]byte, 64), "[8]", extent, "[4]", extent, "[2]", "[1]"))
	_, _, err := r.Open()
	require.NoError(t, err)
	_, _, err = r.Read(t.Context(), 0, 1, func() *graph.Tensor { return graph.New(graph.Uint8, 1) })
	require.ErrorContains(t, err, "a shard of 64 bytes: its index has "+extent[1:len(extent)-1]+" entries")
}

// TestSmallChunks reads a shard whose index and codecs take many times the bytes of its data, and refuses a file of more.
func TestSmallChunks(t *testing.T) {
	const n, inner = 4096, 2
	var data, index []byte
	want := make([]uint8, n)
	for i := 0; i < n; i += inner {
		want[i] = uint8(i / inner)
		chunk, err := zarr.Gzip(1).Encode(want[i:][:inner])
		require.NoError(t, err)
		index = binary.LittleEndian.AppendUint64(index, uint64(len(data)))
		index = binary.LittleEndian.AppendUint64(index, uint64(len(chunk)))
		data = append(data, chunk...)
	}
	index, err := zarr.CRC32C().Encode(index)
	require.NoError(t, err)
	data = append(data, index...)
	gzip := []string{"[8]", "[4096]", "[4]", "[4096]", `"codecs": [{"name": "bytes"}]`, `"codecs": [{"name": "bytes"}, {"name": "gzip"}]`}
	x, err := zarr.ReadArray(writeShard(t, data, gzip...))
	require.NoError(t, err)
	require.True(t, graph.Equal(graph.Of(want), x))
	_, err = zarr.ReadArray(writeShard(t, make([]byte, n/inner*(16+128)+2*n+2000), gzip...))
	require.ErrorContains(t, err, "for a chunk of 4096")
}
