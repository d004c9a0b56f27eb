// Package zstd adds the codec zstd to package zarr, using the library klauspost/compress. A program that imports it
// reads arrays compressed by zstd:
//
//	import _ "github.com/stridefuse/stridefuse/x/zstd"
//
// and writes them with the codec that New returns.
package zstd

import (
	"encoding/json"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/stridefuse/stridefuse/formats/zarr"
)

func init() {
	zarr.Register("zstd", func(config json.RawMessage) (zarr.Codec, error) {
		var c settings
		if len(config) > 0 {
			if err := json.Unmarshal(config, &c); err != nil {
				return nil, err
			}
		}
		return c.codec()
	})
}

// New returns the codec with a level of zstd from -131072, the fastest, to 22. With a checksum, damage is found when a
// chunk is read.
func New(level int, checksum bool) (zarr.Codec, error) {
	return settings{level, checksum}.codec()
}

// settings are the codec's settings in zarr.json.
type settings struct {
	Level    int  `json:"level"`
	Checksum bool `json:"checksum"`
}

func (s settings) codec() (zarr.Codec, error) {
	if s.Level < -131072 || s.Level > 22 {
		return nil, fmt.Errorf("level %d: it is from -131072 to 22", s.Level)
	}
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(s.Level)), zstd.WithEncoderCRC(s.Checksum), zstd.WithSingleSegment(true))
	if err != nil {
		return nil, err
	}
	return &codec{settings: s, w: w}, nil
}

type codec struct {
	settings
	w *zstd.Encoder
}

func (c *codec) Name() string { return "zstd" }
func (c *codec) Config() any  { return c.settings }

func (c *codec) Encode(data []byte) ([]byte, error) { return c.w.EncodeAll(data, nil), nil }

func (c *codec) Decode(data []byte, limit int) ([]byte, error) {
	// the decoder ignores limits below 1 KiB
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(limit, 1<<10))))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out, err := r.DecodeAll(data, nil)
	if err == nil && len(out) > limit {
		return nil, fmt.Errorf("it decodes to more than %d bytes", limit)
	}
	return out, err
}
