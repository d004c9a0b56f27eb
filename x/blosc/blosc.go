// Package blosc adds the codec blosc to package zarr: shuffled bytes, compressed by blosclz, LZ4, zlib or zstd. A
// program that imports it reads arrays of format 2 and 3 that have the codec:
//
//	import _ "github.com/stridefuse/stridefuse/x/blosc"
//
// and writes them with the codec that New returns.
//
// The container is that of C-Blosc 1 (its README_CHUNK_FORMAT.rst). LZ4 and zstd are the libraries pierrec/lz4 and
// klauspost/compress.
package blosc

import (
	"encoding/json"
	"fmt"

	"github.com/stridefuse/stridefuse/formats/zarr"
)

func init() {
	zarr.Register("blosc", func(config json.RawMessage) (zarr.Codec, error) {
		s := settings{TypeSize: 1}
		if err := json.Unmarshal(config, &s); err != nil {
			return nil, err
		}
		return s.codec()
	})
}

// Shuffle says how the bytes of elements are ordered before they are compressed.
type Shuffle string

// NoShuffle leaves the bytes in order, Bytes puts the first bytes of all elements first, and then the second ones. Bits
// does so with bits.
const (
	NoShuffle Shuffle = "noshuffle"
	Bytes     Shuffle = "shuffle"
	Bits      Shuffle = "bitshuffle"
)

// New returns a codec that compresses by zstd with a level from 1 to 9, for elements of a size in bytes.
func New(level int, shuffle Shuffle, elementSize int) (zarr.Codec, error) {
	return settings{Compressor: "zstd", Level: level, Shuffle: order{shuffle}, TypeSize: elementSize}.codec()
}

// settings are the codec's settings in zarr.json and .zarray.
type settings struct {
	Compressor string `json:"cname"`
	Level      int    `json:"clevel"`
	Shuffle    order  `json:"shuffle"`
	TypeSize   int    `json:"typesize"`
	BlockSize  int    `json:"blocksize"`
}

// order is a Shuffle in the text of an array: a name in format 3, a number in format 2.
type order struct{ Shuffle }

// numbers are the numbers of shuffles in format 2; -1 chooses by the type, which only a writer needs to know.
var numbers = map[string]Shuffle{"-1": Bytes, "0": NoShuffle, "1": Bytes, "2": Bits}

func (o *order) UnmarshalJSON(text []byte) error {
	if s, ok := numbers[string(text)]; ok {
		o.Shuffle = s
		return nil
	}
	return json.Unmarshal(text, &o.Shuffle)
}

func (o order) MarshalJSON() ([]byte, error) { return json.Marshal(o.Shuffle) }

func (s settings) codec() (zarr.Codec, error) {
	switch {
	case s.Shuffle.Shuffle != NoShuffle && s.Shuffle.Shuffle != Bytes && s.Shuffle.Shuffle != Bits:
		return nil, fmt.Errorf("the shuffle %q is not known: there are %s, %s and %s", s.Shuffle.Shuffle, NoShuffle, Bytes, Bits)
	case s.Level < 0 || s.Level > 9:
		return nil, fmt.Errorf("level %d: it is from 0 to 9", s.Level)
	case s.TypeSize < 1 || s.TypeSize > 255:
		return nil, fmt.Errorf("elements of %d bytes: they have from 1 to 255", s.TypeSize)
	}
	return codec{s}, nil
}

type codec struct{ settings }

func (codec) Name() string  { return "blosc" }
func (c codec) Config() any { return c.settings }

// Encode compresses by zstd, whatever compressor the settings name: any reader of Blosc reads it.
func (c codec) Encode(data []byte) ([]byte, error) { return encode(data, c.settings) }

// Decode reads frames of any settings.
func (codec) Decode(data []byte, limit int) ([]byte, error) { return decode(data, limit) }
