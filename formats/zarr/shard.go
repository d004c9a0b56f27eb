package zarr

// Shards: files with many chunks and an index of them (the codec sharding_indexed of format 3).

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// shard decodes files that hold a grid of chunks.
type shard struct {
	chunks  []int // the shape of a chunk in the shard
	inner   coder
	index   coder
	atStart bool // the index is before the chunks, not behind them
}

type shardConfig struct {
	Chunks   []int   `json:"chunk_shape"`
	Codecs   []named `json:"codecs"`
	Index    []named `json:"index_codecs"`
	Location string  `json:"index_location,omitempty"`
}

// parseShard reads the configuration for shards of a shape.
func parseShard(config json.RawMessage, shape []int) (*shard, error) {
	var c shardConfig
	if err := json.Unmarshal(config, &c); err != nil {
		return nil, fmt.Errorf("codec sharding_indexed: %w", err)
	}
	if c.Location != "" && c.Location != "start" && c.Location != "end" {
		return nil, fmt.Errorf("codec sharding_indexed: the index_location %q is neither start nor end", c.Location)
	}
	ok := len(c.Chunks) == len(shape)
	for k := 0; ok && k < len(shape); k++ {
		ok = c.Chunks[k] > 0 && shape[k]%c.Chunks[k] == 0
	}
	if !ok {
		return nil, fmt.Errorf("codec sharding_indexed: chunks of shape %v do not divide shards of shape %v", c.Chunks, shape)
	}
	s := &shard{chunks: c.Chunks, atStart: c.Location == "start"}
	var err error
	if s.inner, err = parseCodecs(c.Codecs, c.Chunks); err != nil {
		return nil, fmt.Errorf("codec sharding_indexed: %w", err)
	}
	if s.inner.shard != nil {
		return nil, errors.New("codec sharding_indexed: shards in shards are not read")
	}
	if s.index, err = parseCodecs(c.Index, []int{1}); err != nil {
		return nil, fmt.Errorf("codec sharding_indexed: the index: %w", err)
	}
	for _, codec := range s.index.codecs {
		if _, ok := codec.(crcCodec); !ok {
			return nil, fmt.Errorf("codec sharding_indexed: the index has the codec %s: it may have bytes and crc32c", codec.Name())
		}
	}
	if s.index.shard != nil || s.index.order != nil {
		return nil, errors.New("codec sharding_indexed: the index may have the codecs bytes and crc32c only")
	}
	return s, nil
}

// entry is the size of an index's entry: a chunk's offset in the file and its number of bytes, 8 bytes each. Both are
// all ones if the chunk is missing.
const entry = 16

// decode returns a shard of a shape as a tensor of its own memory.
func (s *shard) decode(a *array, data []byte, shape []int) (*graph.Tensor, error) {
	grid := make([]int, len(shape))
	for k := range shape {
		grid[k] = shape[k] / s.chunks[k]
	}
	n, err := layout.NumElems(grid)
	if err != nil {
		return nil, err
	}
	index, err := s.readIndex(data, n)
	if err != nil {
		return nil, err
	}
	out := graph.New(a.dtype, shape...)
	if err := out.Err(); err != nil {
		return nil, err
	}
	for i := range n {
		at, err := layout.Unravel(grid, i)
		if err != nil {
			return nil, err
		}
		offset, size := binary.NativeEndian.Uint64(index[entry*i:]), binary.NativeEndian.Uint64(index[entry*i+8:])
		var chunk *graph.Tensor
		switch length := uint64(len(data)); {
		case offset == math.MaxUint64 && size == math.MaxUint64:
			chunk, err = a.filled(s.chunks)
		case offset > length || size > length-offset:
			err = fmt.Errorf("its %d bytes at %d pass the end of the shard, which has %d", size, offset, length)
		default:
			chunk, err = s.inner.decode(a, data[offset:offset+size], s.chunks)
		}
		if err != nil {
			return nil, fmt.Errorf("chunk %v in the shard: %w", at, err)
		}
		to := out
		for k, c := range at {
			to = to.SliceAxis(k, c*s.chunks[k], (c+1)*s.chunks[k], 1)
		}
		if err := graph.Copy(to, chunk); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// readIndex returns the index of n chunks, in this machine's byte order.
func (s *shard) readIndex(data []byte, n int) ([]byte, error) {
	sums := crcBytes * len(s.index.codecs)
	if len(data) < sums || n > (len(data)-sums)/entry { // entry*n may pass int
		return nil, fmt.Errorf("a shard of %d bytes: its index has %d entries of %d bytes, and %d bytes of checksums", len(data), n, entry, sums)
	}
	size := entry*n + sums
	index := data[len(data)-size:]
	if s.atStart {
		index = data[:size]
	}
	var err error
	for range s.index.codecs {
		if index, err = (crcCodec{}).Decode(index, size); err != nil {
			return nil, fmt.Errorf("the index of the shard: %w", err)
		}
	}
	if s.index.swap {
		index = slices.Clone(index)
		binfile.Swap(index, entry/2)
	}
	return index, nil
}
