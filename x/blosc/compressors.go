package blosc

// The compressors of streams, by their numbers in headers.

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// zstdNumber is the number of zstd.
const zstdNumber = 4

// decompressors fill a slice with the data of a stream.
var decompressors = map[byte]func(to, data []byte) error{0: blosclz, 1: decompressLZ4, 3: decompressZlib, zstdNumber: decompressZstd}

var errLength = errors.New("a stream has data of another length")

func decompressLZ4(to, data []byte) error {
	n, err := lz4.UncompressBlock(data, to)
	if err == nil && n != len(to) {
		err = errLength
	}
	return err
}

func decompressZlib(to, data []byte) error {
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(r, to); err != nil {
		return fmt.Errorf("%w: %w", errLength, err)
	}
	if n, err := r.Read(make([]byte, 1)); n > 0 || err != io.EOF {
		return errLength
	}
	return nil
}

func decompressZstd(to, data []byte) error {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(len(to), 1<<10))))
	if err != nil {
		return err
	}
	defer r.Close()
	out, err := r.DecodeAll(data, to[:0])
	switch {
	case err != nil:
		return err
	case len(out) != len(to):
		return errLength
	}
	copy(to, out)
	return nil
}

// zstdLevels are the levels of zstd for those of Blosc, 0 to 9.
var zstdLevels = []int{1, 1, 3, 5, 7, 9, 11, 15, 19, 22}

func compress(data []byte, level int) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(zstdLevels[level])), zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(1), zstd.WithSingleSegment(true))
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return w.EncodeAll(data, nil), nil
}

// blosclz decompresses a stream of blosclz, Blosc's variant of FastLZ: literals and matches, told apart by a byte.
//
//	0..31               that many bytes and 1, as they are
//	length, far, near   the length from 3 on in the high 3 bits, which more bytes continue, and the distance
func blosclz(to, data []byte) error {
	var out, in int
	next := func() (int, bool) {
		if in == len(data) {
			return 0, false
		}
		in++
		return int(data[in-1]), true
	}
	for first := true; in < len(data); first = false {
		control, _ := next()
		if first {
			control &= 31
		}
		if control < 32 {
			n := control + 1
			if n > len(data)-in || n > len(to)-out {
				return errLength
			}
			copy(to[out:], data[in:in+n])
			in, out = in+n, out+n
			continue
		}
		length, distance := control>>5+2, control&31<<8
		more, ok := 255, true
		for control>>5 == 7 && more == 255 && ok {
			more, ok = next()
			length += more
		}
		near, ok2 := next()
		distance += near
		if near == 255 && control&31 == 31 {
			high, ok3 := next()
			low, ok4 := next()
			distance, ok2 = high<<8+low+farthestNear, ok3 && ok4
		}
		distance++
		if !ok || !ok2 || distance > out || length > len(to)-out {
			return errLength
		}
		for range length { // the match may overlap what it writes
			to[out] = to[out-distance]
			out++
		}
	}
	if out != len(to) {
		return errLength
	}
	return nil
}

// farthestNear is the greatest distance that is written in 13 bits.
const farthestNear = 8191
