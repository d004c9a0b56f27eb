package arrow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/stridefuse/stridefuse/graph"
)

// This file makes tensors of Arrow's arrays. Input: an array of numbers, at any offset. Output: a tensor over the same
// memory. Invariant: a tensor has exactly the rows of the array, so that no program reads beyond them.

// column says how the values of an Arrow type are read.
type column struct {
	dtype graph.DType
	view  func(values []byte, offset, n int) (*graph.Tensor, error)
}

func of[T graph.Element](dt graph.DType) column { return column{dt, view[T]} }

// columns are the types whose values have the memory of a tensor's elements: numbers, and times as the integers that
// Arrow stores.
var columns = map[arrow.Type]column{
	arrow.INT8: of[int8](graph.Int8), arrow.INT16: of[int16](graph.Int16), arrow.INT32: of[int32](graph.Int32), arrow.INT64: of[int64](graph.Int64),
	arrow.UINT8: of[uint8](graph.Uint8), arrow.UINT16: of[uint16](graph.Uint16), arrow.UINT32: of[uint32](graph.Uint32), arrow.UINT64: of[uint64](graph.Uint64),
	arrow.FLOAT16: of[graph.Half](graph.Float16), arrow.FLOAT32: of[float32](graph.Float32), arrow.FLOAT64: of[float64](graph.Float64),
	arrow.DATE32: of[int32](graph.Int32), arrow.DATE64: of[int64](graph.Int64), arrow.TIME32: of[int32](graph.Int32), arrow.TIME64: of[int64](graph.Int64),
	arrow.TIMESTAMP: of[int64](graph.Int64), arrow.DURATION: of[int64](graph.Int64),
}

// view returns n elements of a buffer from an offset on.
func view[T graph.Element](values []byte, offset, n int) (*graph.Tensor, error) {
	var zero T
	size := int(unsafe.Sizeof(zero))
	start := unsafe.Pointer(unsafe.SliceData(values))
	switch {
	case n == 0:
		return graph.Of([]T{}), nil
	case offset < 0 || n < 0 || offset > len(values)/size-n:
		return nil, fmt.Errorf("rows %d to %d are not in a buffer of %d bytes", offset, offset+n, len(values))
	case uintptr(start)%unsafe.Alignof(zero) != 0:
		return nil, fmt.Errorf("the buffer is not aligned to %d bytes", unsafe.Alignof(zero))
	}
	return graph.Of(unsafe.Slice((*T)(start), offset+n)[offset:]), nil
}

// typeOf returns the type of the elements of an Arrow type: for a dictionary that of its indices.
func typeOf(t arrow.DataType) (graph.DType, error) {
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = d.IndexType
	}
	if t.ID() == arrow.BOOL {
		return graph.Bool, nil
	}
	if c, ok := columns[t.ID()]; ok {
		return c.dtype, nil
	}
	return graph.Bool, fmt.Errorf("a column of type %s: want numbers, booleans, times or a dictionary", t)
}

// errNil is the error of functions that are given no array.
var errNil = errors.New("the array is nil")

// Tensor returns the values of an array, [rows], in its own memory. Times are the integers that Arrow stores, and of a
// dictionary these are the indices. Booleans, which Arrow stores as bits, are copied. Values under nulls are arbitrary:
// see Valid. An array of another type is an error.
func Tensor(a arrow.Array) (*graph.Tensor, error) {
	if a == nil {
		return nil, errNil
	}
	if _, err := typeOf(a.DataType()); err != nil {
		return nil, err
	}
	if d, ok := a.(*array.Dictionary); ok {
		return Tensor(d.Indices())
	}
	var values []byte
	if b := a.Data().Buffers()[1]; b != nil {
		values = b.Bytes()
	}
	if a.DataType().ID() == arrow.BOOL {
		return unpacked(values, a.Data().Offset(), a.Len())
	}
	return columns[a.DataType().ID()].view(values, a.Data().Offset(), a.Len())
}

