package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// tensorProto is a TensorProto. Its elements are in raw, in one of the lists, or in another file.
type tensorProto struct {
	name     string
	shape    []int
	code     int
	raw      []byte
	isRaw    bool
	list     []uint64 // numbers, or the bits of floats
	of       int      // number of the field that has the list
	strings  []string
	external map[string]string
	outside  bool
}

// The lists of elements, by their field numbers.
const (
	floatData  = 4
	int32Data  = 5
	int64Data  = 7
	doubleData = 10
	uint64Data = 11
)

// listOf maps a type to the list that holds its elements if they are not raw.
var listOf = map[graph.DType]int{
	graph.Bool: int32Data, graph.Int8: int32Data, graph.Int16: int32Data, graph.Int32: int32Data, graph.Int64: int64Data,
	graph.Uint8: int32Data, graph.Uint16: int32Data, graph.Uint32: uint64Data, graph.Uint64: uint64Data,
	graph.Float16: int32Data, graph.BFloat16: int32Data, graph.Float32: floatData, graph.Float64: doubleData,
	graph.Float8E4M3FN: int32Data, graph.Float8E4M3FNUZ: int32Data, graph.Float8E5M2: int32Data, graph.Float8E5M2FNUZ: int32Data,
	graph.Float8E8M0: int32Data, graph.Float4E2M1: int32Data, graph.Int4: int32Data, graph.Int2: int32Data,
	graph.Uint4: int32Data, graph.Uint2: int32Data,
}

// tensor reads a TensorProto. Raw elements are not copied.
func (d *decoder) tensor(f field) (name string, t *graph.Tensor, err error) {
	p := tensorProto{external: map[string]string{}}
	if err := p.read(f); err != nil {
		return "", nil, err
	}
	if t, err = p.tensor(d); err != nil {
		err = fmt.Errorf("tensor %q: %w", p.name, err)
	}
	return p.name, t, err
}

func (p *tensorProto) read(f field) error {
	list := func(kind wireKind) func(field) error {
		return func(f field) (err error) {
			p.of = f.num
			if kind == varint {
				p.list, err = f.varints(p.list)
			} else {
				p.list, err = f.fixed(p.list, kind)
			}
			return err
		}
	}
	return read(f, map[int]func(field) error{
		1: func(f field) error {
			dims, err := f.varints(nil)
			p.shape = append(p.shape, mapped(dims, func(n uint64) int { return int(int64(n)) })...)
			return err
		},
		2:         func(f field) (err error) { p.code, err = f.int(); return },
		3:         func(field) error { return errors.New("tensors in segments are not supported") },
		floatData: list(fixed32), int32Data: list(varint), int64Data: list(varint),
		doubleData: list(fixed64), uint64Data: list(varint),
		6: func(f field) error {
			s, err := f.text()
			p.strings = append(p.strings, s)
			return err
		},
		8: func(f field) (err error) { p.name, err = f.text(); return },
		9: func(f field) (err error) { p.raw, err = f.bytes(); p.isRaw = true; return },
		13: func(f field) error {
			var key, value string
			err := read(f, map[int]func(field) error{
				1: func(f field) (err error) { key, err = f.text(); return },
				2: func(f field) (err error) { value, err = f.text(); return },
			})
			p.external[key] = value
			return err
		},
		14: func(f field) error { p.outside = f.n == 1; return nil },
	})
}

func (p *tensorProto) tensor(d *decoder) (*graph.Tensor, error) {
	if p.code == stringCode {
		if n, err := binfile.NumBytes(graph.Uint8, p.shape); err != nil || n != len(p.strings) {
			return nil, fmt.Errorf("%d strings for the shape %v", len(p.strings), p.shape)
		}
		return d.words.tensor(p.strings, p.shape...), nil
	}
	dt, ok := typeCodes[p.code]
	if !ok {
		return nil, fmt.Errorf("elements of type %s are not supported", codeText(p.code))
	}
	size, err := binfile.NumBytes(dt, p.shape)
	if err != nil {
		return nil, err
	}
	n := packedBytes(dt, size)
	data := p.raw
	switch {
	case p.outside:
		data, err = d.external.read(p.external, n)
	case !p.isRaw:
		data, err = p.listed(dt, n)
	case binfile.BigEndian:
		data = append([]byte(nil), data...)
	}
	if err != nil {
		return nil, err
	}
	if binfile.BigEndian {
		binfile.Swap(data, dt.Size())
	}
	if dt.Bits() < 8 {
		if len(data) != n {
			return nil, fmt.Errorf("%d bytes for the shape %v of %s, which takes %d", len(data), p.shape, dt, n)
		}
		data = unpacked(dt, data, size)
	}
	return binfile.Tensor(dt, layout.RowMajor(p.shape...), data)
}

// packedBytes returns the bytes in a file for elements that take size bytes in memory: elements of 4 and 2 bits are
// packed.
func packedBytes(dt graph.DType, size int) int {
	perByte := max(1, 8/dt.Bits())
	return size/perByte + min(1, size%perByte)
}

// unpacked returns n elements of less than 8 bits, each in its own byte. The first one in a packed byte has the lowest
// bits.
func unpacked(dt graph.DType, data []byte, n int) []byte {
	out, perByte := make([]byte, n), 8/dt.Bits()
	for i := range out {
		out[i] = byte(ir.Wrap(dt, int64(data[i/perByte]>>(i%perByte*dt.Bits()))))
	}
	return out
}

// listed returns the elements of a list as n bytes in little-endian order.
func (p *tensorProto) listed(dt graph.DType, n int) ([]byte, error) {
	if len(p.list) > 0 && p.of != listOf[dt] {
		return nil, fmt.Errorf("elements of %s in the list of field %d", dt, p.of)
	}
	if len(p.list) != n/dt.Size() {
		return nil, fmt.Errorf("%d elements for the shape %v", len(p.list), p.shape)
	}
	data := make([]byte, 0, n)
	for _, v := range p.list {
		switch dt.Size() {
		case 1:
			data = append(data, byte(v))
		case 2:
			data = binary.LittleEndian.AppendUint16(data, uint16(v))
		case 4:
			data = binary.LittleEndian.AppendUint32(data, uint32(v))
		case 8:
			data = binary.LittleEndian.AppendUint64(data, v)
		default:
			panic(fmt.Sprintf("BUG: onnx: an element of %s has %d bytes", dt, dt.Size()))
		}
	}
	return data, nil
}
