package zarr

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Codec encodes and decodes the bytes of a chunk. It must be safe for concurrent use.
type Codec interface {
	// Name returns the codec's name in zarr.json.
	Name() string
	// Config returns the codec's settings for zarr.json, or nil.
	Config() any
	// Encode returns data encoded.
	Encode(data []byte) ([]byte, error)
	// Decode reverses Encode. It returns an error for data that Encode did not make and for a result of more than limit
	// bytes, and allocates little more than limit bytes.
	Decode(data []byte, limit int) ([]byte, error)
}

var codecs = struct {
	sync.Mutex
	by map[string]func(config json.RawMessage) (Codec, error)
}{by: map[string]func(json.RawMessage) (Codec, error){"gzip": newGzip, "zlib": newZlib, "crc32c": newCRC32C}}

// Register adds a codec that arrays may name. Call it from an init function. config is the codec's part of zarr.json,
// or nil.
func Register(name string, codec func(config json.RawMessage) (Codec, error)) {
	codecs.Lock()
	defer codecs.Unlock()
	codecs.by[name] = codec
}

func codecFor(e named) (Codec, error) {
	codecs.Lock()
	configured, names := codecs.by[e.Name], slices.Sorted(maps.Keys(codecs.by))
	codecs.Unlock()
	if configured != nil {
		c, err := configured(e.Config)
		if err != nil {
			return nil, fmt.Errorf("codec %s: %w", e.Name, err)
		}
		return c, nil
	}
	advice := ""
	if e.Name == "zstd" || e.Name == "blosc" {
		advice = ": import module github.com/stridefuse/stridefuse/x/" + e.Name
	}
	return nil, fmt.Errorf("codec %q is not known, there are %s%s", e.Name, strings.Join(names, ", "), advice)
}

// Gzip returns the codec gzip with a level from 0 (fastest) to 9.
func Gzip(level int) Codec { return gzipCodec(deflate{level}) }

type gzipCodec deflate

// zlibCodec is read in arrays of format 2 only, as format 3 has no such codec.
type zlibCodec deflate

// deflate has the settings of gzip and zlib.
type deflate struct {
	Level int `json:"level"`
}

func newGzip(config json.RawMessage) (Codec, error) {
	c, err := newDeflate(config)
	return gzipCodec(c), err
}

func newZlib(config json.RawMessage) (Codec, error) {
	c, err := newDeflate(config)
	return zlibCodec(c), err
}

func newDeflate(config json.RawMessage) (deflate, error) {
	c := deflate{Level: 5}
	if len(config) > 0 {
		if err := json.Unmarshal(config, &c); err != nil {
			return c, err
		}
	}
	if c.Level < -1 || c.Level > 9 { // -1 is the default level of zlib
		return c, fmt.Errorf("level %d: it is from 0 to 9", c.Level)
	}
	return c, nil
}

func (gzipCodec) Name() string  { return "gzip" }
func (zlibCodec) Name() string  { return "zlib" }
func (c gzipCodec) Config() any { return deflate(c) }
func (c zlibCodec) Config() any { return deflate(c) }

func (c gzipCodec) Encode(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, c.Level)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

func (c zlibCodec) Encode(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, c.Level)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

func (gzipCodec) Decode(data []byte, limit int) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return inflate(r, limit)
}

func (zlibCodec) Decode(data []byte, limit int) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return inflate(r, limit)
}

// inflate reads at most limit bytes.
func inflate(r io.Reader, limit int) ([]byte, error) {
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, int64(limit)+1))
	switch {
	case err != nil:
		return nil, err
	case n > int64(limit):
		return nil, fmt.Errorf("it decodes to more than %d bytes", limit)
	}
	return b.Bytes(), nil
}

// CRC32C returns the codec crc32c, which appends a checksum.
func CRC32C() Codec { return crcCodec{} }

type crcCodec struct{}

// crcBytes is the size of the checksum.
const crcBytes = 4

func newCRC32C(json.RawMessage) (Codec, error) { return crcCodec{}, nil }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (crcCodec) Name() string { return "crc32c" }
func (crcCodec) Config() any  { return nil }

func (crcCodec) Encode(data []byte) ([]byte, error) {
	return binary.LittleEndian.AppendUint32(slices.Clone(data), crc32.Checksum(data, castagnoli)), nil
}

func (crcCodec) Decode(data []byte, _ int) ([]byte, error) {
	n := len(data) - crcBytes
	if n < 0 {
		return nil, errors.New("it is too short for a checksum")
	}
	if binary.LittleEndian.Uint32(data[n:]) != crc32.Checksum(data[:n], castagnoli) {
		return nil, errors.New("it differs from its checksum")
	}
	return data[:n], nil
}