// sameDictionary returns an error if an array has a dictionary other than that of the first one of its column: then equal
// indices are not equal values.
func sameDictionary(first, a arrow.Array) error {
	d, ok := a.(*array.Dictionary)
	if ok && !array.Equal(first.(*array.Dictionary).Dictionary(), d.Dictionary()) {
		return errors.New("its chunks have different dictionaries: unify them first")
	}
	return nil
}

// Valid returns Bool [rows]: false where an array has a null. It takes a byte for each row if there are nulls, and one
// for all rows otherwise. Arrays whose nulls are those of other arrays, unions and run-end encoded ones, are an error.
func Valid(a arrow.Array) (*graph.Tensor, error) {
	if a == nil {
		return nil, errNil
	}
	switch id := a.DataType().ID(); id {
	case arrow.RUN_END_ENCODED, arrow.SPARSE_UNION, arrow.DENSE_UNION:
		return nil, fmt.Errorf("an array of type %s has no bits of validity", a.DataType())
	case arrow.NULL:
		return graph.OfLayout([]bool{false}, graph.Layout{Shape: []int{a.Len()}, Strides: []int{0}}), nil
	}
	bits := a.Data().Buffers()[0]
	if a.NullN() == 0 || bits == nil {
		return graph.OfLayout([]bool{true}, graph.Layout{Shape: []int{a.Len()}, Strides: []int{0}}), nil
	}
	return unpacked(bits.Bytes(), a.Data().Offset(), a.Len())
}

// unpacked returns n bits from an offset on as bools: those of the bytes that have them, by a program, without what is
// before and behind them.
func unpacked(bits []byte, offset, n int) (*graph.Tensor, error) {
	if n == 0 {
		return graph.Of([]bool{}), nil
	}
	if offset < 0 || offset > 8*len(bits)-n {
		return nil, fmt.Errorf("rows %d to %d are not in a buffer of %d bits", offset, offset+n, 8*len(bits))
	}
	p, err := unpack()
	if err != nil {
		return nil, err
	}
	out, err := p.Run(context.Background(), graph.Of(bits[offset/8:(offset+n+7)/8]))
	if err != nil {
		return nil, err
	}
	return out.SliceAxis(0, offset%8, offset%8+n, 1), nil
}

// unpack returns the bits of bytes, the lowest first.
var unpack = sync.OnceValues(func() (*graph.Program, error) {
	bytes, bit := graph.Input("bytes", graph.Uint8, graph.Dim("n")), graph.Const(graph.Of([]uint8{1, 2, 4, 8, 16, 32, 64, 128}))
	return graph.Compile(bytes.Unsqueeze(1).And(bit).Ne(0).Reshape(-1))
})

// Feeds returns the inputs of a program from the columns of a batch that have their names. An input valid_x of
// type Bool is the Valid of column x, unless a column has that very name. Errors name the column. Other inputs of the
// program are left to the caller, as are columns whose names no input can have: those are letters, digits and _.
func Feeds(p *graph.Program, batch arrow.RecordBatch) (graph.Feeds, error) {
	switch {
	case p == nil:
		return nil, errors.New("the program is nil")
	case batch == nil:
		return nil, errors.New("the record batch is nil")
	}
	feeds := graph.Feeds{}
	for _, in := range p.Inputs() {
		name, make := in.Name, Tensor
		at := batch.Schema().FieldIndices(name)
		if of, cut := strings.CutPrefix(name, "valid_"); len(at) == 0 && cut {
			name, make = of, Valid
			at = batch.Schema().FieldIndices(name)
		}
		switch {
		case len(at) == 0:
			continue
		case len(at) > 1:
			return nil, fmt.Errorf("column %q: %d columns have this name", name, len(at))
		}
		t, err := make(batch.Column(at[0]))
		if err == nil && t.DType() != in.DType {
			err = fmt.Errorf("its elements are %s, those of the input %s", t.DType(), in.DType)
		}
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", name, err)
		}
		feeds[in.Name] = t
	}
	return feeds, nil
}
