package blosc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/formats/zarr"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/blosc"
)

// data returns the data of testdata/make.py.
func data(n, size int) []byte {
	out := make([]byte, n*size)
	for i := range out {
		v := uint64(i / size % 1000 >> (8 * (i % size) % 64))
		if i%97 == 0 {
			v ^= uint64(i) * 2654435761 >> 7
		}
		out[i] = byte(v)
	}
	return out
}

func codec(t require.TestingT, shuffle blosc.Shuffle, size int) zarr.Codec {
	c, err := blosc.New(3, shuffle, size)
	require.NoError(t, err)
	return c
}

// TestFrames reads frames that C-Blosc has made, of each compressor, shuffle and some sizes of elements.
func TestFrames(t *testing.T) {
	names, err := filepath.Glob("testdata/*-*.blosc")
	require.NoError(t, err)
	require.Len(t, names, 75)
	for _, name := range names {
		var shuffle, size, n int
		_, err := fmt.Sscanf(name[strings.IndexByte(name, '-'):], "-%d-%d-%d.blosc", &shuffle, &size, &n)
		require.NoError(t, err)
		frame, err := os.ReadFile(name)
		require.NoError(t, err)
		got, err := codec(t, blosc.Bytes, 1).Decode(frame, n*size)
		require.NoError(t, err, name)
		require.Equal(t, data(n, size), got, name)
		_, err = codec(t, blosc.Bytes, 1).Decode(frame, n*size-1)
		require.ErrorContains(t, err, "more than")
	}
	frame, err := os.ReadFile("testdata/noise.blosc")
	require.NoError(t, err)
	got, err := codec(t, blosc.Bytes, 1).Decode(frame, 500)
	require.NoError(t, err)
	require.Equal(t, frame[16:], got)
}

// TestArrays reads arrays that zarr-python has written, in both formats.
func TestArrays(t *testing.T) {
	want := graph.Arange(graph.Float32, 0, 6000, 1).Reshape(60, 100)
	for _, name := range []string{"v2", "v3"} {
		got, err := zarr.ReadArray(filepath.Join("testdata", name+".zarr"))
		require.NoError(t, err)
		require.True(t, graph.Equal(want, got), name)
	}
}

// TestRoundTrip encodes and decodes random data.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 24).Draw(t, "element size")
		n := rapid.SampledFrom([]int{0, 1, 7, 8, 1000, 1024, 300_000}).Draw(t, "elements")
		want := data(n, size)
		want = want[:rapid.IntRange(max(0, len(want)-size), len(want)).Draw(t, "bytes")]
		c := codec(t, rapid.SampledFrom([]blosc.Shuffle{blosc.NoShuffle, blosc.Bytes, blosc.Bits}).Draw(t, "shuffle"), size)
		frame, err := c.Encode(want)
		require.NoError(t, err)
		got, err := c.Decode(frame, len(want))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	})
	x := graph.Arange(graph.Float32, 0, 3000, 1).Reshape(1000, 3)
	folder := filepath.Join(t.TempDir(), "x")
	require.NoError(t, zarr.WriteArray(folder, x, zarr.Options{Chunks: []int{600}, Codecs: []zarr.Codec{codec(t, blosc.Bits, 4)}}))
	y, err := zarr.ReadArray(folder)
	require.NoError(t, err)
	require.True(t, graph.Equal(x, y))
}

// TestSettings refuses settings that no frame has.
func TestSettings(t *testing.T) {
	_, err := blosc.New(10, blosc.Bytes, 4)
	require.EqualError(t, err, "level 10: it is from 0 to 9")
	_, err = blosc.New(1, "sorted", 4)
	require.EqualError(t, err, `the shuffle "sorted" is not known: there are noshuffle, shuffle and bitshuffle`)
	_, err = blosc.New(1, blosc.Bytes, 0)
	require.EqualError(t, err, "elements of 0 bytes: they have from 1 to 255")
}

// FuzzDecode decodes any bytes. Damage is an error, or other data of the right size.
func FuzzDecode(f *testing.F) {
	names, err := filepath.Glob("testdata/*.blosc")
	require.NoError(f, err)
	for _, name := range names {
		frame, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(frame)
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		out, err := codec(t, blosc.Bytes, 1).Decode(frame, 1<<20)
		require.True(t, err != nil || len(out) <= 1<<20)
	})
}
