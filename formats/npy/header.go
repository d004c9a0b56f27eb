package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// header precedes the elements of an array: a magic string, a version, the length of a text, and the text, a Python
// dict padded with spaces.
type header struct {
	element
	fortran bool
	shape   []int
	fields  []field // of records, whose element is not set; nil if the elements are numbers
}

// element is the type of an array's elements.
type element struct {
	dtype     graph.DType
	parts     int // numbers of dtype in an element: 2 if it is complex, else 1
	bigEndian bool
}

const magic = "\x93NUMPY"

// alignment divides the offset of the first element.
const alignment = 64

// longestHeader limits the text of a header. 64 axes take 1,400 bytes.
const longestHeader = 1 << 16

// complexes maps the part of a descr after the byte order to the types of the parts of complex numbers.
var complexes = map[string]graph.DType{"c8": graph.Float32, "c16": graph.Float64}

// dtypes maps the part of a descr after the byte order to element types. Python's package ml_dtypes writes bfloat16 as
// elements of two bytes without a meaning.
var dtypes = map[string]graph.DType{
	"b1": graph.Bool, "?": graph.Bool,
	"i1": graph.Int8, "i2": graph.Int16, "i4": graph.Int32, "i8": graph.Int64,
	"u1": graph.Uint8, "u2": graph.Uint16, "u4": graph.Uint32, "u8": graph.Uint64,
	"f2": graph.Float16, "f4": graph.Float32, "f8": graph.Float64,
	bfloat16: graph.BFloat16,
}

const bfloat16 = "V2"

// readHeader reads everything before the first element.
func readHeader(r io.Reader) (header, error) {
	var fixed [len(magic) + 4]byte
	if _, err := io.ReadFull(r, fixed[:]); err != nil {
		return header{}, short(err)
	}
	if string(fixed[:len(magic)]) != magic {
		rest, _ := io.ReadAll(io.LimitReader(r, binfile.KindBytes))
		if kind := binfile.Kind(append(fixed[:], rest...)); kind != "" {
			return header{}, fmt.Errorf("the file is %s", kind)
		}
		return header{}, fmt.Errorf("not a .npy file: it begins with %q", fixed[:len(magic)])
	}
	n := int(binary.LittleEndian.Uint16(fixed[len(magic)+2:]))
	switch version := fixed[len(magic)]; version {
	case 1:
	case 2, 3: // the length has four bytes from version 2 on
		var high [2]byte
		if _, err := io.ReadFull(r, high[:]); err != nil {
			return header{}, short(err)
		}
		n |= int(binary.LittleEndian.Uint16(high[:])) << 16
	default:
		return header{}, fmt.Errorf("format version %d is not known: there are 1, 2 and 3", version)
	}
	if n > longestHeader {
		return header{}, fmt.Errorf("a header of %d bytes: the longest that is read has %d", n, longestHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return header{}, short(err)
	}
	return parseHeader(string(text))
}

// short returns the error for a file that ends within its header.
func short(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends within its header")
	}
	return err
}

// parseElement parses a descr, such as "<f4".
func parseElement(descr string) (element, error) {
	order, kind := byte('|'), descr
	if descr != "" && strings.IndexByte("<>|=", descr[0]) >= 0 {
		order, kind = descr[0], descr[1:]
	}
	e := element{parts: 1, bigEndian: order == '>' || order == '=' && binfile.BigEndian}
	var ok bool
	if e.dtype, ok = complexes[kind]; ok {
		e.parts = 2
	} else if e.dtype, ok = dtypes[kind]; !ok {
		return e, fmt.Errorf("elements of type %q are not read: store bool, integers, floats or complex numbers", descr)
	}
	if order == '|' && e.dtype.Size() > 1 && kind != bfloat16 {
		return e, fmt.Errorf("type %q has no byte order", descr)
	}
	return e, nil
}

// swapped reports whether the elements have the other byte order than this machine.
func (e element) swapped() bool { return e.bigEndian != binfile.BigEndian && e.dtype.Size() > 1 }

// size returns the bytes of an element.
func (e element) size() int { return e.dtype.Size() * e.parts }

// layout returns the layout of the numbers. The parts of complex numbers are a last axis.
func (h header) layout() layout.Layout {
	l := layout.RowMajor(h.shape...)
	if h.fortran {
		l = layout.ColMajor(h.shape...)
	}
	if h.parts == 1 {
		return l
	}
	for i := range l.Strides {
		l.Strides[i] *= h.parts
	}
	l.Shape, l.Strides = append(l.Shape, h.parts), append(l.Strides, 1)
	return l
}

// numbers returns the shape of the numbers.
func (h header) numbers() []int {
	if h.parts == 1 {
		return h.shape
	}
	return append(slices.Clone(h.shape), h.parts)
}

// size returns how many bytes the elements take. Elements that are records are an error.
func (h header) size() (int, error) {
	if h.fields != nil {
		return 0, errRecords
	}
	return binfile.NumBytes(h.dtype, h.numbers())
}

var errRecords = errors.New("the elements are records: read the fields by ReadFields")

// descr returns NumPy's name of the element type in this package's byte order.
func (h header) descr() (string, error) {
	for kind, dt := range dtypes {
		switch {
		case dt != h.dtype || kind == "?":
		case dt.Size() == 1:
			return "|" + kind, nil
		default:
			return "<" + kind, nil
		}
	}
	return "", fmt.Errorf("%s has no name in .npy files: Cast it", h.dtype)
}

// mostDigits is the number of digits that the first extent may grow to without moving the elements.
const mostDigits = 21

// bytes returns the header of a file in C order. Its length does not depend on the first extent.
func (h header) bytes() ([]byte, error) {
	descr, err := h.descr()
	if err != nil {
		return nil, err
	}
	extents := make([]string, len(h.shape))
	for i, n := range h.shape {
		extents[i] = fmt.Sprint(n)
	}
	shape := strings.Join(extents, ", ")
	if len(extents) == 1 {
		shape += "," // Python writes a tuple of one element with a comma
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape)
	if len(extents) > 0 {
		text += strings.Repeat(" ", mostDigits-len(extents[0]))
	}
	const before = len(magic) + 4
	text += strings.Repeat(" ", alignment-(before+len(text)+1)%alignment) + "\n"
	out := append([]byte(magic), 1, 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(text)))
	return append(out, text...), nil
}
