package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
)

// The wire format of protocol buffers: a message is a list of fields, each with a number, a kind and a value. This file
// reads fields and knows no schema.

// field is one field of a message.
type field struct {
	num  int
	wire wireKind
	n    uint64 // value of a varint, fixed64 or fixed32
	data []byte // value of a delimited field
}

type wireKind uint8

const (
	varint    wireKind = 0
	fixed64   wireKind = 1
	delimited wireKind = 2
	fixed32   wireKind = 5
)

var errWire = errors.New("not a message of protocol buffers")

// fields yields the fields of a message. If the message is damaged, it yields an error last.
func fields(data []byte) iter.Seq2[field, error] {
	return func(yield func(field, error) bool) {
		for len(data) > 0 {
			f, n := nextField(data)
			if n <= 0 {
				yield(field{}, errWire)
				return
			}
			if !yield(f, nil) {
				return
			}
			data = data[n:]
		}
	}
}

// nextField reads one field and returns its length, or 0 if it is damaged.
func nextField(data []byte) (f field, n int) {
	tag, n := binary.Uvarint(data)
	if n <= 0 || tag>>3 == 0 || tag>>3 > math.MaxInt32 {
		return f, 0
	}
	f.num, f.wire = int(tag>>3), wireKind(tag&7)
	rest := data[n:]
	switch f.wire {
	case varint:
		v, size := binary.Uvarint(rest)
		if size <= 0 {
			return f, 0
		}
		f.n = v
		return f, n + size
	case fixed64:
		if len(rest) < 8 {
			return f, 0
		}
		f.n = binary.LittleEndian.Uint64(rest)
		return f, n + 8
	case fixed32:
		if len(rest) < 4 {
			return f, 0
		}
		f.n = uint64(binary.LittleEndian.Uint32(rest))
		return f, n + 4
	case delimited:
		length, size := binary.Uvarint(rest)
		if size <= 0 || length > uint64(len(rest)-size) {
			return f, 0
		}
		f.data = rest[size : size+int(length)]
		return f, n + size + int(length)
	}
	return f, 0 // groups, which ONNX does not use
}

// bytes returns the value of a delimited field.
func (f field) bytes() ([]byte, error) {
	if f.wire != delimited {
		return nil, f.wrong()
	}
	return f.data, nil
}

func (f field) text() (string, error) {
	b, err := f.bytes()
	return string(b), err
}

func (f field) int() (int, error) {
	if f.wire != varint {
		return 0, f.wrong()
	}
	return int(int64(f.n)), nil
}

// varints appends the values of a repeated varint field, packed or not.
func (f field) varints(to []uint64) ([]uint64, error) {
	switch f.wire {
	case varint:
		return append(to, f.n), nil
	case delimited:
		for rest := f.data; len(rest) > 0; {
			v, n := binary.Uvarint(rest)
			if n <= 0 {
				return nil, errWire
			}
			to, rest = append(to, v), rest[n:]
		}
		return to, nil
	}
	return nil, f.wrong()
}

// fixed appends the values of a repeated fixed32 or fixed64 field, packed or not.
func (f field) fixed(to []uint64, kind wireKind) ([]uint64, error) {
	size := 4
	if kind == fixed64 {
		size = 8
	}
	switch {
	case f.wire == kind:
		return append(to, f.n), nil
	case f.wire != delimited || len(f.data)%size != 0:
		return nil, f.wrong()
	}
	for at := 0; at < len(f.data); at += size {
		if kind == fixed64 {
			to = append(to, binary.LittleEndian.Uint64(f.data[at:]))
		} else {
			to = append(to, uint64(binary.LittleEndian.Uint32(f.data[at:])))
		}
	}
	return to, nil
}

func (f field) wrong() error {
	return fmt.Errorf("%w of this schema: field %d is of kind %d", errWire, f.num, f.wire)
}
