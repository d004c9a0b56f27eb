package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/safetensors"
	"github.com/stridefuse/stridefuse/graph"
)

// sample was written by testdata/make.py, with the format's reference implementation.
const sample = "testdata/all.safetensors"

func counted(dt graph.DType) *graph.Tensor {
	if dt == graph.Bool {
		return graph.Of([]bool{false, true, true, true, true, true}, 2, 3)
	}
	return graph.Arange(dt, 0, 6, 1).Reshape(2, 3)
}

// TestReference reads a file of the reference implementation, writes its tensors, and
// reads them again.
func TestReference(t *testing.T) {
	f, err := safetensors.Open(sample)
	require.NoError(t, err)
	defer f.Close()
	require.Equal(t, map[string]string{"format": "np"}, f.Metadata())
	require.Len(t, f.Names(), 14)
	want := map[string]*graph.Tensor{"scalar": graph.Full(graph.Float32, 2.5), "empty": graph.New(graph.Float32, 0, 3)}
	for dt := graph.Bool; dt <= graph.Float64; dt++ {
		if dt != graph.BFloat16 { // NumPy has none
			want[dt.String()] = counted(dt)
		}
	}
	requireTensors(t, want, f)

	name := filepath.Join(t.TempDir(), "x.safetensors")
	require.NoError(t, safetensors.WriteFile(name, want, f.Metadata()))
	again, err := safetensors.Open(name)
	require.NoError(t, err)
	defer again.Close()
	require.Equal(t, f.Metadata(), again.Metadata())
	require.Len(t, again.Names(), len(want))
	requireTensors(t, want, again)
}

func requireTensors(t *testing.T, want map[string]*graph.Tensor, f *safetensors.File) {
	for name, x := range want {
		got, err := f.Tensor(name)
		require.NoError(t, err)
		require.True(t, graph.Equal(x, got), "%s: %s", name, got)
	}
}

// TestErrors lists the messages for files that the format forbids.
func TestErrors(t *testing.T) {
	for header, want := range map[string]string{
		`[]`: "no JSON object",
		`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{}}`:                                               `"a" is there twice`,
		`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,9]}}`:                                                      "offsets [0 9], there are 8 bytes",
		`{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`:                                                      "begin at byte 4, those before end at 0",
		`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`:                                                      "end at byte 4, the data at 8",
		`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`: "begin at byte 4, those before end at 8",
		`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}}`:                                                     "text after",
		`{"a":1}`: "cannot unmarshal",
	} {
		_, err := safetensors.Open(write(t, header))
		require.ErrorContains(t, err, want, header)
	}
	for entry, want := range map[string]string{
		`"F4","shape":[8]`:   `elements of type "F4" are not read`,
		`"F32","shape":[3]`:  "float32[3] takes 12 bytes, there are 8",
		`"F32","shape":[-2]`: "negative",
		`"F32","shape":[1073741824,1073741824,1073741824]`: "passes",
	} {
		f, err := safetensors.Open(write(t, `{"a":{"dtype":`+entry+`,"data_offsets":[0,8]}}`))
		require.NoError(t, err)
		_, err = f.Tensor("a")
		require.ErrorContains(t, err, want, entry)
		require.NoError(t, f.Close())
	}
}

// write makes a file of a header and 8 bytes of data.
func write(t *testing.T, header string) string {
	data := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	data = append(append(data, header...), make([]byte, 8)...)
	name := filepath.Join(t.TempDir(), "x.safetensors")
	require.NoError(t, os.WriteFile(name, data, 0o600))
	return name
}

// FuzzOpen opens any bytes, and writes what it reads.
func FuzzOpen(f *testing.F) {
	data, err := os.ReadFile(sample)
	require.NoError(f, err)
	f.Add(data)
	f.Add(binary.LittleEndian.AppendUint64(nil, 1<<63))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := safetensors.New(data)
		if err != nil {
			return
		}
		tensors := map[string]*graph.Tensor{}
		for _, name := range file.Names() {
			if x, err := file.Tensor(name); err == nil {
				tensors[name] = x
			}
		}
		require.NoError(t, safetensors.Write(&bytes.Buffer{}, tensors, file.Metadata()))
		require.NoError(t, file.Close())
	})
}

// TestFloat8 writes and reads floats of 8 bits, and refuses types for which the format has no
// name.
func TestFloat8(t *testing.T) {
	want := map[string]*graph.Tensor{}
	for _, dt := range []graph.DType{graph.Float8E4M3FN, graph.Float8E5M2, graph.Float8E8M0} {
		want[dt.String()] = graph.Of([]uint8{0, 1, 0x7e, 0x81, 0x40}).Bitcast(dt)
	}
	name := filepath.Join(t.TempDir(), "x.safetensors")
	require.NoError(t, safetensors.WriteFile(name, want, nil))
	f, err := safetensors.Open(name)
	require.NoError(t, err)
	requireTensors(t, want, f)
	x, err := f.Tensor("float8e5m2")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.ErrorContains(t, x.Err(), "was closed")
	require.ErrorContains(t, safetensors.WriteFile(name, map[string]*graph.Tensor{"x": graph.New(graph.Int4, 2)}, nil), "int4")
}
