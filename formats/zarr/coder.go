package zarr

// How the elements of a chunk become bytes: the order of its axes, the byte order, and codecs; or a shard of chunks.

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// coder decodes chunks.
type coder struct {
	order  []int // the axes of the stored chunk, outermost first; nil if they are those of the array
	swap   bool  // the elements have the other byte order than this machine
	shard  *shard
	codecs []Codec
}

// transposeConfig is the configuration of the codec transpose.
type transposeConfig struct {
	Order []int `json:"order"`
}

// parseCodecs reads a chain of codecs for chunks of a shape: transpose, any number of times; bytes, which converts
// elements to bytes, or sharding_indexed; and codecs that convert bytes to bytes.
func parseCodecs(list []named, shape []int) (c coder, err error) {
	for len(list) > 0 && list[0].Name == "transpose" {
		var t transposeConfig
		if err := json.Unmarshal(list[0].Config, &t); err != nil {
			return c, fmt.Errorf("codec transpose: %w", err)
		}
		if c.order, err = transposed(c.order, t.Order, len(shape)); err != nil {
			return c, err
		}
		list = list[1:]
	}
	if len(list) == 0 {
		return c, errors.New("it has no codec bytes, which is the first one")
	}
	switch first := list[0]; first.Name {
	case "bytes":
		c.swap, err = parseBytes(first.Config)
	case "sharding_indexed":
		c.shard, err = parseShard(first.Config, permuted(shape, c.order))
	default:
		err = fmt.Errorf("the first codec %q is neither bytes nor sharding_indexed", first.Name)
	}
	if err != nil {
		return c, err
	}
	for _, e := range list[1:] {
		if e.Name == "zlib" {
			return c, errors.New("the codec zlib is one of format 2: format 3 has gzip")
		}
		codec, err := codecFor(e)
		if err != nil {
			return c, err
		}
		c.codecs = append(c.codecs, codec)
	}
	return c, nil
}

// parseBytes reads the configuration of the codec bytes, and reports whether elements are swapped.
func parseBytes(config json.RawMessage) (bool, error) {
	c := bytesConfig{Endian: "little"}
	if len(config) > 0 {
		if err := json.Unmarshal(config, &c); err != nil {
			return false, fmt.Errorf("codec bytes: %w", err)
		}
	}
	if c.Endian != "little" && c.Endian != "big" {
		return false, fmt.Errorf("codec bytes: the byte order %q is not known", c.Endian)
	}
	return (c.Endian == "big") != binfile.BigEndian, nil
}

// transposed returns the order of axes that one transposition after another makes.
func transposed(before, order []int, rank int) ([]int, error) {
	if before == nil {
		before = places(rank)
	}
	sorted := slices.Sorted(slices.Values(order))
	if !slices.Equal(sorted, places(rank)) {
		return nil, fmt.Errorf("codec transpose: the order %v is no permutation of %d axes", order, rank)
	}
	return permuted(before, order), nil
}

// places returns 0, 1, ..., n-1.
func places(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// permuted returns the extents in an order; nil is the order they have.
func permuted(shape, order []int) []int {
	if order == nil {
		return shape
	}
	out := make([]int, len(order))
	for i, k := range order {
		out[i] = shape[k]
	}
	return out
}

// decode returns a chunk of a shape from its bytes. The tensor may share the memory of data.
func (c *coder) decode(a *array, data []byte, shape []int) (*graph.Tensor, error) {
	size := a.dtype.Size()
	for _, n := range shape {
		size *= n // a part of an array's chunk, whose size is an int
	}
	limit := capped(float64(size) + slack(size))
	if c.shard != nil {
		limit = c.most(a, size)
	}
	var err error
	for _, codec := range slices.Backward(c.codecs) {
		if data, err = codec.Decode(data, limit); err != nil {
			return nil, fmt.Errorf("%s: %w", codec.Name(), err)
		}
	}
	stored := permuted(shape, c.order)
	var t *graph.Tensor
	if c.shard != nil {
		t, err = c.shard.decode(a, data, stored)
	} else {
		t, err = c.elements(a, data, stored, size)
	}
	if err != nil || c.order == nil {
		return t, err
	}
	back := make([]int, len(c.order))
	for i, k := range c.order {
		back[k] = i
	}
	t = t.Permute(back...)
	return t, t.Err()
}

// elements returns the tensor of a stored shape over bytes.
func (c *coder) elements(a *array, data []byte, stored []int, size int) (*graph.Tensor, error) {
	if len(data) != size {
		return nil, fmt.Errorf("%d bytes of data, and %d make a chunk of %s %v", len(data), size, a.dtype, stored)
	}
	if c.swap {
		data = slices.Clone(data)
		binfile.Swap(data, a.dtype.Size())
	}
	return binfile.Tensor(a.dtype, layout.RowMajor(stored...), data)
}

// most returns the greatest size of the file of a chunk with size bytes of data, or of a shard before its codecs. In a shard of
// small chunks, the index and what codecs add to each chunk may be many times as large as the data.
func (c *coder) most(a *array, size int) int {
	n := 2*float64(size) + slack(size)
	if c.shard != nil {
		inner := float64(size / a.dtype.Size())
		for _, k := range c.shard.chunks {
			inner /= float64(k)
		}
		n += inner * (entry + innerSlack)
	}
	return capped(n)
}

// slack is the most bytes by which an encoded chunk may exceed its data.
func slack(size int) float64 { return float64(size)/1000 + 1<<10 }

// innerSlack is the most bytes by which an encoded chunk in a shard may exceed twice its data: headers and checksums.
const innerSlack = 128

// capped returns n as an int, and less than the greatest one.
func capped(n float64) int {
	const most = math.MaxInt - 1
	if n < most {
		return int(n)
	}
	return most
}
