package blosc

// Frames: a header, the offsets of blocks, and the blocks, each of one or several streams that are compressed alone.

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// header is the beginning of a frame.
type header struct {
	flags, typeSize byte
	size, block     int // bytes of all data, and of each block but the last
	frame           int // bytes of the frame
}

// headerBytes is the size of a header.
const headerBytes = 16

// Flags of a header. The number of the compressor is above compressorShift.
const (
	flagShuffle     = 1 << 0
	flagStored      = 1 << 1 // the data follow the header as they are
	flagBitShuffle  = 1 << 2
	flagOneStream   = 1 << 4 // blocks are not split into streams
	compressorShift = 5
)

// A block is split into a stream for each byte of its elements if these are small and many.
const (
	mostStreams = 16
	leastStream = 128
)

func parseHeader(data []byte) (header, error) {
	if len(data) < headerBytes {
		return header{}, fmt.Errorf("%d bytes: a header of Blosc has %d", len(data), headerBytes)
	}
	field := func(at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
	h := header{flags: data[2], typeSize: data[3]}
	if data[0] < 1 || data[0] > 2 {
		return h, fmt.Errorf("version %d of Blosc's format: 1 and 2 are read", data[0])
	}
	for _, f := range []struct {
		to *int
		at int
	}{{&h.size, 4}, {&h.block, 8}, {&h.frame, 12}} {
		if field(f.at) > math.MaxInt32 {
			return h, errors.New("a size in the header passes 2 GB")
		}
		*f.to = int(field(f.at))
	}
	switch {
	case h.frame != len(data):
		return h, fmt.Errorf("the header says that there are %d bytes: there are %d", h.frame, len(data))
	case h.typeSize == 0, h.block == 0 && h.size > 0:
		return h, errors.New("the header has a size of 0")
	}
	return h, nil
}

// decode returns the data of a frame.
func decode(data []byte, limit int) ([]byte, error) {
	h, err := parseHeader(data)
	if err != nil {
		return nil, err
	}
	switch {
	case h.size > limit:
		return nil, fmt.Errorf("it decodes to %d bytes, more than %d", h.size, limit)
	case h.size == 0:
		return nil, nil
	case h.flags&flagStored != 0:
		if len(data) != headerBytes+h.size {
			return nil, fmt.Errorf("%d bytes are stored: there are %d", h.size, len(data)-headerBytes)
		}
		return data[headerBytes:], nil
	}
	decompress := decompressors[h.flags>>compressorShift]
	if decompress == nil {
		return nil, fmt.Errorf("the compressor %d is not known: blosclz, LZ4, zlib and zstd are", h.flags>>compressorShift)
	}
	blocks := (h.size + h.block - 1) / h.block
	if blocks > (len(data)-headerBytes)/4 {
		return nil, fmt.Errorf("%d blocks in %d bytes", blocks, len(data))
	}
	out := make([]byte, h.size)
	for i := range blocks {
		to := out[i*h.block : min((i+1)*h.block, h.size)]
		start := binary.LittleEndian.Uint32(data[headerBytes+4*i:])
		if uint64(start) > uint64(len(data)) {
			return nil, fmt.Errorf("block %d begins at byte %d of %d", i, start, len(data))
		}
		if err := h.decodeBlock(to, data[start:], decompress); err != nil {
			return nil, fmt.Errorf("block %d: %w", i, err)
		}
	}
	return out, nil
}

// streams returns how many streams a block of some bytes has.
func (h header) streams(size int) int {
	t := int(h.typeSize)
	if h.flags&flagOneStream == 0 && t <= mostStreams && h.block/t >= leastStream && size == h.block {
		return t
	}
	return 1
}

// decodeBlock decompresses the streams that data begins with, and puts the bytes in order.
func (h header) decodeBlock(to, data []byte, decompress func(to, data []byte) error) error {
	n := h.streams(len(to))
	shuffled := to
	shuffles := h.flags&flagShuffle != 0 && h.typeSize > 1 || h.flags&flagBitShuffle != 0
	if shuffles {
		shuffled = make([]byte, len(to))
	}
	size := len(to) / n
	for s := range n {
		if len(data) < 4 {
			return errors.New("it ends before a stream")
		}
		length := int64(int32(binary.LittleEndian.Uint32(data)))
		if data = data[4:]; length < 0 || length > int64(len(data)) {
			return fmt.Errorf("a stream of %d bytes, and %d follow", length, len(data))
		}
		stream := shuffled[s*size : (s+1)*size]
		if length == int64(size) {
			copy(stream, data[:length])
		} else if err := decompress(stream, data[:length]); err != nil {
			return err
		}
		data = data[length:]
	}
	switch {
	case h.flags&flagBitShuffle != 0:
		unshuffleBits(to, shuffled, int(h.typeSize))
	case shuffles:
		unshuffle(to, shuffled, int(h.typeSize))
	}
	return nil
}

// encodedBlock is the size of the blocks that encode makes.
const encodedBlock = 256 << 10

// encode returns a frame.
func encode(data []byte, s settings) ([]byte, error) {
	if len(data) > math.MaxInt32-headerBytes {
		return nil, fmt.Errorf("%d bytes: a frame of Blosc has at most 2 GB", len(data))
	}
	h := header{flags: zstdNumber<<compressorShift | flagOneStream, typeSize: byte(s.TypeSize), size: len(data)}
	h.block = min(max(1, len(data)), encodedBlock/s.TypeSize*s.TypeSize)
	shuffle := func(to, from []byte, _ int) { copy(to, from) }
	switch s.Shuffle.Shuffle {
	case Bytes:
		h.flags, shuffle = h.flags|flagShuffle, shuffleBytes
	case Bits:
		h.flags, shuffle = h.flags|flagBitShuffle, shuffleBits
	}
	blocks := (len(data) + h.block - 1) / h.block
	out := make([]byte, headerBytes+4*blocks)
	for i := range blocks {
		binary.LittleEndian.PutUint32(out[headerBytes+4*i:], uint32(len(out)))
		from := data[i*h.block : min((i+1)*h.block, len(data))]
		shuffled := make([]byte, len(from))
		shuffle(shuffled, from, s.TypeSize)
		stream, err := compress(shuffled, s.Level)
		if err != nil {
			return nil, err
		}
		if len(stream) >= len(from) {
			stream = shuffled // a stream as long as its data is stored
		}
		out = binary.LittleEndian.AppendUint32(out, uint32(len(stream)))
		out = append(out, stream...)
	}
	if len(out) > headerBytes+len(data) {
		h.flags |= flagStored
		out = append(out[:headerBytes], data...)
	}
	out[0], out[1], out[2], out[3] = 2, 1, h.flags, h.typeSize
	binary.LittleEndian.PutUint32(out[4:], uint32(h.size))
	binary.LittleEndian.PutUint32(out[8:], uint32(h.block))
	binary.LittleEndian.PutUint32(out[12:], uint32(len(out)))
	return out, nil
}
