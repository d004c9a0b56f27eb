package npy

// Arrays of records (NumPy's structured arrays): each field becomes a tensor of its own.

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// field is a field of a record.
type field struct {
	name   string // with the names of the records around it, as "position.x"; empty if it is padding
	offset int    // in the record, in bytes
	size   int    // in bytes
	header        // of the field's own array: type and shape
}

// ReadFields reads one array of records. The tensor of a field has the array's shape, followed by the field's own, and
// memory of its own. Fields of a record in a record are named as "position.x". Fields of text, times or objects are
// errors that name them.
func ReadFields(r io.Reader) (map[string]*graph.Tensor, error) {
	out, err := readFields(r)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	return out, nil
}

func readFields(r io.Reader) (map[string]*graph.Tensor, error) {
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	if h.fields == nil {
		return nil, fmt.Errorf("the elements are %s, not records: use Read", h.dtype)
	}
	record := recordSize(h.fields)
	records, err := layout.NumElems(h.shape)
	if err != nil {
		return nil, err
	}
	n, ok := layout.MulInt(records, record)
	if !ok {
		return nil, fmt.Errorf("%d records of %d bytes pass int", records, record)
	}
	data, err := binfile.Read(r, n)
	if err != nil {
		return nil, err
	}
	out := map[string]*graph.Tensor{}
	for _, f := range h.fields {
		if f.name == "" {
			continue
		}
		if out[f.name], err = binfile.Tensor(f.dtype, f.column(h), f.gather(data, record)); err != nil {
			return nil, fmt.Errorf("field %s: %w", f.name, err)
		}
	}
	return out, nil
}

// gather returns the bytes of a field from all records, in this machine's byte order.
func (f field) gather(data []byte, record int) []byte {
	if f.size == 0 {
		return nil // a header may claim any number of records of 0 bytes
	}
	column := make([]byte, 0, len(data)/record*f.size)
	for at := f.offset; at < len(data); at += record {
		column = append(column, data[at:][:f.size]...)
	}
	if f.swapped() {
		binfile.Swap(column, f.dtype.Size())
	}
	return column
}

// column returns the layout of a field of all records: that of the array, and in each place the field's own in C order.
func (f field) column(h header) layout.Layout {
	h.parts = 1
	outer, inner := h.layout(), f.layout()
	size := f.size / f.dtype.Size()
	for i := range outer.Strides {
		outer.Strides[i] *= size
	}
	return layout.Layout{Shape: append(outer.Shape, inner.Shape...), Strides: append(outer.Strides, inner.Strides...)}
}

func recordSize(fields []field) int {
	if len(fields) == 0 {
		return 0
	}
	last := fields[len(fields)-1]
	return last.offset + last.size
}

// mostRecord limits the bytes of a record, and deepest how far records are in records.
const (
	mostRecord = 1 << 20
	deepest    = 8
)

// fields reads the fields of a record after the opening bracket: tuples of a name (or a title and a name), a type, and
// for fields that are arrays a shape.
func (s *scanner) fields() []field {
	out := []field{}
	s.depth++
	if s.depth > deepest {
		s.fail("records in records in records: at most %d are read", deepest)
	}
	for offset := 0; s.err == nil && !s.accept("]"); {
		s.expect("(")
		name := s.fieldName()
		s.expect(",")
		before := s.rest
		members, size := s.fieldType(name)
		if s.err != nil {
			break
		}
		if offset > mostRecord-size {
			s.fail("a record of more than %d bytes at %.20q", mostRecord, before)
			break
		}
		for _, m := range members {
			m.offset += offset
			if m.name != "" && slices.ContainsFunc(out, func(f field) bool { return f.name == m.name }) {
				s.fail("two fields have the name %q", m.name)
			}
			out = append(out, m)
		}
		offset += size
		s.expect(")")
		if !s.accept(",") {
			s.expect("]")
			break
		}
	}
	s.depth--
	return out
}

// fieldName reads a name, or a title and a name in parentheses.
func (s *scanner) fieldName() string {
	if !s.accept("(") {
		return s.quoted()
	}
	s.quoted()
	s.expect(",")
	name := s.quoted()
	s.expect(")")
	return name
}

// fieldType reads the type and the shape of a field, and returns the fields that it consists of and its size in bytes.
func (s *scanner) fieldType(name string) (members []field, size int) {
	var f field
	if padding, ok := s.padding(name); ok {
		f = field{size: padding, header: header{element: element{parts: 1, dtype: graph.Uint8}}}
	} else if f.element, members = s.elementType(); members != nil {
		if s.accept(",") {
			s.fail("the field %q is an array of records", name)
		}
		for i := range members {
			if members[i].name != "" {
				members[i].name = name + "." + members[i].name
			}
		}
		return members, recordSize(members)
	} else {
		f.name, f.size, f.shape = name, f.element.size(), []int{}
	}
	if s.accept(",") {
		f.shape = s.tuple()
		n, err := layout.NumElems(f.shape)
		if all, ok := layout.MulInt(n, f.size); err == nil && ok && s.err == nil {
			f.size = all
		} else {
			s.fail("the field %q has the shape %v", name, f.shape)
		}
	}
	return []field{f}, f.size
}

// padding reads the type of a field without a name: bytes between fields. It reports false for other fields.
func (s *scanner) padding(name string) (size int, ok bool) {
	if name != "" || s.err != nil {
		return 0, false
	}
	descr := s.quoted()
	digits, ok := strings.CutPrefix(descr, "|V")
	n, err := strconv.ParseUint(digits, 10, 31)
	if !ok || err != nil || n > mostRecord {
		s.fail("a field without a name of type %q", descr)
		return 0, true
	}
	return int(n), true
}
